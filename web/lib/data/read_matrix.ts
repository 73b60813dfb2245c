/**
 * The reader's own matrix from a file or pasted text. Needs no module: a page can preview before
 * anything is computed.
 */

import { fail } from '../errors.js';
import { Options } from '../options.js';
import { readCsvMatrix } from './csv_matrix.js';
import { readJsonMatrix } from './json_matrix.js';
import { isNpy, readNpy } from './npy.js';
import { decode, requireSource } from './source.js';

/** The formats that `readMatrix` tells apart. */
export type MatrixFormat = 'csv' | 'tsv' | 'json' | 'npy';

/** A matrix that was read; it may be handed to any call. */
export interface ReadMatrix {
  /** Of numbers, without a heading. */
  readonly rows: number;
  /** The same in every row. */
  readonly columns: number;
  /** Row-major; `{ data, shape: [rows, columns] }` is a matrix of the library. */
  readonly data: Float64Array;
  /** [rows, columns] */
  readonly shape: readonly [number, number];
  /** The names of the columns, where the file has them. */
  readonly header?: readonly string[];
  /** As which it was read. */
  readonly format: MatrixFormat;
  /** What was understood, for whoever looks at the preview. */
  readonly notes: readonly string[];
}

const FORMATS: Readonly<Record<string, MatrixFormat>> = {
  csv: 'csv',
  txt: 'csv',
  tsv: 'tsv',
  json: 'json',
  npy: 'npy',
};

/**
 * A matrix from a file or from pasted text; tells the format by the content and by the ending of
 * `name`. Throws an AttnLabError, 'malformed' with row and column where a number is expected.
 *
 * @example
 * ```js
 * import { readMatrix } from 'attnlab/data';
 *
 * const matrix = readMatrix('x,y\n1,2\n3,4\n', { name: 'tokens.csv' });
 * console.log(matrix.rows, matrix.header.join(), matrix.data.join()); // 2 x,y 1,2,3,4
 * ```
 */
export function readMatrix(
  source: string | Uint8Array | ArrayBuffer,
  options?: { readonly name?: string },
): ReadMatrix {
  const bytes = requireSource(source);
  const name = new Options(options, ['name']).anyText('name') ?? '';
  const ending = /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? '';
  const named = Object.hasOwn(FORMATS, ending) ? FORMATS[ending] : undefined;
  if (typeof bytes !== 'string' && (isNpy(bytes) || named === 'npy')) {
    const { data, shape } = readNpy(bytes);
    return finish(data, shape, 'npy', []);
  }
  const text = typeof bytes === 'string' ? bytes : decode(bytes);
  if (named === 'json' || (named === undefined && /^\s*[[{]/.test(text))) {
    const { data, shape } = readJsonMatrix(text);
    return finish(data, shape, 'json', []);
  }
  const { matrix, separator, header } = readCsvMatrix(text, named === 'tsv' ? '\t' : undefined);
  const notes = header ? ['The first row is taken as a heading.'] : [];
  if (separator === ';') notes.push('Semicolons separate the columns.');
  const format = separator === '\t' ? 'tsv' : 'csv';
  return { ...finish(matrix.data, matrix.shape, format, notes), ...(header ? { header } : {}) };
}

function finish(
  data: Float64Array,
  shape: readonly [number, number],
  format: MatrixFormat,
  notes: readonly string[],
): ReadMatrix {
  const [rows, columns] = shape;
  const bad = data.findIndex((value) => !Number.isFinite(value));
  if (bad >= 0) {
    const place = { row: Math.floor(bad / columns) + 1, column: (bad % columns) + 1 };
    const where = `row ${place.row}, column ${place.column}`;
    fail('not-finite', format, `${where} is ${data[bad]}; finite numbers are expected`, place);
  }
  if (rows === 0 || columns === 0)
    fail('shape', format, `is ${rows} x ${columns}: it holds nothing`);
  return { rows, columns, data, shape, format, notes };
}
