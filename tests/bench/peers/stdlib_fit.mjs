// @stdlib's matrix product under the normal equations of MHLA; it has no solver of its own, so the
// small system is ml-matrix's.
import dgemm from '@stdlib/blas-base-dgemm';
import { CholeskyDecomposition, Matrix } from 'ml-matrix';
import { featureRows } from './features.mjs';

// → coefficients, dout × dimension, row by row, as lab.mhla.fit gives them.
export function stdlibFit(problem) {
  const { samples, dimension, outputs, fill } = featureRows(problem);
  const features = new Float64Array(samples * dimension);
  const answers = new Float64Array(samples * outputs);
  for (let i = 0; i < samples; ++i) {
    fill(
      i,
      features.subarray(i * dimension, (i + 1) * dimension),
      answers.subarray(i * outputs, (i + 1) * outputs),
    );
  }
  const timesFeatures = (other, columns) => {
    const product = new Float64Array(dimension * columns);
    dgemm(
      ...['row-major', 'transpose', 'no-transpose', dimension, columns, samples, 1],
      ...[features, dimension, other, columns, 0, product, columns],
    );
    return Matrix.from1DArray(dimension, columns, product);
  };
  const factor = new CholeskyDecomposition(timesFeatures(features, dimension));
  const solution = factor.solve(timesFeatures(answers, outputs));
  return Float64Array.from(solution.transpose().to1DArray());
}
