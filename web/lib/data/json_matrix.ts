/** A matrix from JSON: nested arrays, a list (one column), or { data, shape }. */

import { fail } from '../errors.js';
import { parseJson } from '../format/parse_json.js';
import { packMatrix, packVector, type Matrix } from '../matrix.js';
import { inFile } from './in_file.js';

export function readJsonMatrix(text: string): Matrix {
  const value = parseJson(text);
  const matrix = inFile(() => toMatrix(value));
  matrix.data.forEach((entry, index) => {
    if (Number.isFinite(entry)) return;
    const columns = matrix.shape[1];
    const row = Math.floor(index / columns) + 1;
    const column = (index % columns) + 1;
    const where = `row ${row}, column ${column}`;
    fail('not-finite', 'json', `${where} is ${entry}; finite numbers are expected`, {
      row,
      column,
    });
  });
  return matrix;
}

function toMatrix(value: unknown): Matrix {
  if (Array.isArray(value) && value.length > 0 && value.every((x) => typeof x === 'number')) {
    const data = packVector(value, 'json');
    return { data, shape: [data.length, 1] };
  }
  const { data, rows, columns } = packMatrix(value, 'json');
  return { data, shape: [rows, columns] };
}
