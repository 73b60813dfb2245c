// numeric: the least squares of MHLA by the normal equations; it has no Cholesky, so by LU.
import numeric from 'numeric';
import { featureRows } from './features.mjs';

// → coefficients, dout × dimension, row by row, as lab.mhla.fit gives them.
export function numericFit(problem) {
  const { samples, dimension, outputs, fill } = featureRows(problem);
  const features = Array.from({ length: samples }, () => new Array(dimension).fill(0));
  const answers = Array.from({ length: samples }, () => new Array(outputs).fill(0));
  for (let i = 0; i < samples; ++i) fill(i, features[i], answers[i]);
  const transposed = numeric.transpose(features);
  const factor = numeric.LU(numeric.dot(transposed, features), true);
  const right = numeric.transpose(numeric.dot(transposed, answers));
  return Float64Array.from(right.flatMap((column) => numeric.LUsolve(factor, column)));
}
