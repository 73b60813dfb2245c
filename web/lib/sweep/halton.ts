/**
 * Halton's sequence (Numerische Mathematik 2, 1960): coordinate j of point i is i's digits in the
 * j-th prime base, mirrored at the point. Beyond some ten coordinates its large bases fill space
 * badly, so there are no more.
 */

const PRIMES = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29];

export const MOST_COORDINATES = PRIMES.length;

/** The radical inverse of `index` in the base of the coordinate; `index` from 1. */
export function halton(index: number, coordinate: number): number {
  const base = PRIMES[coordinate]!;
  let mirrored = 0;
  let scale = 1;
  for (let left = index; left > 0; left = Math.floor(left / base)) {
    mirrored = mirrored * base + (left % base);
    scale *= base;
  }
  return mirrored / scale;
}
