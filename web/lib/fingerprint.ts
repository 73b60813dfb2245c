/** The fingerprint of src/experiments/run.cpp: equal when and only when all bits are equal. */

import { requireTables, type Tables } from './tables.js';

const PRIME = 0x100000001b3n;
const MASK = 0xffffffffffffffffn;

class Fnv1a {
  #hash = 0xcbf29ce484222325n;

  addBytes(bytes: Uint8Array): void {
    for (const byte of bytes) this.#hash = ((this.#hash ^ BigInt(byte)) * PRIME) & MASK;
  }

  addSize(size: number): void {
    const bytes = new Uint8Array(8);
    new DataView(bytes.buffer).setBigUint64(0, BigInt(size), true);
    this.addBytes(bytes);
  }

  addNumber(value: number): void {
    const bytes = new Uint8Array(8);
    const view = new DataView(bytes.buffer);
    // All NaNs count as one: their payload differs between engines.
    if (Number.isNaN(value)) view.setBigUint64(0, 0x7ff8000000000000n, true);
    else view.setFloat64(0, value, true);
    this.addBytes(bytes);
  }

  addText(text: string): void {
    const bytes = new TextEncoder().encode(text);
    this.addSize(bytes.length);
    this.addBytes(bytes);
  }

  get hex(): string {
    return this.#hash.toString(16).padStart(16, '0');
  }
}

/** 64-bit FNV-1a over names, sizes and the bits of every number, as 16 hexadecimal digits. */
export function fingerprint(result: { readonly tables: Tables }): string {
  const tables = requireTables(result);
  const hash = new Fnv1a();
  for (const [name, { columns }] of Object.entries(tables)) {
    hash.addText(name);
    for (const column of Object.values(columns)) {
      const numbers = column instanceof Float64Array ? column : [];
      const texts = column instanceof Float64Array ? [] : column;
      hash.addSize(numbers.length);
      for (const number of numbers) hash.addNumber(number);
      hash.addSize(texts.length);
      for (const text of texts) hash.addText(text);
    }
  }
  return hash.hex;
}
