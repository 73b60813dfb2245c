/**
 * numpy's .npy files: versions 1 to 3, little and big endian, f4 f8 i1 i2 i4 i8 u1 u2 u4 u8 and
 * bool, C and Fortran order.
 */

import { fail, show } from '../errors.js';
import { requireMatrix, type Matrix } from '../matrix.js';
import { readSafely } from '../options.js';

const MAGIC = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59];

type Read = (view: DataView, at: number, little: boolean) => number;

const KINDS: Readonly<Record<string, readonly [bytes: number, read: Read]>> = {
  b1: [1, (view, at) => (view.getUint8(at) === 0 ? 0 : 1)],
  i1: [1, (view, at) => view.getInt8(at)],
  u1: [1, (view, at) => view.getUint8(at)],
  i2: [2, (view, at, little) => view.getInt16(at, little)],
  u2: [2, (view, at, little) => view.getUint16(at, little)],
  i4: [4, (view, at, little) => view.getInt32(at, little)],
  u4: [4, (view, at, little) => view.getUint32(at, little)],
  i8: [8, (view, at, little) => exact(view.getBigInt64(at, little))],
  u8: [8, (view, at, little) => exact(view.getBigUint64(at, little))],
  f4: [4, (view, at, little) => view.getFloat32(at, little)],
  f8: [8, (view, at, little) => view.getFloat64(at, little)],
};

function exact(value: bigint): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) {
    fail('out-of-range', 'npy', `holds ${value}, which no double holds exactly`);
  }
  return number;
}

interface Header {
  readonly kind: string;
  readonly little: boolean;
  readonly fortran: boolean;
  readonly shape: readonly number[];
  readonly dataAt: number;
}

const EXPECTED = 'a header such as {"descr": "<f8", "fortran_order": False, "shape": (3, 4)}';

function readHeader(bytes: Uint8Array): Header {
  if (!readSafely('npy', () => bytes instanceof Uint8Array)) {
    fail('type', 'npy', `is ${show(bytes)}; the bytes of a file are expected`);
  }
  if (!isNpy(bytes)) fail('malformed', 'npy', 'does not begin with the mark of a .npy file');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const version = bytes[6] ?? 0;
  if (version < 1 || version > 3) {
    fail('malformed', 'npy', `is of version ${version}; 1 to 3 are known`);
  }
  const lengthBytes = version === 1 ? 2 : 4;
  const textAt = 8 + lengthBytes;
  if (bytes.length < textAt) fail('malformed', 'npy', 'ends in the middle of its header');
  const length = version === 1 ? view.getUint16(8, true) : view.getUint32(8, true);
  const dataAt = textAt + length;
  if (bytes.length < dataAt) fail('malformed', 'npy', 'ends in the middle of its header');
  const text = new TextDecoder('latin1').decode(bytes.subarray(textAt, dataAt));
  return { ...parseHeader(text), dataAt };
}

function parseHeader(text: string): Omit<Header, 'dataAt'> {
  const descr = /['"]descr['"]\s*:\s*['"]([^'"]*)['"]/.exec(text)?.[1];
  const order = /['"]fortran_order['"]\s*:\s*(True|False)/.exec(text)?.[1];
  const shape = /['"]shape['"]\s*:\s*\(([^)]*)\)/.exec(text)?.[1];
  if (descr === undefined || order === undefined || shape === undefined) {
    fail('malformed', 'npy', `has a header that cannot be read; ${EXPECTED} is expected`);
  }
  const type = /^([<>|=])([a-z]\d+)$/.exec(descr);
  if (!type || !Object.hasOwn(KINDS, type[2]!)) {
    const known = Object.keys(KINDS).join(', ');
    fail('malformed', 'npy', `has entries of type ${show(descr)}; known are ${known}`);
  }
  const sides = shape
    .split(',')
    .map((side) => side.trim())
    .filter((side) => side !== '');
  if (!sides.every((side) => /^\d{1,15}$/.test(side))) {
    fail('malformed', 'npy', `has the shape (${shape}); whole numbers are expected`);
  }
  const dimensions = sides.map(Number);
  if (dimensions.length > 3) {
    fail('shape', 'npy', `has ${dimensions.length} dimensions; at most three are read`);
  }
  return {
    kind: type[2]!,
    little: type[1] !== '>',
    fortran: order === 'True',
    shape: dimensions,
  };
}

export function isNpy(bytes: Uint8Array): boolean {
  return MAGIC.every((byte, i) => bytes[i] === byte);
}

/** Row-major entries and the sides: none for a single number, at most three. */
export interface NpyArray {
  /** Row-major, whatever the order in the file. */
  readonly data: Float64Array;
  /** The sides. */
  readonly shape: readonly number[];
}

/** A .npy file as it is. Throws an AttnLabError, 'malformed' where it is none. */
export function readNpyArray(bytes: Uint8Array): NpyArray {
  const { kind, little, fortran, shape, dataAt } = readHeader(bytes);
  const [size, read] = KINDS[kind]!;
  const count = shape.reduce((product, side) => product * side, 1);
  const there = bytes.length - dataAt;
  // Before anything is allocated: the header may say what it likes.
  if (there !== count * size) {
    const sides = shape.join(' x ');
    fail('malformed', 'npy', `has ${there} bytes of data; ${sides} needs ${count * size}`);
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset + dataAt, there);
  const data = new Float64Array(count);
  // A side may be as long as it likes where another is 0.
  if (count === 0) return { data, shape };
  const [slabs = 1, rows = 1, columns = 1] = [1, 1, 1, ...shape].slice(-3);
  for (let k = 0, target = 0; k < slabs; ++k) {
    for (let i = 0; i < rows; ++i) {
      for (let j = 0; j < columns; ++j, ++target) {
        const place = fortran ? (j * rows + i) * slabs + k : target;
        data[target] = read(view, place * size, little);
      }
    }
  }
  return { data, shape };
}

/** A matrix; a vector is one column. */
export function readNpy(bytes: Uint8Array): Matrix {
  const { data, shape } = readNpyArray(bytes);
  if (shape.length > 2) fail('shape', 'npy', `has ${shape.length} dimensions; a matrix has two`);
  return { data, shape: [shape[0] ?? 1, shape[1] ?? 1] };
}

/** The matrix as a .npy file: little-endian f8, C order, version 1. */
export function writeNpy(matrix: Matrix): Uint8Array {
  const { data, shape } = requireMatrix(matrix, 'matrix');
  const text = `{'descr': '<f8', 'fortran_order': False, 'shape': (${shape[0]}, ${shape[1]}), }`;
  // Magic, version and length take 10 bytes; the data begin at a multiple of 64.
  const length = Math.ceil((10 + text.length + 1) / 64) * 64 - 10;
  const bytes = new Uint8Array(10 + length + data.length * 8);
  bytes.set([...MAGIC, 1, 0, length & 0xff, length >> 8]);
  bytes.set(new TextEncoder().encode(`${text.padEnd(length - 1)}\n`), 10);
  const view = new DataView(bytes.buffer, 10 + length);
  data.forEach((value, i) => view.setFloat64(i * 8, value, true));
  return bytes;
}
