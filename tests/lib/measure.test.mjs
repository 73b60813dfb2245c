// lab.measure against closed forms and plain sums.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toRows } from '../../dist/lib/index.js';
import { openLab, refuses } from './lab.mjs';
import { dot, matrix, multiply, assertClose } from './rows.mjs';

const lab = await openLab();

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
  const share = queries.map((query) => {
    const parts = tokens.map((token, i) => weights[i] * Math.exp(dot(query, token)));
    const whole = parts.reduce((sum, x) => sum + x, 0);
    return parts.map((x) => x / whole);
  });
  const expected = multiply(share, tokens);
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

test('a mixture is given in one way alone, and weights that are given are taken', async () => {
  const one = { kind: 'rademacher', dimension: 1 };
  const gaussians = { means: [[0]], covariances: [[[1]]] };
  const attend = (measure) => () =>
    lab.measure.attend({ measure, A: [[1]], V: [[1]], queries: [[1]] });
  for (const name of Object.keys(gaussians)) {
    const both = { kind: 'mixture', weights: [1], components: [one], [name]: gaussians[name] };
    await refuses(attend(both), 'malformed', name);
  }
  attend({ kind: 'mixture', weights: [1], ...gaussians })();
  await refuses(attend({ kind: 'empirical', tokens: [[1]], weights: [] }), 'shape', 'weights');
});

test('a query at which a measure has no tilt is named with its row', async () => {
  const measure = { kind: 'laplace', dimension: 1, scale: 1 };
  const queries = [[0], [0.1], [3]];
  const error = await refuses(
    () => lab.measure.attend({ measure, A: [[1]], V: [[1]], queries }),
    'domain',
    'queries',
  );
  assert.match(error.message, /row 2 .*laplace/);
});
