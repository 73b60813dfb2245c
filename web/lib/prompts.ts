/** Prompts of one dimension and any lengths, as the bindings read them. */

import { AttnLabError, fail, show } from './errors.js';
import {
  allocate,
  packMatrix,
  packVector,
  type MatrixInput,
  type NumberArray,
  type PackedMatrix,
} from './matrix.js';
import { requireBytes, requireSides } from './memory.js';
import { readOnce, readSafely, requireCount } from './options.js';

/**
 * A list of matrices n x d, a row a token; or N prompts of one length in one array of shape
 * [N, n, d], row-major.
 */
export type PromptsInput =
  | readonly MatrixInput[]
  | { readonly data: NumberArray; readonly shape: readonly [number, number, number] };

export interface PackedPrompts {
  /** All rows, one prompt after the other. */
  readonly tokens: PackedMatrix;
  readonly lengths: Float64Array;
}

const EXPECTED = 'a list of n x d matrices, or { data, shape: [prompts, tokens, d] }';

export function packPrompts(value: unknown, parameter: string): PackedPrompts {
  if (value === undefined) fail('missing', parameter, `is missing; ${EXPECTED} is expected`);
  return readSafely(parameter, () => {
    if (Array.isArray(value)) return packList(value, parameter);
    if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) {
      fail('type', parameter, `is ${show(value)}; ${EXPECTED} is expected`);
    }
    return packBlock(value, parameter);
  });
}

/** Rows of all prompts, one prompt after the other. */
export function stack(parts: readonly PackedMatrix[], parameter: string): PackedMatrix {
  const columns = parts[0]?.columns ?? 0;
  const rows = parts.reduce((sum, part) => sum + part.rows, 0);
  requireSides(rows, columns, parameter);
  requireBytes(rows * columns, parameter);
  const data = allocate(Float64Array, rows * columns, parameter);
  let start = 0;
  parts.forEach((part, i) => {
    if (part.columns !== columns) {
      fail('shape', parameter, `prompt ${i} has ${part.columns} columns, prompt 0 has ${columns}`);
    }
    data.set(part.data, start);
    start += part.data.length;
  });
  return { data, rows, columns };
}

function packList(list: readonly unknown[], parameter: string): PackedPrompts {
  const parts = Array.from(list, (entry, i) => {
    if (entry === undefined) fail('missing', parameter, `number ${i} is missing`);
    return inPrompt(i, parameter, () => packMatrix(entry, parameter));
  });
  const lengths = Float64Array.from(parts, (part) => part.rows);
  return { tokens: stack(parts, parameter), lengths };
}

/** Errors of one prompt say which one it is. */
function inPrompt<Result>(index: number, parameter: string, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof AttnLabError)) throw error;
    const { code, message } = error;
    const text = message.slice(`${parameter}: `.length);
    fail(code, parameter, `prompt ${index}: ${text}`, { cause: error });
  }
}

function packBlock(object: object, parameter: string): PackedPrompts {
  const shape = readOnce(object, 'shape', parameter);
  if (!Array.isArray(shape) || shape.length !== 3 || !shape.every((n) => typeof n === 'number')) {
    fail('shape', parameter, `has ${show(shape)} as its shape; ${EXPECTED} is expected`);
  }
  const [count, tokens, columns] = shape.map((side) =>
    requireCount(side as number, parameter, 0, Number.MAX_SAFE_INTEGER),
  ) as [number, number, number];
  // Before anything is allocated for prompts that hold nothing.
  if (count === 0 || tokens === 0 || columns === 0) {
    fail('shape', parameter, `has the shape ${count} x ${tokens} x ${columns}; no side may be 0`);
  }
  const data = packVector(readOnce(object, 'data', parameter), parameter);
  if (count * tokens * columns !== data.length) {
    const sides = `${count} x ${tokens} x ${columns}`;
    fail('shape', parameter, `has ${data.length} entries, but its shape is ${sides}`);
  }
  return {
    tokens: { data, rows: count * tokens, columns },
    lengths: new Float64Array(count).fill(tokens),
  };
}
