/** A matrix from CSV, TSV or text with semicolons. Errors name line and column. */

import { fail, show } from '../errors.js';
import { parseNumber } from '../format/numbers.js';
import { parseSeparated, type Separator, type SeparatedRow } from '../format/separated.js';
import type { Matrix } from '../matrix.js';

export interface CsvMatrix {
  readonly matrix: Matrix;
  readonly separator: Separator;
  /** The first row, when it is not numbers. */
  readonly header?: readonly string[];
}

/** Characters among which the first row is looked for. */
const LONGEST_LOOK = 1_000_000;

/** The separator that the first line that is neither empty nor a comment has most of. */
export function guessSeparator(text: string): Separator {
  // Blanks of one line alone: over line ends, each of many empty lines would be read once a line.
  const line = /^[^\S\r\n\u2028\u2029]*[^\s#].*$/m.exec(text.slice(0, LONGEST_LOOK))?.[0] ?? '';
  const count = (separator: string): number => line.split(separator).length;
  if (count('\t') > 1) return '\t';
  return count(';') > count(',') ? ';' : ',';
}

export function readCsvMatrix(text: string, separator = guessSeparator(text)): CsvMatrix {
  const rows = parseSeparated(text, separator, 'csv').filter(
    ({ cells }) => !cells[0]!.startsWith('#'),
  );
  const first = rows[0];
  if (!first) fail('malformed', 'csv', 'holds no row');
  const isHeader = first.cells.every((cell) => parseNumber(cell) === undefined);
  const body = isHeader ? rows.slice(1) : rows;
  if (body.length === 0) fail('malformed', 'csv', 'holds a heading and no row');
  const columns = first.cells.length;
  const data = new Float64Array(body.length * columns);
  body.forEach((row, i) => readRow(row, columns, data.subarray(i * columns, (i + 1) * columns)));
  return {
    matrix: { data, shape: [body.length, columns] },
    separator,
    ...(isHeader ? { header: first.cells } : {}),
  };
}

function readRow({ cells, line }: SeparatedRow, columns: number, target: Float64Array): void {
  if (cells.length !== columns) {
    fail('malformed', 'csv', `line ${line} has ${cells.length} cells, the first ${columns}`, {
      row: line,
    });
  }
  cells.forEach((cell, j) => {
    const place = { row: line, column: j + 1 };
    const where = `line ${line}, column ${j + 1}`;
    const value = parseNumber(cell);
    if (value === undefined) {
      const what = cell.trim() === '' ? 'is empty' : `is ${show(cell)}`;
      fail('malformed', 'csv', `${where} ${what}; a number is expected`, place);
    }
    if (!Number.isFinite(value)) {
      fail('not-finite', 'csv', `${where} is ${value}; finite numbers are expected`, place);
    }
    target[j] = value;
  });
}
