// Softmax attention, the gradient: forward and backward in one call, as each of them gives it.
import { matrix } from '../inputs.mjs';
import * as jax from '../peers/jax.mjs';
import * as tfjs from '../peers/tfjs.mjs';

const tolerance = { absolute: 1e-5, relative: 1e-3 };

function contest({ lab, simd, peers }, n, d) {
  const part = (seed) => matrix(n, d, seed);
  const input = { queries: part(1), keys: part(2), values: part(3), scale: 1 / Math.sqrt(d) };
  const given = { ...input, outputGradient: part(4) };
  const attnlab = (name, from) => ({
    name,
    prepare: () => ({
      run: () => {
        const { queries, keys, values } = from.attention.gradient(given);
        return [queries.data, keys.data, values.data];
      },
    }),
  });
  // Held first against the library in double, which its own tests hold against differences.
  const double = Object.fromEntries(
    Object.entries(given).map(([name, value]) => [
      name,
      value.data ? { ...value, data: Float64Array.from(value.data) } : value,
    ]),
  );
  const exact = lab.attention.gradient(double);
  const expected = new Float64Array(3 * n * d);
  [exact.queries, exact.keys, exact.values].forEach(({ data }, i) => expected.set(data, i * n * d));
  return {
    name: `f32, n = ${n}, d = ${d}`,
    contenders: [
      attnlab('AttnLab', lab),
      ...(simd ? [attnlab('AttnLab simd', simd)] : []),
      ...(peers ? [jax.gradient(given), tfjs.gradient(given)] : []),
    ],
    expected,
    tolerance,
    targets: { 'jax-js (wasm)': { atLeast: 2.5 }, 'tfjs (wasm)': { atLeast: 8 } },
  };
}

export function* contests(context) {
  for (const d of [16, 64])
    for (const n of context.quick ? [256, 1024] : [256, 1024, 2048]) yield contest(context, n, d);
}
