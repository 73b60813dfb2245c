// The library's calls on special values: NaN, the infinities, subnormals, the largest. A call gives
// finite numbers or throws an error that names a parameter, and the lab still works.
import assert from 'node:assert/strict';
import { after } from 'node:test';
import fc from 'fast-check';
import { load } from '../../../dist/lib/index.js';
import { fuzz } from './budget.mjs';
import { assertFinite, outcome, outcomeOf } from './outcome.mjs';

const lab = await load({ workers: 0 });
after(() => lab.dispose());

const special = fc.constantFrom(
  ...[0, -0, NaN, Infinity, -Infinity, 5e-324, -5e-324, 2.3e-308, Number.MAX_VALUE, 1e-160],
  ...[1e-38, 3.5e38, 1e45, 1e154, -1.5e154, 1e160, 1e300, -1e307, 709.8, -745.2, 1e4, 2 ** 53],
);
const plain = fc.integer({ min: -64, max: 64 }).map((n) => n / 16);
const number = fc.oneof(
  { arbitrary: plain, weight: 6 },
  { arbitrary: special, weight: 1 },
  { arbitrary: fc.double(), weight: 1 },
);
// All plain, all one number, or anything.
const entries = (size) => {
  const listOf = (one) => fc.array(one, { minLength: size, maxLength: size });
  return fc.oneof(
    listOf(plain),
    number.map((one) => Array(size).fill(one)),
    listOf(number),
  );
};
const matrix = (rows, columns) =>
  entries(rows * columns).map((data) => ({ data, shape: [rows, columns] }));
const side = (max, min = 0) => fc.integer({ min, max });
const maybe = (one) => fc.option(one, { nil: undefined });
const shapes = (...sides) => fc.tuple(...sides);

const kernel = fc.constantFrom(
  ...['softmax', 'linear', 'linear-mean', 'erf', 'sigmoid', 'softplus', 'relu'],
);
const attention = shapes(side(6), side(9), side(5), side(4)).chain(([m, n, d, p]) =>
  fc.record({
    ...{ queries: matrix(m, d), keys: matrix(n, d), values: matrix(n, p), kernel },
    ...{ scale: maybe(number), offset: maybe(number), bias: maybe(number) },
    ...{ causal: maybe(fc.boolean()), weights: maybe(entries(n)) },
    outputGradient: matrix(m, p),
  }),
);

fuzz(
  'attention and its gradient',
  1200,
  fc.property(attention, fc.boolean(), ({ outputGradient, ...input }, returnWeights) => {
    assertFinite(outcome(() => lab.attention.forward({ ...input, returnWeights })));
    assertFinite(outcome(() => lab.attention.gradient({ ...input, outputGradient })));
  }),
);

const simple = (d) =>
  fc.oneof(
    fc.record({ kind: fc.constantFrom('rademacher', 'exponential'), dimension: fc.constant(d) }),
    fc.record({ kind: fc.constant('cube'), dimension: fc.constant(d), halfWidth: number }),
    fc.record({
      ...{ kind: fc.constantFrom('sphere', 'ball'), dimension: fc.constant(d), radius: number },
    }),
    fc.record({ kind: fc.constant('laplace'), dimension: fc.constant(d), scale: number }),
    fc.record({ kind: fc.constant('gaussian'), mean: entries(d), covariance: matrix(d, d) }),
    side(4).chain((n) =>
      fc.record({ kind: fc.constant('empirical'), tokens: matrix(n, d), weights: entries(n) }),
    ),
  );
const measure = (d) =>
  fc.oneof(
    simple(d),
    side(3).chain((count) =>
      fc.record({
        ...{ kind: fc.constant('mixture'), weights: entries(count) },
        components: fc.array(simple(d), { minLength: count, maxLength: count }),
      }),
    ),
  );

fuzz(
  'attention on a measure',
  1500,
  fc.property(
    shapes(side(3, 1), side(3), side(3)).chain(([d, e, p]) =>
      fc.record({
        ...{ measure: measure(d), A: matrix(d, e), V: matrix(p, d), queries: matrix(2, e) },
        returnCovariance: fc.boolean(),
      }),
    ),
    (input) => assertFinite(outcome(() => lab.measure.attend(input))),
  ),
);

fuzz(
  'the constants of finite prompts',
  1500,
  fc.property(
    side(3, 1).chain((d) =>
      fc.record({ measure: measure(d), a: entries(d), V: maybe(matrix(2, d)) }),
    ),
    (input) => {
      const found = outcome(() => lab.measure.constants(input));
      if (!found) return;
      // Where no closed form is known the covariance's constant is NaN, and says so.
      assertFinite({ ...found, covariance: 0 });
      assert.ok(found.effectiveSampleShare >= 0 && found.effectiveSampleShare <= 1 + 1e-6);
    },
  ),
);

const mode = fc.constantFrom('last', 'full', 'prefix');
const prompts = (d, most) =>
  fc.array(
    side(3, 1).chain((n) => matrix(n, d)),
    { maxLength: most },
  );
const heads = (d) =>
  fc.array(fc.record({ value: matrix(2, d), query: matrix(d, d) }), { maxLength: 3 });

fuzz(
  'heads, features and predictions',
  1000,
  fc.property(
    side(3, 1).chain((d) =>
      fc.record({
        ...{ prompts: prompts(d, 3), heads: heads(d), mode },
        coefficients: matrix(2, (d * d * (d + 1)) / 2),
      }),
    ),
    ({ prompts: list, heads: given, mode: how, coefficients }) => {
      const shared = { prompts: list, mode: how };
      assertFinite(outcome(() => lab.mhla.forward({ ...shared, heads: given })));
      assertFinite(outcome(() => lab.mhla.features(shared)));
      assertFinite(outcome(() => lab.mhla.predict({ ...shared, coefficients })));
    },
  ),
);

fuzz(
  'a fit and its certificate',
  400,
  fc.asyncProperty(
    shapes(side(2, 1), side(8)).chain(([d, count]) =>
      fc.record({
        prompts: fc.array(
          side(3, 1).chain((n) => matrix(n, d)),
          { minLength: count, maxLength: count },
        ),
        ...{ targets: matrix(count, 2), ridge: maybe(number), weights: maybe(entries(count)) },
        method: fc.constantFrom('auto', 'cholesky', 'tsqr', 'svd', 'dual'),
      }),
    ),
    async ({ prompts: list, targets, ridge, weights, method }) => {
      const fit = await outcomeOf(() =>
        lab.mhla.fit({ prompts: list, targets, ridge, weights, method }),
      );
      // A condition may be infinite: it says so of the data.
      if (fit) assertFinite({ ...fit, condition: 0 });
      const certificate = await outcomeOf(() =>
        lab.mhla.certificate({ prompts: list, weights, queries: list.slice(0, 2) }),
      );
      if (certificate) assertFinite({ ...certificate, condition: 0, perInput: 0 });
    },
  ),
);

fuzz(
  'the risk and the flow of in-context regression',
  40,
  fc.asyncProperty(
    side(3).chain((d) =>
      fc.record({ covariance: matrix(d, d), A: matrix(d, d), b: number, times: entries(2) }),
    ),
    async ({ times, ...head }) => {
      assertFinite(outcome(() => lab.regression.infinitePrompt(head)));
      const ordered = times.map(Math.abs).sort((x, y) => x - y);
      assertFinite(await outcomeOf(() => lab.regression.flow({ ...head, times: ordered })));
    },
  ),
);

fuzz(
  'the risks of single-location regression',
  400,
  fc.asyncProperty(
    fc.record({
      model: fc.constantFrom('spiked', 'max'),
      kernel: fc.constantFrom('softmax', 'linear', 'erf', 'softplus', 'relu', 'centred-linear'),
      length: fc.oneof(side(9), number),
      snr: number,
    }),
    fc.record({ scale: number, bias: number, keyNoise: maybe(number), output: maybe(number) }),
    async ({ model, kernel: name, length, snr }, parameters) => {
      assertFinite(outcome(() => lab.needle.bayesRisk({ model, length, snr })));
      const input = { model, kernel: name, length, snr, optimize: false, parameters };
      const found = await outcomeOf(() => lab.needle.populationRisk(input));
      if (found) assertFinite({ ...found, parameters: 0 });
    },
  ),
);
