/** What fits the module's memory: asked before anything is allocated or copied. */

import { fail } from './errors.js';

// More than the module's memory could ever hold; asked before anything is allocated.
const LARGEST_BYTES = 2 ** 31;
// What one answer may take (src/wasm/boundary.h).
const LARGEST_RESULT_BYTES = 2 ** 30;
// What all that a call holds at once may take, of the 4 GiB that the module's memory can grow to.
const LARGEST_WORK_BYTES = 3.5 * 2 ** 30;
// The module's sizes have 32 bits. Rows without an entry take no memory, but their number counts.
const LONGEST_SIDE = LARGEST_BYTES / 8;

function requireMemory(bytes: number, limit: number, parameter: string): void {
  if (bytes <= limit) return;
  const [needed, allowed] = [bytes, limit].map((size) => Math.ceil(size / 2 ** 20));
  fail(
    'too-large',
    parameter,
    `would need ${bytes} bytes (${needed} MiB); ${allowed} MiB are allowed`,
  );
}

/** Whether a matrix of so many entries can be handed in. */
export function requireBytes(entries: number, parameter: string): void {
  requireMemory(entries * 8, LARGEST_BYTES, parameter);
}

/** Before a call: whether its answer of so many entries can be held. */
export function requireResult(entries: number, parameter: string, bytesEach = 8): void {
  requireMemory(entries * bytesEach, LARGEST_RESULT_BYTES, parameter);
}

/** Refuses a call for which the module's memory would not do, before it copies anything. */
export function requireWork(bytes: number, parameter: string): void {
  requireMemory(bytes, LARGEST_WORK_BYTES, parameter);
}

/** Whether the module can count so many rows and columns. */
export function requireSides(rows: number, columns: number, parameter: string): void {
  for (const [count, side] of [
    [rows, 'rows'],
    [columns, 'columns'],
  ] as const) {
    if (count <= LONGEST_SIDE) continue;
    fail('out-of-range', parameter, `has ${count} ${side}; at most ${LONGEST_SIDE} are allowed`);
  }
}
