// Softmax attention as its formula says it, in double, for a few rows: what every fast one is
// held against before it is timed.
import { disagreement } from '../agreement.mjs';

function plainRow({ queries, keys, values, scale }, row) {
  const [n, d] = keys.shape;
  const p = values.shape[1];
  const scores = Float64Array.from({ length: n }, (_, j) => {
    let sum = 0;
    for (let k = 0; k < d; ++k) sum += queries.data[row * d + k] * keys.data[j * d + k];
    return scale * sum;
  });
  const top = scores.reduce((a, b) => Math.max(a, b), -Infinity);
  const output = new Float64Array(p);
  let total = 0;
  for (let j = 0; j < n; ++j) {
    const weight = Math.exp(scores[j] - top);
    total += weight;
    for (let c = 0; c < p; ++c) output[c] += weight * values.data[j * p + c];
  }
  return output.map((sum) => sum / total);
}

// Throws where an output is not that of the formula.
export function requireAttention(output, input, tolerance, rows = 16) {
  const [m] = input.queries.shape;
  const p = input.values.shape[1];
  for (let i = 0; i < rows; ++i) {
    const row = Math.floor(((i + 0.5) * m) / rows);
    const found = output.subarray(row * p, (row + 1) * p);
    const worst = disagreement(found, plainRow(input, row), tolerance);
    if (!(worst <= 1))
      throw new Error(`row ${row} differs from the formula by ${worst} tolerances`);
  }
}
