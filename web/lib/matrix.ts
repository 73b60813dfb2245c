/**
 * Matrices and vectors in and out. What comes in is checked and copied once, so nothing the
 * caller does later can reach a computation; what goes out belongs to the caller.
 */

import { fail, show } from './errors.js';
import { requireBytes, requireSides } from './memory.js';
import { readOnce, readSafely, requireObject, type Options } from './options.js';

/** Row-major. A prompt is n x d, a row a token. */
export interface Matrix<Data extends Float64Array | Float32Array = Float64Array> {
  /** rows x columns numbers, a copy that is the caller's own. */
  readonly data: Data;
  /** [rows, columns] */
  readonly shape: readonly [number, number];
}

/** Numbers in a list or a typed array; no BigInt. */
export type NumberArray =
  | readonly number[]
  | Float64Array
  | Float32Array
  | Int32Array
  | Int16Array
  | Int8Array
  | Uint32Array
  | Uint16Array
  | Uint8Array
  | Uint8ClampedArray;

/** `{ data, shape: [rows, columns] }` in row-major order, or nested arrays. */
export type MatrixInput =
  | { readonly data: NumberArray; readonly shape: readonly [number, number] | readonly number[] }
  | readonly NumberArray[];

/** A vector, as a call takes it. */
export type VectorInput = NumberArray;

/** As the bindings read it. */
export interface PackedMatrix<Data extends Float64Array | Float32Array = Float64Array> {
  readonly data: Data;
  readonly rows: number;
  readonly columns: number;
}

type NumberTypedArray = Exclude<NumberArray, readonly number[]>;

const EXPECTED = '{ data, shape: [rows, columns] } or nested arrays of numbers';

function isNumberTypedArray(value: unknown): value is NumberTypedArray {
  return (
    ArrayBuffer.isView(value) &&
    !(value instanceof DataView) &&
    !(value instanceof BigInt64Array) &&
    !(value instanceof BigUint64Array)
  );
}

/** Whether a matrix is given in single precision. What cannot be read is no matrix anyway. */
export function isSingle(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  try {
    if (Array.isArray(value)) return false;
    return (value as { data?: unknown }).data instanceof Float32Array;
  } catch {
    return false;
  }
}

// Copies the numbers of one array to `target` from `start`; `place` words the position.
function copyNumbers(
  source: NumberArray,
  target: Float64Array | Float32Array,
  start: number,
  parameter: string,
  place: (index: number) => string,
): void {
  if (isNumberTypedArray(source)) {
    target.set(source, start);
    return;
  }
  for (let i = 0, { length } = source; i < length; ++i) {
    const entry: unknown = source[i];
    if (typeof entry !== 'number') {
      const what = i in source ? `is ${show(entry)}` : 'is missing';
      fail('type', parameter, `${place(i)} ${what}; a number is expected`);
    }
    target[start + i] = entry;
  }
}

function isNumberArray(value: unknown): value is NumberArray {
  return Array.isArray(value) || isNumberTypedArray(value);
}

function requireSide(value: unknown, parameter: string, side: string): number {
  if (typeof value !== 'number') {
    fail('type', parameter, `has ${show(value)} as its number of ${side}; a count is expected`);
  }
  if (!Number.isInteger(value)) {
    const code = Number.isFinite(value) ? 'not-integer' : 'not-finite';
    fail(code, parameter, `has ${value} ${side}; a whole number is expected`);
  }
  if (value < 0) fail('out-of-range', parameter, `has ${value} ${side}; at least 0 is expected`);
  return value;
}

type ArrayKind<Data> = new (length: number) => Data;

export function allocate<Data>(kind: ArrayKind<Data>, length: number, parameter: string): Data {
  try {
    return new kind(length);
  } catch (cause) {
    fail('too-large', parameter, `has ${length} entries, for which no memory is left`, { cause });
  }
}

// Whether an array is of this kind and nothing else, so that what is read of it is what it holds. One
// without entries may have lost them to another thread: copying it tells.
function isPlain<Data extends Float64Array | Float32Array>(
  data: NumberArray,
  kind: ArrayKind<Data>,
): data is Data & NumberArray {
  return (
    data.length > 0 &&
    Object.getPrototypeOf(data) === kind.prototype &&
    !Object.hasOwn(data, 'length')
  );
}

function packFlat<Data extends Float64Array | Float32Array>(
  value: object,
  parameter: string,
  kind: ArrayKind<Data>,
  borrow: boolean,
): PackedMatrix<Data> {
  const data = readOnce(value, 'data', parameter);
  const shape = readOnce(value, 'shape', parameter);
  if (!isNumberArray(data)) fail('type', parameter, `is ${show(value)}; ${EXPECTED} is expected`);
  if (!Array.isArray(shape) || shape.length !== 2) {
    fail('shape', parameter, `has ${show(shape)} as its shape; [rows, columns] is expected`);
  }
  const rows = requireSide(shape[0], parameter, 'rows');
  const columns = requireSide(shape[1], parameter, 'columns');
  if (rows * columns !== data.length) {
    fail(
      'shape',
      parameter,
      `has ${data.length} entries, but its shape is ${rows} x ${columns}, which needs ${rows * columns}`,
    );
  }
  requireBytes(data.length, parameter);
  requireSides(rows, columns, parameter);
  if (borrow && isPlain(data, kind)) return { data, rows, columns };
  const packed = allocate(kind, data.length, parameter);
  copyNumbers(
    data,
    packed,
    0,
    parameter,
    (index) => `row ${Math.floor(index / columns)}, column ${index % columns}`,
  );
  return { data: packed, rows, columns };
}

function packRows<Data extends Float64Array | Float32Array>(
  value: readonly unknown[],
  parameter: string,
  kind: ArrayKind<Data>,
): PackedMatrix<Data> {
  const rows = value.length;
  let columns = 0;
  let packed = new kind(0);
  for (let i = 0; i < rows; ++i) {
    const row = value[i];
    if (!isNumberArray(row)) {
      const what = i in value ? `is ${show(row)}` : 'is missing';
      fail('type', parameter, `row ${i} ${what}; an array of numbers is expected`);
    }
    if (i === 0) {
      columns = row.length;
      requireBytes(rows * columns, parameter);
      packed = allocate(kind, rows * columns, parameter);
    }
    if (row.length !== columns) {
      fail('shape', parameter, `row ${i} has ${row.length} entries, row 0 has ${columns}`);
    }
    copyNumbers(row, packed, i * columns, parameter, (j) => `row ${i}, column ${j}`);
  }
  return { data: packed, rows, columns };
}

export function packMatrix(value: unknown, parameter: string): PackedMatrix {
  return pack(value, parameter, Float64Array, false);
}

/**
 * For a call that the module answers at once: it copies the numbers itself, so an array that lies
 * as it needs them is handed over as it is. In single precision or in double.
 */
export function borrowMatrix(value: unknown, parameter: string, single: false): PackedMatrix;
export function borrowMatrix(
  value: unknown,
  parameter: string,
  single: boolean,
): PackedMatrix<Float64Array | Float32Array>;
export function borrowMatrix(
  value: unknown,
  parameter: string,
  single: boolean,
): PackedMatrix<Float64Array | Float32Array> {
  return single
    ? pack(value, parameter, Float32Array, true)
    : pack(value, parameter, Float64Array, true);
}

function pack<Data extends Float64Array | Float32Array>(
  value: unknown,
  parameter: string,
  kind: ArrayKind<Data>,
  borrow: boolean,
): PackedMatrix<Data> {
  if (value === undefined) fail('missing', parameter, `is missing; ${EXPECTED} is expected`);
  return readSafely(parameter, () => {
    if (Array.isArray(value)) return packRows(value, parameter, kind);
    if (isNumberTypedArray(value) || typeof value !== 'object' || value === null) {
      fail('type', parameter, `is ${show(value)}; ${EXPECTED} is expected`);
    }
    return packFlat(requireObject(value, parameter), parameter, kind, borrow);
  });
}

export function packVector(value: unknown, parameter: string): Float64Array {
  if (value === undefined) fail('missing', parameter, 'is missing; a list of numbers is expected');
  return readSafely(parameter, () => {
    if (!isNumberArray(value)) {
      fail('type', parameter, `is ${show(value)}; a list of numbers is expected`);
    }
    requireBytes(value.length, parameter);
    const packed = allocate(Float64Array, value.length, parameter);
    copyNumbers(value, packed, 0, parameter, (index) => `entry ${index}`);
    return packed;
  });
}

/** The option `weights`, one a token; undefined where it is not given. */
export function packTokenWeights(options: Options, tokens: number): Float64Array | undefined {
  if (!options.has('weights')) return undefined;
  const weights = packVector(options.get('weights'), 'weights');
  // The module would take a list without an entry for none at all.
  if (weights.length === 0 && tokens > 0) {
    fail('shape', 'weights', `has no entry; one for each of ${tokens} is expected`);
  }
  return weights;
}

/** A copy of a matrix as the library gives it. Throws an AttnLabError where it is none. */
export function requireMatrix(value: unknown, parameter: string): Matrix {
  const object = requireObject(value, parameter);
  const { data, rows, columns } = packMatrix(object, parameter);
  return { data, shape: [rows, columns] };
}

/** Nested arrays, for printing and for JSON. */
export function toRows(matrix: Matrix<Float64Array | Float32Array>): number[][] {
  const { data, shape } = requireMatrix(matrix, 'matrix');
  const [rows, columns] = shape;
  return Array.from({ length: rows }, (_, i) =>
    Array.from(data.subarray(i * columns, (i + 1) * columns)),
  );
}
