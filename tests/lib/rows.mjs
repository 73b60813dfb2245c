// Matrices as rows of plain numbers, for computations written apart from the library's.
import assert from 'node:assert/strict';

export const dot = (x, y) => x.reduce((sum, value, i) => sum + value * y[i], 0);
// Numbers in (-1, 1) without pattern, the same at every run.
export const numbers = (count, start) => {
  let state = (Math.imul(Math.round(start * 1000), 2654435761) + 97) >>> 0;
  return Array.from({ length: count }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 31 - 1;
  });
};
export const matrix = (rows, columns, start) =>
  Array.from({ length: rows }, (_, i) => numbers(columns, start + 10 * i));
export const multiply = (left, right) =>
  left.map((row) =>
    right[0].map((_, j) => row.reduce((sum, value, k) => sum + value * right[k][j], 0)),
  );
export const transpose = (rows) => rows[0].map((_, j) => rows.map((row) => row[j]));

export function assertClose(actual, expected, tolerance, what) {
  assert.equal(actual.length, expected.length, what);
  expected.forEach((row, i) =>
    row.forEach((value, j) => {
      const error = Math.abs(actual[i][j] - value);
      assert.ok(
        error <= tolerance * (1 + Math.abs(value)),
        `${what} [${i}][${j}]: ${actual[i][j]}, not ${value}`,
      );
    }),
  );
}
