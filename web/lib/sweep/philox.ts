/**
 * Philox 4×32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3, SC 2011),
 * the core's generator, for drawing a sweep's points. Counter based: any draw by its number alone.
 */

type Four = readonly [number, number, number, number];

function multiplyHigh(left: number, right: number): number {
  const low = (left & 0xffff) * (right & 0xffff);
  const middle = (left >>> 16) * (right & 0xffff) + Math.floor(low / 0x10000);
  const other = (left & 0xffff) * (right >>> 16) + (middle % 0x10000);
  const carried = Math.floor(middle / 0x10000) + Math.floor(other / 0x10000);
  return ((left >>> 16) * (right >>> 16) + carried) >>> 0;
}

/** Four words of 32 bits from a counter of four and a key of two. */
export function philox(counter: Four, key: readonly [number, number]): Four {
  let [a, b, c, d] = counter;
  let [k, l] = key;
  for (let round = 0; round < 10; ++round) {
    [a, b, c, d] = [
      (multiplyHigh(0xcd9e8d57, c) ^ b ^ k) >>> 0,
      Math.imul(0xcd9e8d57, c) >>> 0,
      (multiplyHigh(0xd2511f53, a) ^ d ^ l) >>> 0,
      Math.imul(0xd2511f53, a) >>> 0,
    ];
    k = (k + 0x9e3779b9) >>> 0;
    l = (l + 0xbb67ae85) >>> 0;
  }
  return [a, b, c, d];
}

/** Uniform on [0, 1), 53 bits. */
export function uniform(seed: number, index: number, dimension: number): number {
  const key = [seed >>> 0, Math.floor(seed / 2 ** 32)] as const;
  const [high, low] = philox([index >>> 0, Math.floor(index / 2 ** 32), dimension, 0], key);
  return ((high >>> 5) * 2 ** 26 + (low >>> 6)) / 2 ** 53;
}
