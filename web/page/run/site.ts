/**
 * Where the page finds what it loads: the worker, the WebAssembly files, the results computed at
 * build time, the word vectors. Served pages fetch them beside themselves; the one-file page
 * carries them.
 */
import type { Descriptor } from '../../lib/descriptor.ts';
import type { Entry } from '../state/entry.ts';
import type { Language } from '../state/texts.ts';
import type { Values } from '../state/values.ts';
import type { Tables } from './tables.ts';

/** A run of an experiment's first preset, made at build time by the same library. */
export interface BuiltResult {
  readonly experiment: string;
  readonly preset: string;
  readonly version: string;
  readonly seed: string;
  readonly status: string;
  readonly divergedAt?: number;
  readonly params: Values;
  readonly tables: Tables;
}

export interface Site {
  /** Every experiment, in the order of the story. */
  index(language: Language): Promise<readonly Entry[]>;
  /** Undefined for a name that is none. */
  descriptor(id: string, language: Language): Promise<Descriptor | undefined>;
  builtResult(id: string): Promise<BuiltResult | undefined>;
  /** Of a built result no more than a small figure draws, to six digits. */
  picture(id: string): Promise<BuiltResult | undefined>;
  /** Options for the library's `load`. */
  loadOptions(): Promise<Readonly<Record<string, unknown>>>;
  /** Where this page is served from, for links in snippets; undefined from a file. */
  readonly base: URL | undefined;
}

let current: Site | undefined;

export function useSite(site: Site): void {
  current ??= site;
}

export function site(): Site {
  if (!current) throw new Error('No site has been set before the first use.');
  return current;
}
