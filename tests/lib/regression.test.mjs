// lab.regression against its formulas.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toRows } from '../../dist/lib/index.js';
import { openLab, refuses } from './lab.mjs';
import { multiply, transpose, assertClose } from './rows.mjs';

const lab = await openLab();

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

test(
  'a flow of very many steps is cancelled, and the lab is free again',
  { timeout: 60_000 },
  async () => {
    const d = 64;
    const diagonal = (value) =>
      Array.from({ length: d }, (_, i) =>
        Array.from({ length: d }, (_, j) => (i === j ? value(i) : 0)),
      );
    const covariance = diagonal((i) => 1 + 100 * (i % 2));
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 200);
    const flow = { covariance, A: diagonal(() => 0.1), b: 0.8, times: [1e4], signal: stop.signal };
    await refuses(() => lab.regression.flow(flow), 'cancelled', 'signal');
    const { loss } = await lab.regression.infinitePrompt({
      covariance,
      A: diagonal(() => 0.1),
      b: 0.8,
    });
    assert.ok(loss > 0);
  },
);
