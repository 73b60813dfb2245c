// MHLA features as the peers form them, in the order of the library's coefficients.

// Row i: the entries G_jk, j < k, then G_jj, each times the last token. out: d·d(d + 1)/2 numbers.
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

// { prompts, targets } → { samples, dimension, outputs, fill(i, features, answers) }
export function featureRows({ prompts, targets }) {
  const [samples, length, d] = prompts.shape;
  const outputs = targets.shape[1];
  const fill = (i, features, answers) => {
    const prompt = prompts.data.subarray(i * length * d, (i + 1) * length * d);
    writeFeatures(prompt, length, d, features);
    for (let a = 0; a < outputs; ++a) answers[a] = targets.data[i * outputs + a];
  };
  return { samples, dimension: (d * d * (d + 1)) / 2, outputs, fill };
}
