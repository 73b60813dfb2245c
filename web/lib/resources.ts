/** Files that some experiments need: fetched when a run asks for them, once a lab. */

import type { Descriptor } from './descriptor.js';
import { AttnLabError, fail, show } from './errors.js';
import { readBytes } from './load_module.js';
import { conditionHolds } from './parameters.js';
import type { PackedValues } from './protocol.js';

/** Where a resource is: its address or its bytes. */
export type ResourceSource = string | URL | ArrayBuffer | Uint8Array;
/** Called with the name of a resource, such as 'glove-4000'. */
export type FindResource = (name: string) => ResourceSource | Promise<ResourceSource>;

// Written out one by one: bundlers follow addresses that are literals.
const SHIPPED: Readonly<Record<string, () => URL>> = {
  'glove-4000': () => new URL('./data/glove-4000.bin', import.meta.url),
};

function findShipped(name: string): URL {
  return (
    SHIPPED[name]?.() ?? fail('load', 'resource', `${show(name)} does not ship with the library`)
  );
}

export class Resources {
  readonly #find: FindResource;
  readonly #known = new Map<string, Promise<Uint8Array>>();

  constructor(find: FindResource = findShipped) {
    this.#find = find;
  }

  /** What these values need, by name. */
  async fetchFor(
    descriptor: Descriptor,
    values: PackedValues,
  ): Promise<ReadonlyMap<string, Uint8Array>> {
    const needs = descriptor.resources.filter(({ when }) => conditionHolds(when, values));
    const found = needs.map(async ({ name }) => [name, await this.#fetch(name)] as const);
    return new Map(await Promise.all(found));
  }

  #fetch(name: string): Promise<Uint8Array> {
    let bytes = this.#known.get(name);
    if (!bytes) {
      bytes = this.#read(name);
      // What failed is forgotten, so that the next run tries again.
      bytes.catch(() => this.#known.delete(name));
      this.#known.set(name, bytes);
    }
    return bytes;
  }

  async #read(name: string): Promise<Uint8Array> {
    const source = await this.#ask(name);
    if (typeof source === 'string' || source instanceof URL) return readBytes(source, 'resource');
    if (source instanceof Uint8Array) return source;
    if (source instanceof ArrayBuffer) return new Uint8Array(source);
    const expected = 'an address or bytes are expected';
    return fail('load', 'resource', `gave ${show(source)} for ${show(name)}; ${expected}`);
  }

  // The caller's own function: whatever it throws is said with its name.
  async #ask(name: string): Promise<unknown> {
    try {
      return await this.#find(name);
    } catch (cause) {
      if (cause instanceof AttnLabError) throw cause;
      const text = cause instanceof Error ? cause.message : show(cause);
      return fail('load', 'resource', `failed for ${show(name)}: ${text}`, { cause });
    }
  }
}
