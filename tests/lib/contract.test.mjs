// The low-level calls against plain computations written apart.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toRows } from '../../dist/lib/index.js';
import { openLab } from './lab.mjs';

const lab = await openLab();

const dot = (x, y) => x.reduce((sum, value, i) => sum + value * y[i], 0);
// Numbers in (-1, 1) without pattern, the same at every run.
const numbers = (count, start) => {
  let state = (Math.imul(Math.round(start * 1000), 2654435761) + 97) >>> 0;
  return Array.from({ length: count }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 31 - 1;
  });
};
const matrix = (rows, columns, start) =>
  Array.from({ length: rows }, (_, i) => numbers(columns, start + 10 * i));
const multiply = (left, right) =>
  left.map((row) =>
    right[0].map((_, j) => row.reduce((sum, value, k) => sum + value * right[k][j], 0)),
  );
const transpose = (rows) => rows[0].map((_, j) => rows.map((row) => row[j]));

function assertClose(actual, expected, tolerance, what) {
  assert.equal(actual.length, expected.length, what);
  expected.forEach((row, i) =>
    row.forEach((value, j) => {
      const error = Math.abs(actual[i][j] - value);
      assert.ok(
        error <= tolerance * (1 + Math.abs(value)),
        `${what} [${i}][${j}]: ${actual[i][j]}, not ${value}`,
      );
    }),
  );
}

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

test('attention on a Gaussian measure is affine, and its constants are the closed forms', () => {
  const mean = [0.5, -1];
  const covariance = [
    [2, 0.5],
    [0.5, 1],
  ];
  const measure = { kind: 'gaussian', mean, covariance };
  const A = matrix(2, 3, 1);
  const V = matrix(4, 2, 2);
  const queries = matrix(5, 3, 3);
  const { output, covariance: tilted } = lab.measure.attend({
    measure,
    A,
    V,
    queries,
    returnCovariance: true,
  });
  const expected = queries.map((z) => {
    const a = A.map((row) => dot(row, z));
    const tilt = mean.map((m, i) => m + dot(covariance[i], a));
    return V.map((row) => dot(row, tilt));
  });
  assertClose(toRows(output), expected, 1e-12, 'output');
  for (const one of tilted) assertClose(toRows(one), covariance, 1e-12, 'covariance');
  const a = [0.3, 0.4];
  const found = lab.measure.constants({ measure, a });
  // q = a' G a, rho = e^q: output rho (tr G + |G a|^2), ESS share e^-q, bias -rho G a.
  const Ga = covariance.map((row) => dot(row, a));
  const rho = Math.exp(dot(a, Ga));
  assertClose([[found.output]], [[rho * (3 + dot(Ga, Ga))]], 1e-12, 'output');
  assertClose([[found.effectiveSampleShare]], [[1 / rho]], 1e-12, 'share');
  assertClose([Array.from(found.bias)], [Ga.map((x) => -rho * x)], 1e-12, 'bias');
});

test('an empirical measure is softmax attention over its tokens', () => {
  const tokens = matrix(6, 3, 0);
  const weights = [1, 2, 0, 1, 1, 3];
  const identity = [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ];
  const queries = matrix(2, 3, 4);
  const { output } = lab.measure.attend({
    measure: { kind: 'empirical', tokens, weights },
    A: identity,
    V: identity,
    queries,
  });
  const expected = multiply(plainWeights({ queries, keys: tokens, weights }), tokens);
  assertClose(toRows(output), expected, 1e-12, 'output');
});

test('every kind of measure tilts as its closed form says', () => {
  const a = [0.3, -0.2];
  const tilt = (measure) =>
    toRows(
      lab.measure.attend({
        measure,
        A: [
          [1, 0],
          [0, 1],
        ],
        V: [
          [1, 0],
          [0, 1],
        ],
        queries: [a],
      }).output,
    )[0];
  const langevin = (t) => 1 / Math.tanh(t) - 1 / t;
  const expected = [
    [{ kind: 'rademacher', dimension: 2 }, a.map(Math.tanh)],
    [{ kind: 'cube', dimension: 2, halfWidth: 2 }, a.map((x) => 2 * langevin(2 * x))],
    // log(1 / (1 - s^2 a^2)) has slope 2 s^2 a / (1 - s^2 a^2).
    [{ kind: 'laplace', dimension: 2, scale: 0.5 }, a.map((x) => (0.5 * x) / (1 - 0.25 * x * x))],
    // log of e^-a / (1 - a).
    [{ kind: 'exponential', dimension: 2 }, a.map((x) => 1 / (1 - x) - 1)],
    [
      {
        kind: 'mixture',
        weights: [1, 1],
        means: [
          [1, 2],
          [-1, -2],
        ],
        covariances: [
          [
            [1, 0],
            [0, 1],
          ],
          [
            [1, 0],
            [0, 1],
          ],
        ],
      },
      [1, 2].map((m, i) => a[i] + m * Math.tanh(a[0] + 2 * a[1])),
    ],
  ];
  for (const [measure, value] of expected)
    assertClose([tilt(measure)], [value], 1e-12, measure.kind);
  const gaussians = [
    [1, 2],
    [-1, -2],
  ].map((mean) => ({
    kind: 'gaussian',
    mean,
    covariance: [
      [1, 0],
      [0, 1],
    ],
  }));
  assertClose(
    [tilt({ kind: 'mixture', weights: [1, 1], components: gaussians })],
    [expected[4][1]],
    1e-12,
    'components',
  );
});

const heads = [
  { value: matrix(2, 3, 0), query: matrix(3, 3, 1) },
  { value: matrix(2, 3, 2), query: matrix(3, 3, 3) },
];
const gram = (rows) => multiply(transpose(rows), rows);
const attend = (rows, z) =>
  heads
    .map(({ value, query }) =>
      multiply(
        multiply(value, gram(rows)),
        multiply(
          query,
          z.map((x) => [x]),
        ),
      ).map(([x]) => x),
    )
    .reduce((sum, part) => sum.map((x, i) => x + part[i]));

test('multi-head linear attention is its formula, for the last token, every token and every prefix', () => {
  const prompts = [matrix(4, 3, 0), matrix(1, 3, 5), matrix(6, 3, 9)];
  const expected = {
    last: (rows) => [attend(rows, rows.at(-1))],
    full: (rows) => rows.map((z) => attend(rows, z)),
    prefix: (rows) => rows.map((z, i) => attend(rows.slice(0, i + 1), z)),
  };
  for (const [mode, plain] of Object.entries(expected)) {
    const { outputs } = lab.mhla.forward({ prompts, heads, mode });
    outputs.forEach((output, i) => assertClose(toRows(output), plain(prompts[i]), 1e-12, mode));
  }
});

test('a fit finds the function that made the data, and the certificate says that it must', async () => {
  const prompts = Array.from({ length: 120 }, (_, i) => matrix(5, 3, i * 1.37));
  const targets = prompts.map((rows) => attend(rows, rows.at(-1)));
  const fit = await lab.mhla.fit({ prompts, targets });
  assert.equal(fit.rank, 18);
  assert.equal(fit.dimension, 18);
  assert.ok(fit.trainingError <= 1e-24 * fit.targetVariance, `${fit.trainingError}`);
  const fresh = [matrix(4, 3, 777), matrix(9, 3, 888)];
  const { outputs } = lab.mhla.predict({ prompts: fresh, coefficients: fit.coefficients });
  assertClose(
    toRows(outputs),
    fresh.map((rows) => attend(rows, rows.at(-1))),
    1e-8,
    'predict',
  );
  const again = lab.mhla.forward({ prompts: fresh, heads: fit.heads });
  assertClose(
    again.outputs.map((one) => toRows(one)[0]),
    toRows(outputs),
    1e-8,
    'heads',
  );
  const { features } = lab.mhla.features({ prompts: fresh });
  assertClose(
    multiply(toRows(features), transpose(toRows(fit.coefficients))),
    toRows(outputs),
    1e-10,
    'features',
  );
  const certificate = await lab.mhla.certificate({ prompts, queries: fresh });
  assert.equal(certificate.identifiable, true);
  assert.equal(certificate.perInput.length, 2);
  assert.ok(certificate.perInput.every(({ determined }) => determined));
  const few = await lab.mhla.certificate({
    prompts: prompts.slice(0, 3),
    queries: [prompts[0], fresh[0]],
  });
  assert.equal(few.identifiable, false);
  assert.equal(few.rank, 3);
  assert.deepEqual(
    few.perInput.map(({ determined }) => determined),
    [true, false],
  );
  const block = { data: Float64Array.from(prompts.flat(2)), shape: [120, 5, 3] };
  const same = await lab.mhla.fit({ prompts: block, targets });
  assert.deepEqual(same.coefficients, fit.coefficients);
});

test('risks of single-location regression are the closed forms', async () => {
  const length = 4;
  const snr = 3;
  const linear = await lab.needle.populationRisk({
    model: 'spiked',
    length,
    snr,
    kernel: 'linear',
  });
  const expected = (length * (length - 1)) / (length ** 2 + (length - 1) * snr);
  assertClose([[linear.risk]], [[expected]], 1e-10, 'linear');
  const softmax = await lab.needle.populationRisk({
    model: 'spiked',
    length,
    snr,
    kernel: 'softmax',
  });
  const bayes = lab.needle.bayesRisk({ model: 'spiked', length, snr });
  assertClose([[softmax.risk]], [[bayes.risk]], 1e-6, 'softmax reaches the Bayes risk');
  assertClose([[softmax.parameters.scale]], [[Math.sqrt(snr)]], 1e-2, 'at scale sqrt(nu)');
  const there = await lab.needle.populationRisk({
    model: 'spiked',
    length,
    snr,
    kernel: 'softmax',
    parameters: { scale: Math.sqrt(snr), output: 1 },
  });
  assertClose([[there.risk]], [[bayes.risk]], 1e-6, 'given parameters');
  const max = lab.needle.bayesRisk({ model: 'max', length, snr: Infinity });
  assert.equal(max.risk, 0);
});

test('state evolution is a function of its seed and says whether it converged', async () => {
  const problem = { model: 'spiked', length: 2, snr: 4, ratio: 4, samples: 2000, streams: 2 };
  const one = await lab.needle.stateEvolution({ ...problem, estimator: 'erm', seed: 5 });
  const two = await lab.needle.stateEvolution({ ...problem, estimator: 'erm', seed: '5' });
  assert.deepEqual(one, two);
  assert.equal(one.converged, one.verdict === 'converged');
  assert.ok(one.iterations > 0);
  const bayes = await lab.needle.stateEvolution({ ...problem, estimator: 'bayes', seed: 5 });
  assert.ok(bayes.risk > 0 && bayes.risk < 1);
});

test('the infinite-prompt loss is its formula, its gradient the slope, and the flow keeps its invariant', async () => {
  const covariance = [
    [2, 0.5],
    [0.5, 1],
  ];
  const A = [
    [0.3, 0.1],
    [-0.2, 0.4],
  ];
  const b = 0.7;
  const loss = (block, weight) => {
    const bias = multiply(
      multiply(
        [
          [weight, 0],
          [0, weight],
        ],
        covariance,
      ),
      block,
    ).map((row, i) => row.map((x, j) => x - (i === j ? 1 : 0)));
    const product = multiply(multiply(bias, covariance), transpose(bias));
    return (product[0][0] + product[1][1]) / 2;
  };
  const found = lab.regression.infinitePrompt({ covariance, A, b });
  assertClose([[found.loss]], [[loss(A, b)]], 1e-13, 'loss');
  const step = 1e-6;
  const slopes = A.map((row, i) =>
    row.map((_, j) => {
      const moved = (by) => {
        const copy = A.map((one) => [...one]);
        copy[i][j] += by;
        return loss(copy, b);
      };
      return (moved(step) - moved(-step)) / (2 * step);
    }),
  );
  assertClose(toRows(found.gradient.A), slopes, 1e-8, 'dA');
  assertClose(
    [[found.gradient.b]],
    [[(loss(A, b + step) - loss(A, b - step)) / (2 * step)]],
    1e-8,
    'db',
  );
  const states = await lab.regression.flow({ covariance, A, b, times: [0, 0.5, 2] });
  const invariant = ({ A: block, b: weight }) =>
    block.data.reduce((sum, x) => sum + x * x, 0) - weight ** 2;
  assert.deepEqual(
    states.map(({ time }) => time),
    [0, 0.5, 2],
  );
  assertClose([[states[0].loss]], [[found.loss]], 1e-14, 'start');
  for (const state of states)
    assertClose([[invariant(state)]], [[invariant(states[0])]], 1e-8, 'invariant');
  assert.ok(states[2].loss < states[1].loss && states[1].loss < states[0].loss);
});
