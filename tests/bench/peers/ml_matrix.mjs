// ml-matrix: the least squares of MHLA by the normal equations.
import { CholeskyDecomposition, Matrix } from 'ml-matrix';

// Row i of the features: the entries G_jk, j < k, then G_jj, each times the last token.
function writeFeatures(prompt, length, d, out) {
  const last = prompt.subarray((length - 1) * d, length * d);
  let place = 0;
  const put = (j, k) => {
    let sum = 0;
    for (let t = 0; t < length; ++t) sum += prompt[t * d + j] * prompt[t * d + k];
    for (let l = 0; l < d; ++l) out[place++] = sum * last[l];
  };
  for (let j = 0; j < d; ++j) for (let k = j + 1; k < d; ++k) put(j, k);
  for (let j = 0; j < d; ++j) put(j, j);
}

// → coefficients, dout × dimension, row by row, as lab.mhla.fit gives them.
export function matrixLibraryFit({ prompts, targets }) {
  const [samples, length, d] = prompts.shape;
  const outputs = targets.shape[1];
  const features = Matrix.zeros(samples, (d * d * (d + 1)) / 2);
  const answers = Matrix.zeros(samples, outputs);
  for (let i = 0; i < samples; ++i) {
    const prompt = prompts.data.subarray(i * length * d, (i + 1) * length * d);
    writeFeatures(prompt, length, d, features.data[i]);
    answers.data[i].set(targets.data.subarray(i * outputs, (i + 1) * outputs));
  }
  const transposed = features.transpose();
  const factor = new CholeskyDecomposition(transposed.mmul(features));
  return Float64Array.from(factor.solve(transposed.mmul(answers)).transpose().to1DArray());
}
