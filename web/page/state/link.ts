/**
 * The state of an experiment as a link and back. `#/id?v=1&preset=…&seed=…&name=value`: only what
 * differs from the preset is written. A link is input from a stranger: everything is clamped and
 * what was changed is said.
 */
import type { Descriptor, DescriptorValue } from '../../lib/descriptor.ts';
import { seedText } from '../../lib/seed.ts';
import { clampText, MAXIMUM_LINK_ENTRIES, shorten } from './clamp.ts';
import type { Texts } from './texts.ts';
import { changes, isMatrix, presetValues, type Values } from './values.ts';

const LINK_VERSION = 1;
export const MAXIMUM_LINK = 20_000;
/** Of these, what the place, the language and an embed's own settings may take. */
const RESERVE = 200;
export const DEFAULT_SEED = '1';

export interface LinkState {
  readonly preset: string;
  readonly values: Values;
  readonly seed: string;
  readonly notices: readonly string[];
}

export interface Route {
  /** '' is the front. */
  readonly place: string;
  readonly query: URLSearchParams;
  readonly tooLong: boolean;
}

export function parseRoute(hash: string): Route {
  const tooLong = hash.length > MAXIMUM_LINK;
  const text = hash.slice(0, tooLong ? 200 : undefined).replace(/^#\/?/, '');
  const cut = text.indexOf('?');
  const place = safely(cut < 0 ? text : text.slice(0, cut));
  return { place, query: new URLSearchParams(tooLong || cut < 0 ? '' : text.slice(cut)), tooLong };
}

function safely(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Whether the library takes it: 0 … 2^64 - 1, as decimal digits. */
export function isSeed(text: string): boolean {
  try {
    return seedText(text) !== '';
  } catch {
    return false;
  }
}

/** More than these help nobody. */
const MOST_NOTICES = 10;
const RESERVED = new Set([
  'v',
  'preset',
  'seed',
  'lang',
  'theme',
  'hide',
  'experiment',
  'zoom',
  'kept',
]);

export function decodeState(
  descriptor: Descriptor,
  query: URLSearchParams,
  texts: Texts,
): LinkState {
  const notices: string[] = [];
  const version = query.get('v');
  if (version !== null && version !== String(LINK_VERSION)) {
    notices.push(texts.t('notice.version', { given: shorten(version) }));
  }
  let preset = query.get('preset') ?? descriptor.presets[0]?.name ?? '';
  if (preset && !descriptor.presets.some((each) => each.name === preset)) {
    notices.push(texts.t('notice.preset', { given: shorten(preset) }));
    preset = descriptor.presets[0]?.name ?? '';
  }
  let seed = query.get('seed') ?? DEFAULT_SEED;
  if (!isSeed(seed)) {
    notices.push(texts.t('notice.seed', { given: shorten(seed), used: DEFAULT_SEED }));
    seed = DEFAULT_SEED;
  }
  const values: Record<string, DescriptorValue> = { ...presetValues(descriptor, preset) };
  for (const [name, raw] of query) {
    if (RESERVED.has(name)) continue;
    const parameter = descriptor.parameters.find((each) => each.name === name);
    if (!parameter) {
      if (notices.length < 5) notices.push(texts.t('notice.unknown', { given: shorten(name) }));
      continue;
    }
    const clamped = clampText(parameter, raw, texts);
    if (!clamped.refused) values[name] = clamped.value;
    if (clamped.notice && notices.length < MOST_NOTICES) notices.push(clamped.notice);
  }
  return { preset, values, seed: String(BigInt(seed)), notices };
}

/** The query of a link that is read again; entries too large for one are named in `left`. */
export function encodeState(
  descriptor: Descriptor,
  state: { preset: string; values: Values; seed: string },
): { query: URLSearchParams; left: string[] } {
  const query = new URLSearchParams({ v: String(LINK_VERSION) });
  const left: string[] = [];
  // None at all is said too: without a word the first one is meant.
  if (state.preset !== (descriptor.presets[0]?.name ?? '')) {
    query.set('preset', state.preset);
  }
  const base = presetValues(descriptor, state.preset);
  for (const { name } of changes(descriptor, base, state.values)) {
    const value = state.values[name] as DescriptorValue;
    const text = encodeValue(value);
    if (text.length > MAXIMUM_LINK || isLongMatrix(value)) left.push(name);
    else query.set(name, text);
  }
  if (state.seed !== DEFAULT_SEED) query.set('seed', state.seed);
  while (query.toString().length > MAXIMUM_LINK - RESERVE) {
    const name = longest(query);
    query.delete(name);
    left.push(name);
  }
  return { query, left };
}

function isLongMatrix(value: DescriptorValue): boolean {
  return isMatrix(value) && value.data.length > MAXIMUM_LINK_ENTRIES;
}

/** A character may take nine in a link, so each entry is measured as it stands there. */
function longest(query: URLSearchParams): string {
  const length = (entry: [string, string]): number =>
    new URLSearchParams([entry]).toString().length;
  return [...query].reduce((a, b) => (length(b) > length(a) ? b : a))[0];
}

export function encodeValue(value: DescriptorValue): string {
  if (isMatrix(value)) return `${value.rows}:${value.columns}:${Array.from(value.data).join(',')}`;
  return Array.isArray(value) ? value.join(',') : String(value);
}

export function formatLink(place: string, query: URLSearchParams): string {
  const text = query.toString().replaceAll('%2C', ',').replaceAll('%3A', ':');
  return `#/${place}${text ? `?${text}` : ''}`;
}
