/**
 * Prompts from a file: a .npy array of prompts x tokens x d; JSON, nested three deep or
 * { data, shape }; or a table whose rows are tokens, with a column `prompt` that says to which
 * prompt each belongs, or of a given number of rows each.
 */

import { AttnLabError, fail } from '../errors.js';
import { parseJson } from '../format/parse_json.js';
import type { Matrix } from '../matrix.js';
import { Options } from '../options.js';
import { packPrompts, type PackedPrompts } from '../prompts.js';
import { inFile } from './in_file.js';
import { isNpy, readNpyArray } from './npy.js';
import { decode, requireSource } from './source.js';
import { readMatrix, type ReadMatrix } from './read_matrix.js';

/** How `readPrompts` reads. */
export interface ReadPromptsOptions {
  /** Of the file: its ending tells the format. */
  readonly name?: string;
  /** Rows a prompt, for tables without a column `prompt`. */
  readonly length?: number;
}

/** One matrix a prompt, a row a token. Throws AttnLabError. */
export function readPrompts(
  source: string | Uint8Array | ArrayBuffer,
  options?: ReadPromptsOptions,
): readonly Matrix[] {
  const bytes = requireSource(source);
  const read = new Options(options, ['name', 'length']);
  const name = read.anyText('name');
  const length = read.has('length') ? read.number('length', NaN) : undefined;
  const isArray = typeof bytes !== 'string' && isNpy(bytes);
  if (isArray) {
    const { data, shape } = readNpyArray(bytes);
    if (shape.length === 3) return cut(packPrompts({ data, shape }, 'prompts'), 'npy');
  }
  if (!isArray) {
    const json = readNested(typeof bytes === 'string' ? bytes : decode(bytes));
    if (json !== undefined) {
      return cut(
        inFile(() => packPrompts(json, 'prompts')),
        'json',
      );
    }
  }
  return fromTable(readMatrix(bytes, name === undefined ? {} : { name }), length);
}

// The value of a JSON text that holds prompts; undefined where it is a plain table.
function readNested(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  const value = parseJson(text);
  const shape: unknown = (value as { shape?: unknown }).shape;
  if (Array.isArray(shape)) return shape.length === 3 ? value : undefined;
  const first: unknown = Array.isArray(value) ? value[0] : undefined;
  const isTable = Array.isArray(first) && first.every((entry) => typeof entry === 'number');
  return isTable ? undefined : value;
}

// Into one matrix a prompt. Throws where there is no prompt, or a number is not finite.
function cut({ tokens, lengths }: PackedPrompts, format: string): Matrix[] {
  if (lengths.length === 0) fail('shape', 'prompts', 'holds no prompt');
  const prompts: Matrix[] = [];
  let row = 0;
  const { data, columns } = tokens;
  if (columns === 0) fail('shape', 'prompts', 'holds tokens without an entry');
  const bad = data.findIndex((value) => !Number.isFinite(value));
  lengths.forEach((length, prompt) => {
    if (bad >= 0 && bad < (row + length) * columns) {
      const place = { row: Math.floor(bad / columns) - row + 1, column: (bad % columns) + 1 };
      const where = `prompt ${prompt + 1}, row ${place.row}, column ${place.column}`;
      fail('not-finite', format, `${where} is ${data[bad]}; finite numbers are expected`, place);
    }
    prompts.push({
      data: data.slice(row * columns, (row + length) * columns),
      shape: [length, columns],
    });
    row += length;
  });
  return prompts;
}

function fromTable(table: ReadMatrix, length: number | undefined): Matrix[] {
  const place = table.header?.findIndex((name) => name.trim().toLowerCase() === 'prompt') ?? -1;
  if (place >= 0) return byColumn(table, place);
  const { rows, columns, data } = table;
  const each = length ?? rows;
  if (!Number.isInteger(each) || each < 1 || rows % each !== 0) {
    fail('shape', 'length', `is ${each}, which does not divide ${rows} rows into whole prompts`);
  }
  const lengths = new Float64Array(rows / each).fill(each);
  return cut({ tokens: { data, rows, columns }, lengths }, table.format);
}

function byColumn({ rows, columns, data, format }: ReadMatrix, place: number): Matrix[] {
  const tokens = new Float64Array(rows * (columns - 1));
  const lengths: number[] = [];
  const seen = new Set<number>();
  let current: number | undefined;
  for (let i = 0; i < rows; ++i) {
    const row = Array.from(data.subarray(i * columns, (i + 1) * columns));
    const [prompt] = row.splice(place, 1) as [number];
    tokens.set(row, i * (columns - 1));
    if (prompt !== current) {
      if (seen.has(prompt)) {
        throw new AttnLabError(
          {
            code: 'malformed',
            parameter: 'prompts',
            message: `prompts: prompt ${prompt} goes on in row ${i + 1} after another one`,
          },
          { row: i + 1 },
        );
      }
      seen.add(prompt);
      current = prompt;
      lengths.push(0);
    }
    lengths[lengths.length - 1]! += 1;
  }
  const packed = { data: tokens, rows, columns: columns - 1 };
  return cut({ tokens: packed, lengths: Float64Array.from(lengths) }, format);
}
