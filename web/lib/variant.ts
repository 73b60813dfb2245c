/** Which of the two builds an engine accepts. */

import { fail } from './errors.js';

/**
 * 'relaxed' has fused multiply-add in its float kernels; 'simd' runs in every current engine. In
 * doubles, so in every run, fit and theory, both give the same bits.
 */
export type Variant = 'relaxed' | 'simd';
export const variants: readonly Variant[] = ['relaxed', 'simd'];

// A module with one function of no arguments whose body is `instructions`, leaving one v128.
function probe(instructions: readonly number[]): boolean {
  const body = [0x00, ...instructions, 0x0b];
  const code = [0x01, body.length, ...body];
  const bytes = [
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...[0x01, 0x05, 0x01, 0x60, 0x00, 0x01, 0x7b], // type 0: () -> v128
    ...[0x03, 0x02, 0x01, 0x00], // function 0 is of type 0
    ...[0x0a, code.length, ...code],
  ];
  return WebAssembly.validate(new Uint8Array(bytes));
}

const SPLAT = [0x41, 0x00, 0xfd, 0x11]; // i32.const 0, i32x4.splat
const RELAXED_MADD = [0xfd, 0x85, 0x02]; // f32x4.relaxed_madd

export function accepts(variant: Variant): boolean {
  return probe(variant === 'simd' ? SPLAT : [...SPLAT, ...SPLAT, ...SPLAT, ...RELAXED_MADD]);
}

/** The fastest build that this engine runs; throws 'unsupported' where there is none. */
export function chooseVariant(): Variant {
  if (typeof WebAssembly !== 'object') {
    fail('unsupported', 'WebAssembly', 'is not available in this browser or is switched off');
  }
  const found = variants.find(accepts);
  return (
    found ??
    fail(
      'unsupported',
      'WebAssembly',
      'has no 128-bit SIMD here; a browser of 2023 or later, or Node 20.16 or later, is needed',
    )
  );
}
