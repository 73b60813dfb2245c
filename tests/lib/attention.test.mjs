// lab.attention against plain sums.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toRows } from '../../dist/lib/index.js';
import { openLab, refuses } from './lab.mjs';
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

test('every prompt of a batch has a value for each of its keys, and a key where it asks', async () => {
  const one = { queries: [[1]], keys: [[1]], values: [[1]] };
  const empty = { data: [], shape: [0, 1] };
  const batch = (prompts) => () => lab.attention.forwardBatch({ prompts });
  const swapped = [
    { ...one, values: [[1], [2]] },
    { ...one, keys: [[1], [2]] },
  ];
  const values = await refuses(batch(swapped), 'shape', 'values');
  assert.match(values.message, /prompt 0 has 2 values for 1 keys/);
  const later = await refuses(batch([one, ...swapped.reverse()]), 'shape', 'values');
  assert.match(later.message, /prompt 1 has 1 values for 2 keys/);
  const keyless = { ...one, keys: empty, values: empty };
  const keys = await refuses(batch([one, keyless]), 'shape', 'keys');
  assert.match(keys.message, /prompt 1 has 0 rows/);
  const { outputs } = lab.attention.forwardBatch({
    prompts: [one, { ...keyless, queries: empty }],
  });
  assert.deepEqual(
    outputs.map(({ shape }) => shape),
    [
      [1, 1],
      [0, 1],
    ],
  );
});

test('sizes that the module cannot count or hold are refused before the work', async () => {
  const { forward, gradient, forwardBatch } = lab.attention;
  const without = (rows) => ({ data: [], shape: [rows, 0] });
  const few = { queries: without(1), keys: without(2), values: [[1], [3]] };
  for (const rows of [2 ** 32 + 2, 2 ** 31, 2 ** 53]) {
    for (const name of ['queries', 'keys', 'values']) {
      const input = { ...few, [name]: without(rows) };
      await refuses(() => forward(input), 'out-of-range', name, `forward ${name} ${rows}`);
      const outputGradient = [[1]];
      await refuses(() => gradient({ ...input, outputGradient }), 'out-of-range', name);
      await refuses(() => forwardBatch({ prompts: [few, input] }), 'out-of-range', name);
    }
  }
  const many = { ...few, queries: without(2 ** 28) };
  await refuses(() => forward(many), 'too-large', 'queries');
  await refuses(() => forwardBatch({ prompts: [many] }), 'too-large', 'queries');
  await refuses(() => forwardBatch({ prompts: [many, few] }), 'out-of-range', 'queries');
  const prompts = [without(2 ** 32 + 2)];
  await refuses(() => lab.mhla.features({ prompts }), 'out-of-range', 'prompts');
  const wide = { coefficients: { data: new Float64Array(1e6), shape: [1e6, 1] } };
  const tokens = { data: new Float64Array(1e6), shape: [1e6, 1, 1] };
  await refuses(() => lab.mhla.predict({ prompts: tokens, ...wide }), 'too-large', 'prompts');
  const heads = [{ value: wide.coefficients, query: [[1]] }];
  await refuses(() => lab.mhla.forward({ prompts: tokens, heads }), 'too-large', 'prompts');
  const measure = { kind: 'rademacher', dimension: 2 };
  const attend = { measure, A: { data: [], shape: [2, 0] }, queries: without(2 ** 28) };
  await refuses(() => lab.measure.attend({ ...attend, V: [[1, 0]] }), 'too-large', 'queries');
  await refuses(
    () => lab.measure.attend({ ...attend, V: without(0), returnCovariance: true }),
    'too-large',
    'returnCovariance',
  );
  assert.deepEqual(Array.from(forward(few).output.data), [2], 'the lab works on');
});

test('weights that would be too large are refused at once, with their bytes', async () => {
  const tokens = { data: new Float64Array(40_000), shape: [40_000, 1] };
  const input = { queries: tokens, keys: tokens, values: tokens, returnWeights: true };
  const start = performance.now();
  const error = await refuses(() => lab.attention.forward(input), 'too-large', 'returnWeights');
  assert.ok(performance.now() - start < 1000);
  const sizes = '12800000000 bytes (12208 MiB); 1024 MiB are allowed';
  assert.equal(error.message, `returnWeights: would need ${sizes}`);
  const single = { data: new Float32Array(40_000), shape: [40_000, 1] };
  const inSingle = { queries: single, keys: single, values: single, returnWeights: true };
  const half = await refuses(() => lab.attention.forward(inSingle), 'too-large', 'returnWeights');
  assert.match(half.message, /would need 6400000000 bytes \(6104 MiB\)/);
});

test('token weights that no float can hold are told as they were given', async () => {
  const tokens = { data: Float32Array.of(1, 2), shape: [2, 1] };
  for (const weights of [
    [1e39, 1],
    [1, 1e-50],
  ]) {
    const error = await refuses(
      () => lab.attention.forward({ queries: tokens, keys: tokens, values: tokens, weights }),
      'out-of-range',
      'weights',
    );
    assert.match(error.message, /entry [01] is 1e(\+39|-50)/);
  }
});
