// lab.attention against plain sums.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toRows } from '../../dist/lib/index.js';
import { openLab } from './lab.mjs';
import { dot, matrix, multiply, assertClose } from './rows.mjs';

const lab = await openLab();

// Abramowitz and Stegun 7.1.5, a series that converges everywhere.
function erf(x) {
  let term = x;
  let sum = x;
  for (let n = 1; n < 200; ++n) {
    term *= (-x * x) / n;
    sum += term / (2 * n + 1);
  }
  return (2 / Math.sqrt(Math.PI)) * sum;
}

const kernels = {
  softmax: (s, c) => normalise(s.map((x, j) => c[j] * Math.exp(x))),
  linear: (s, c, { offset }) => s.map((x, j) => c[j] * (offset + x)),
  'linear-mean': (s, c, { offset }) => {
    const total = c.reduce((sum, x) => sum + x, 0);
    return s.map((x, j) => (c[j] * (offset + x)) / total);
  },
  erf: (s, c, { offset, bias }) => s.map((x, j) => c[j] * (offset + erf(bias + x))),
  sigmoid: (s, c, { bias }) => s.map((x, j) => c[j] / (1 + Math.exp(-bias - x))),
  softplus: (s, c, { bias }) => normalise(s.map((x, j) => c[j] * Math.log1p(Math.exp(bias + x)))),
  relu: (s, c, { bias }) => normalise(s.map((x, j) => c[j] * Math.max(0, bias + x))),
};

function normalise(row) {
  const sum = row.reduce((total, x) => total + x, 0);
  return row.map((x) => (sum === 0 ? 0 : x / sum));
}

function plainWeights({
  queries,
  keys,
  kernel = 'softmax',
  scale = 1,
  offset = 0,
  bias = 0,
  causal = false,
  weights,
}) {
  const [m, n] = [queries.length, keys.length];
  return queries.map((query, i) => {
    const seen = causal ? i + n - m + 1 : n;
    const scores = keys.slice(0, seen).map((key) => scale * dot(query, key));
    const counts = (weights ?? Array(n).fill(1)).slice(0, seen);
    return [...kernels[kernel](scores, counts, { offset, bias }), ...Array(n - seen).fill(0)];
  });
}

const input = { queries: matrix(3, 4, 0), keys: matrix(5, 4, 1), values: matrix(5, 2, 2) };
const settings = [
  {},
  { scale: 0.5 },
  { causal: true },
  { weights: [1, 0, 2, 0.5, 3] },
  { offset: 1, bias: 0.3 },
];

for (const kernel of Object.keys(kernels)) {
  test(`attention with the kernel ${kernel} is the plain sum, in double and in single precision`, () => {
    for (const setting of settings) {
      const whole = { ...input, kernel, ...setting };
      const weights = plainWeights(whole);
      const expected = multiply(weights, input.values);
      const { output, weights: found } = lab.attention.forward({ ...whole, returnWeights: true });
      assert.ok(output.data instanceof Float64Array);
      assert.deepEqual(output.shape, [3, 2]);
      assert.deepEqual(found.shape, [3, 5]);
      assertClose(toRows(output), expected, 1e-13, JSON.stringify(setting));
      assertClose(toRows(found), weights, 1e-13, JSON.stringify(setting));
      const single = (rows) => ({
        data: Float32Array.from(rows.flat()),
        shape: [rows.length, rows[0].length],
      });
      const { output: short } = lab.attention.forward({
        ...whole,
        queries: single(input.queries),
        keys: single(input.keys),
        values: single(input.values),
      });
      assert.ok(short.data instanceof Float32Array);
      assertClose(toRows(short), expected, 1e-5, `single, ${JSON.stringify(setting)}`);
    }
  });

  test(`the gradient with the kernel ${kernel} is the slope of the output`, () => {
    const outputGradient = matrix(3, 2, 5);
    for (const setting of settings) {
      const whole = { ...input, kernel, offset: 0.5, bias: 0.2, ...setting };
      const found = lab.attention.gradient({ ...whole, outputGradient });
      const loss = (changed) => {
        const out = multiply(
          plainWeights({ ...whole, ...changed }),
          changed.values ?? input.values,
        );
        return out.reduce((sum, row, i) => sum + dot(row, outputGradient[i]), 0);
      };
      for (const name of ['queries', 'keys', 'values']) {
        const step = 1e-5;
        const slopes = input[name].map((row, i) =>
          row.map((_, j) => {
            const moved = (by) => {
              const copy = input[name].map((one) => [...one]);
              copy[i][j] += by;
              return loss({ [name]: copy });
            };
            return (moved(step) - moved(-step)) / (2 * step);
          }),
        );
        assertClose(toRows(found[name]), slopes, 1e-7, `${name} ${JSON.stringify(setting)}`);
      }
    }
  });
}

test('a batch of prompts of different lengths is each prompt alone', () => {
  const prompts = [
    { queries: matrix(2, 3, 0), keys: matrix(4, 3, 1), values: matrix(4, 2, 2) },
    { queries: matrix(1, 3, 3), keys: matrix(1, 3, 4), values: matrix(1, 2, 5), weights: [2] },
    { queries: matrix(5, 3, 6), keys: matrix(7, 3, 7), values: matrix(7, 2, 8) },
  ];
  const { outputs } = lab.attention.forwardBatch({ prompts, scale: 0.7 });
  assert.equal(outputs.length, 3);
  outputs.forEach((output, i) =>
    assert.deepEqual(output, lab.attention.forward({ ...prompts[i], scale: 0.7 }).output),
  );
});

test('scores of ten thousand do not overflow', () => {
  const { output } = lab.attention.forward({
    queries: [[1]],
    keys: [[1e4], [1e4], [-1e4]],
    values: [[1], [3], [5]],
  });
  assert.deepEqual(Array.from(output.data), [2]);
});
