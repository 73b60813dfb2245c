/** Seeds: 0 ... 2^53 - 1 as a number, or a decimal string up to 2^64 - 1. */

import { fail, show } from './errors.js';

/** A whole number from 0 to 2^53 - 1, or a decimal string up to 2^64 - 1. */
export type Seed = number | string;

const ALLOWED =
  'a whole number from 0 to 9007199254740991, or a decimal string up to 18446744073709551615';
const LARGEST = 18446744073709551615n;

/** The seed in decimal digits, which is how it crosses to the core. */
export function seedText(seed: unknown): string {
  if (typeof seed === 'number') {
    if (Number.isSafeInteger(seed) && seed >= 0) return String(seed);
    const code = Number.isNaN(seed)
      ? 'not-finite'
      : Number.isInteger(seed) || !Number.isFinite(seed)
        ? 'out-of-range'
        : 'not-integer';
    fail(code, 'seed', `is ${show(seed)}; ${ALLOWED} is expected`);
  }
  if (typeof seed !== 'string') fail('type', 'seed', `is ${show(seed)}; ${ALLOWED} is expected`);
  if (!/^\d+$/.test(seed)) fail('malformed', 'seed', `is ${show(seed)}; ${ALLOWED} is expected`);
  if (seed.length > 40 || BigInt(seed) > LARGEST) {
    fail('out-of-range', 'seed', `is ${show(seed)}; ${ALLOWED} is expected`);
  }
  return String(BigInt(seed));
}

/** A number where it is exact, else the string. */
export function seedValue(text: string): Seed {
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : text;
}
