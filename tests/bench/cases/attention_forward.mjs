// Softmax attention, forward.
import { matrix } from '../inputs.mjs';
import * as jax from '../peers/jax.mjs';
import * as onnxruntime from '../peers/onnxruntime.mjs';
import * as tfjs from '../peers/tfjs.mjs';
import { requireAttention } from './plain_attention.mjs';

const tolerances = {
  f32: { absolute: 2e-6, relative: 2e-4 },
  f64: { absolute: 1e-14, relative: 1e-12 },
};

function makeInput(n, d, Type) {
  const [queries, keys, values] = [1, 2, 3].map((seed) => matrix(n, d, seed, Type));
  return { queries, keys, values, scale: 1 / Math.sqrt(d) };
}

export function attnlab(name, lab, input, tolerance) {
  const run = () => lab.attention.forward(input).output.data;
  return {
    name,
    prepare: () => {
      requireAttention(run(), input, tolerance);
      return { run };
    },
  };
}

// n^2 (d + p) multiply-adds at the peak, and n^2 exponentials.
const budget = (limit, type, n, d) => ({
  name: 'limit',
  prepare: () => ({
    time: () => limit.multiplyAdds(type, 2 * n * n * d) + limit.exponentials(type, n * n),
  }),
});

function contest({ lab, simd, limit, peers }, type, n, d) {
  const tolerance = tolerances[type];
  const input = makeInput(n, d, type === 'f32' ? Float32Array : Float64Array);
  const contenders = [attnlab('AttnLab', lab, input, tolerance)];
  const targets = { limit: { atLeast: type === 'f32' ? 0.88 : 0.8 } };
  if (simd) {
    contenders.push(attnlab('AttnLab simd', simd, input, tolerance));
    if (type === 'f32') targets['AttnLab simd'] = { atLeast: 1.4 };
  }
  if (limit) contenders.push(budget(limit, type, n, d));
  if (peers && type === 'f32') {
    contenders.push(onnxruntime.forward(input), jax.forward(input), tfjs.forward(input));
    targets['onnxruntime-web'] = { atLeast: 1.4 };
    targets['jax-js (wasm)'] = { atLeast: 3 };
    targets['tfjs (wasm)'] = { atLeast: 7 };
  }
  return { name: `${type}, n = ${n}, d = ${d}`, contenders, tolerance, targets };
}

export function* contests(context) {
  const sizes = context.quick ? [256, 1024] : [256, 1024, 4096];
  for (const type of ['f32', 'f64'])
    for (const d of [16, 64]) for (const n of sizes) yield contest(context, type, n, d);
}
