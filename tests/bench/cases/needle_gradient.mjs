// A gradient of single-location regression: sum over prompts of (f(X) - y)^2 / 2 for the softmax
// predictor f(X) = softmax(X k / sqrt D) . (X v / sqrt D). AttnLab in double, the peers in float.
import { loadKernels, openWork, workContender } from '../kernels.mjs';
import * as jax from '../peers/jax.mjs';
import { nativeContenders } from '../peers/native.mjs';
import * as tfjs from '../peers/tfjs.mjs';

const length = 16;

async function contest({ variant, peers, openProgram }, prompts, dimension) {
  const kernels = await loadKernels(variant);
  const work = openWork(kernels, 'needle-gradient', prompts, dimension);
  const [tokens, labels, key, value] = [0, 1, 2, 3].map((i) => Float32Array.from(work.input(i)));
  work.release();
  const input = { prompts, length, dimension, tokens, labels, key, value };
  return {
    name: `${prompts} prompts, D = ${dimension}, L = ${length}`,
    contenders: [
      workContender('AttnLab', kernels, 'needle-gradient', prompts, dimension),
      ...(peers ? [jax.needleGradient(input), tfjs.needleGradient(input)] : []),
      ...(peers ? nativeContenders(openProgram, `needle-gradient ${prompts} ${dimension}`) : []),
    ],
    tolerance: { absolute: 1e-3, relative: 1e-3 },
    targets: { 'jax-js (wasm)': { atLeast: 4 }, 'tfjs (wasm)': { atLeast: 8 } },
  };
}

export async function* contests(context) {
  // A cacheful and far more than that.
  for (const prompts of [4, 64]) yield contest(context, prompts, 1000);
}
