/** A matrix from JSON: nested arrays, a list (one column), or { data, shape }. */

import { AttnLabError, fail } from '../errors.js';
import { parseJson } from '../format/parse_json.js';
import { packMatrix, packVector, type Matrix } from '../matrix.js';

export function readJsonMatrix(text: string): Matrix {
  const matrix = toMatrix(parseJson(text));
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
  try {
    if (Array.isArray(value) && value.length > 0 && value.every((x) => typeof x === 'number')) {
      const data = packVector(value, 'json');
      return { data, shape: [data.length, 1] };
    }
    const { data, rows, columns } = packMatrix(value, 'json');
    return { data, shape: [rows, columns] };
  } catch (error) {
    if (!(error instanceof AttnLabError)) throw error;
    const place = /row (\d+)(?:, column (\d+))?/.exec(error.message);
    throw new AttnLabError(error, {
      ...(place ? { row: Number(place[1]) + 1 } : {}),
      ...(place?.[2] ? { column: Number(place[2]) + 1 } : {}),
      cause: error,
    });
  }
}
