// lab.mhla against plain products.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toRows } from '../../dist/lib/index.js';
import { openLab, refuses } from './lab.mjs';
import { matrix, multiply, transpose, assertClose } from './rows.mjs';

const lab = await openLab();

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
  assert.equal(fit.samples, 120);
  assert.equal(fit.featureNames.length, 18);
  assert.equal(new Set(fit.featureNames).size, 18);
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

test('a large fit tells its progress, is given up at once, and leaves the caller’s arrays alone', async () => {
  const [count, length, d] = [30_000, 16, 10];
  // A sequence of fixed length without a pattern that the features would share.
  let state = 1;
  const next = () => {
    state = (state * 48271) % 2147483647;
    return (2 * state) / 2147483647 - 1;
  };
  const data = Float64Array.from({ length: count * length * d }, next);
  const targets = { data: Float64Array.from({ length: count }, next), shape: [count, 1] };
  const input = { prompts: { data, shape: [count, length, d] }, targets };
  const seen = [];
  const fit = await lab.mhla.fit({ ...input, onProgress: (progress) => seen.push(progress) });
  assert.equal(fit.rank, (d * d * (d + 1)) / 2);
  assert.equal(seen.at(-1), 1);
  assert.ok(seen.length >= 2, `${seen}`);
  assert.equal(data.length, count * length * d);
  assert.equal(targets.data.length, count);
  const stop = new AbortController();
  const onProgress = () => stop.abort();
  await refuses(
    () => lab.mhla.fit({ ...input, signal: stop.signal, onProgress }),
    'cancelled',
    'signal',
  );
  // Noise has no structure to be found: what is left is its share of unseen freedom.
  const freedom = 1 - fit.rank / count;
  assert.ok(Math.abs(fit.trainingError / fit.targetVariance / freedom - 1) < 0.05);
});

test('in many coordinates a fit comes without heads and names, and soon', async () => {
  const d = 60;
  const prompts = [
    { data: Float64Array.from({ length: 2 * d }, (_, i) => Math.sin(i * i)), shape: [2, d] },
  ];
  const fit = await lab.mhla.fit({ prompts, targets: [[1]] });
  assert.equal(fit.dimension, (d * d * (d + 1)) / 2);
  assert.equal(fit.rank, 1);
  assert.deepEqual([fit.heads.length, fit.featureNames.length], [0, 0]);
  assert.ok(fit.trainingError < 1e-20);
  assert.equal(fit.samples, 1);
});

test('what few samples leave open is the whole null space, whichever way it is found', async () => {
  for (const d of [3, 12]) {
    const prompts = [0, 1, 2].map((i) => matrix(2, d, i));
    const { nullSpace, rank, dimension, openDirections, warnings, method } =
      await lab.mhla.certificate({ prompts, returnNullSpace: true });
    assert.equal(method, d === 3 ? 'singular-values' : 'kernel');
    assert.deepEqual(nullSpace.shape, [dimension, dimension - rank]);
    assert.ok(openDirections.length > 0);
    assert.match(warnings.join(), /samples cannot determine/);
    const coefficients = transpose(toRows(nullSpace)).slice(0, 2);
    // A null vector changes nothing at the data.
    const { data } = lab.mhla.predict({ prompts, coefficients }).outputs;
    assert.ok(
      data.every((x) => Math.abs(x) < 1e-12),
      `d = ${d}: ${data}`,
    );
  }
});

test('of one feature the least eigenvalue is the largest, and the condition 1', async () => {
  const prompts = [
    [[1], [2]],
    [[3], [1]],
    [[-1], [1]],
  ];
  const { minimumEigenvalue, maximumEigenvalue, condition } = await lab.mhla.certificate({
    prompts,
  });
  assert.ok(minimumEigenvalue <= maximumEigenvalue);
  assert.ok(minimumEigenvalue > 0.999999 * maximumEigenvalue);
  assert.equal(condition, 1);
});
