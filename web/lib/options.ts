/**
 * Reading what a caller hands in. Every field is read exactly once, so a getter cannot answer a
 * check and the computation differently; a getter that throws becomes an AttnLabError.
 */

import { AttnLabError, fail, show } from './errors.js';
import { nearestNameHint } from './names.js';

// Their entries are not their properties: nothing would be read from them.
const COLLECTIONS = [Map, Set, WeakMap, WeakSet, Promise, Date, RegExp, ArrayBuffer];

function isCollection(value: object): boolean {
  try {
    return (
      Array.isArray(value) ||
      ArrayBuffer.isView(value) ||
      COLLECTIONS.some((collection) => value instanceof collection)
    );
  } catch {
    // A proxy that will not tell: reading from it will say why.
    return false;
  }
}

export function requireObject(value: unknown, parameter: string): object {
  if (value === undefined) fail('missing', parameter, 'is missing; an object is expected');
  if (typeof value !== 'object' || value === null || isCollection(value)) {
    fail('type', parameter, `is ${show(value)}; an object is expected`);
  }
  return value;
}

/** Reads what the caller handed in: whatever that throws by itself becomes an AttnLabError. */
export function readSafely<Result>(parameter: string, read: () => Result): Result {
  try {
    return read();
  } catch (cause) {
    if (cause instanceof AttnLabError) throw cause;
    fail('type', parameter, `cannot be read: ${String((cause as Error)?.message)}`, { cause });
  }
}

export function readOnce(object: object, name: string, parameter = name): unknown {
  return readSafely(parameter, () => (object as Record<string, unknown>)[name]);
}

/** The entries of a list, holes as undefined. */
export function readList(value: unknown, parameter: string, expected = 'an array'): unknown[] {
  if (value === undefined) fail('missing', parameter, `is missing; ${expected} is expected`);
  return readSafely(parameter, () => {
    if (Array.isArray(value)) return Array.from(value as unknown[]);
    return fail('type', parameter, `is ${show(value)}; ${expected} is expected`);
  });
}

const LONGEST_NAME = 200;

/** The caller's options: known names only, each value read once. */
export class Options {
  readonly #values = new Map<string, unknown>();

  constructor(value: unknown, known: readonly string[], parameter = 'options') {
    if (value === undefined) return;
    const object = requireObject(value, parameter);
    for (const key of ownKeys(object, parameter)) {
      if (typeof key === 'symbol') fail('unknown-name', parameter, 'has a symbol as a name');
      if (!known.includes(key)) {
        fail('unknown-name', key, `is not an option here${nearestNameHint(key, known)}`);
      }
      this.#values.set(key, readOnce(object, key));
    }
  }

  get(name: string): unknown {
    return this.#values.get(name);
  }

  has(name: string): boolean {
    return this.#values.get(name) !== undefined;
  }

  number(name: string, whenMissing: number): number {
    const value = this.get(name);
    if (value === undefined) return whenMissing;
    if (typeof value !== 'number') fail('type', name, `is ${show(value)}; a number is expected`);
    return value;
  }

  /** A number that has no default. */
  required(name: string): number {
    if (!this.has(name)) fail('missing', name, 'is missing; a number is expected');
    return this.number(name, NaN);
  }

  finite(name: string, whenMissing: number): number {
    const value = this.number(name, whenMissing);
    if (!Number.isFinite(value)) {
      fail('not-finite', name, `is ${value}; a finite number is expected`);
    }
    return value;
  }

  count(name: string, whenMissing: number, minimum: number, maximum: number): number {
    return requireCount(this.number(name, whenMissing), name, minimum, maximum);
  }

  flag(name: string, whenMissing: boolean): boolean {
    const value = this.get(name);
    if (value === undefined) return whenMissing;
    if (typeof value !== 'boolean') {
      fail('type', name, `is ${show(value)}; true or false is expected`);
    }
    return value;
  }

  text(name: string, whenMissing?: string): string {
    const value = this.has(name) ? this.get(name) : whenMissing;
    if (value === undefined) fail('missing', name, 'is missing; a name is expected');
    if (typeof value !== 'string') fail('type', name, `is ${show(value)}; a name is expected`);
    // No name is that long, and the core's messages repeat what they were given.
    if (value.length > LONGEST_NAME) fail('unknown-name', name, `${show(value)} is not known`);
    return value;
  }

  /** Any text, such as the name of a file. */
  anyText(name: string): string | undefined {
    const value = this.get(name);
    if (value === undefined || typeof value === 'string') return value;
    return fail('type', name, `is ${show(value)}; a text is expected`);
  }

  callback(name: string): ((...args: unknown[]) => unknown) | undefined {
    const value = this.get(name);
    if (value === undefined) return undefined;
    if (typeof value !== 'function') {
      fail('type', name, `is ${show(value)}; a function is expected`);
    }
    return value as (...args: unknown[]) => unknown;
  }
}

export function requireCount(
  value: number,
  name: string,
  minimum: number,
  maximum: number,
): number {
  if (Number.isNaN(value)) fail('not-finite', name, 'is NaN; a whole number is expected');
  if (Number.isFinite(value) && !Number.isInteger(value)) {
    fail('not-integer', name, `is ${value}; a whole number is expected`);
  }
  if (value < minimum || value > maximum) {
    fail('out-of-range', name, `is ${value}; ${minimum} to ${maximum} is allowed`);
  }
  return value;
}

export function ownKeys(object: object, parameter: string): (string | symbol)[] {
  return readSafely(parameter, () =>
    Reflect.ownKeys(object).filter(
      (key) => Object.getOwnPropertyDescriptor(object, key)?.enumerable,
    ),
  );
}
