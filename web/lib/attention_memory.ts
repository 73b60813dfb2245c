/** The memory that a call of attention needs, computed before anything is copied. */

import type { PackedMatrix } from './matrix.js';
import { requireWork } from './memory.js';

type Packed = PackedMatrix<Float64Array | Float32Array>;
export type Matrices = Record<'queries' | 'keys' | 'values', readonly Packed[]>;

/** What a call makes beside its inputs. */
interface Extra {
  /** Copies of a query's numbers, and of a key's or value's: inputs, layouts, gradients. */
  readonly copies: { readonly query: number; readonly token: number };
  /** Entries of results that are no gradients. */
  readonly entries: number;
}

// Each matrix is copied in, and keys and values are laid out anew.
export const FORWARD = { query: 1, token: 2 };
export const GRADIENT = { query: 2, token: 5 };

/** Names the largest of the three in its error. */
export function requireMemoryFor(matrices: Matrices, { copies, entries }: Extra): void {
  const sizeOf = (parts: readonly Packed[]): number =>
    parts.reduce((sum, { data }) => sum + data.length, 0);
  const sizes = {
    queries: sizeOf(matrices.queries),
    keys: sizeOf(matrices.keys),
    values: sizeOf(matrices.values),
  };
  const names = Object.keys(sizes) as (keyof Matrices)[];
  const largest = names.reduce((one, other) => (sizes[other] > sizes[one] ? other : one));
  const bytesEach = matrices.queries[0]?.data.BYTES_PER_ELEMENT ?? 8;
  const all = copies.query * sizes.queries + copies.token * (sizes.keys + sizes.values) + entries;
  requireWork(all * bytesEach, largest);
}
