// ml-matrix: the least squares of MHLA by the normal equations.
import { CholeskyDecomposition, Matrix } from 'ml-matrix';
import { featureRows } from './features.mjs';

// → coefficients, dout × dimension, row by row, as lab.mhla.fit gives them.
export function matrixLibraryFit(problem) {
  const { samples, dimension, outputs, fill } = featureRows(problem);
  const features = Matrix.zeros(samples, dimension);
  const answers = Matrix.zeros(samples, outputs);
  for (let i = 0; i < samples; ++i) fill(i, features.data[i], answers.data[i]);
  const transposed = features.transpose();
  const factor = new CholeskyDecomposition(transposed.mmul(features));
  return Float64Array.from(factor.solve(transposed.mmul(answers)).transpose().to1DArray());
}
