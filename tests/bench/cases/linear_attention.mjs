// Linear attention, whose sums over tokens come first.
import { matrix } from '../inputs.mjs';
import * as jax from '../peers/jax.mjs';
import * as onnxruntime from '../peers/onnxruntime.mjs';
import * as tfjs from '../peers/tfjs.mjs';

function contest({ lab, simd, peers }, n, d) {
  const [queries, keys, values] = [1, 2, 3].map((seed) => matrix(n, d, seed));
  const input = { queries, keys, values, scale: 1 / Math.sqrt(d) };
  const attnlab = (name, from) => ({
    name,
    prepare: () => ({
      run: () => from.attention.forward({ ...input, kernel: 'linear' }).output.data,
    }),
  });
  return {
    name: `f32, n = ${n}, d = ${d}`,
    contenders: [
      attnlab('AttnLab', lab),
      ...(simd ? [attnlab('AttnLab simd', simd)] : []),
      ...(peers
        ? [onnxruntime.linearForward(input), jax.linearForward(input), tfjs.linearForward(input)]
        : []),
    ],
    // Sums of n numbers of size 1, in float.
    tolerance: { absolute: 3e-3 * Math.sqrt(n), relative: 1e-4 },
    targets: { 'onnxruntime-web': { atLeast: 1.3 } },
  };
}

export function* contests(context) {
  const n = context.quick ? 8192 : 65536;
  for (const d of [16, 64]) yield contest(context, n, d);
}
