// What must hold for any input, by the formulas alone: shapes, repeated and masked tokens, sums of
// heads, changes of coordinates, seeds.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fingerprint, toRows } from '../../dist/lib/index.js';
import { openLab } from './lab.mjs';
import { assertClose, multiply, transpose } from './rows.mjs';

const lab = await openLab({ workers: 0 });
const options = { seed: 20_261_130, numRuns: 60 };

const entry = fc.double({ min: -3, max: 3, noNaN: true });
const rowsOf = (rows, columns, one = entry) =>
  fc.array(fc.array(one, { minLength: columns, maxLength: columns }), {
    minLength: rows,
    maxLength: rows,
  });
const side = (min, max) => fc.integer({ min, max });
const kernel = fc.constantFrom(
  ...['softmax', 'linear', 'linear-mean', 'erf', 'sigmoid', 'softplus', 'relu'],
);
const attention = fc
  .tuple(side(1, 6), side(1, 12), side(1, 4), side(1, 3), kernel)
  .chain(([m, n, d, p, name]) =>
    fc.record({
      ...{ queries: rowsOf(m, d), keys: rowsOf(n, d), values: rowsOf(n, p) },
      ...{ kernel: fc.constant(name), bias: fc.constant(30) },
    }),
  );
const outputOf = (input) => toRows(lab.attention.forward(input).output);
const add = (x, y) => x.map((row, i) => row.map((value, j) => value + y[i][j]));
const scaled = (rows, by) => rows.map((row) => row.map((value) => by * value));

test('outputs, weights and gradients have the shapes that are promised, empty ones too', () => {
  const sizes = fc.tuple(side(0, 4), side(1, 5), side(0, 4), side(0, 4), kernel);
  fc.assert(
    fc.property(sizes, ([m, n, d, p, name]) => {
      const zeros = (rows, columns) => ({
        data: new Float64Array(rows * columns),
        shape: [rows, columns],
      });
      const input = { queries: zeros(m, d), keys: zeros(n, d), values: zeros(n, p), kernel: name };
      const { output, weights } = lab.attention.forward({ ...input, returnWeights: true });
      const slopes = lab.attention.gradient({ ...input, outputGradient: zeros(m, p) });
      const found = [output, weights, slopes.queries, slopes.keys, slopes.values];
      const expected = [
        [m, p],
        [m, n],
        [m, d],
        [n, d],
        [n, p],
      ];
      assert.deepEqual(
        found.map(({ shape }) => shape),
        expected,
      );
      for (const { data, shape } of found) assert.equal(data.length, shape[0] * shape[1]);
    }),
    options,
  );
});

test('a token of weight c is c tokens, and one of weight 0 is none', () => {
  const counts = fc.array(side(0, 3), { minLength: 12, maxLength: 12 });
  fc.assert(
    fc.property(attention, counts, (input, drawn) => {
      const weights = input.keys.map((_, j) => (j === 0 ? 1 : drawn[j]));
      const repeated = (rows) => rows.flatMap((row, j) => Array(weights[j]).fill(row));
      const many = { keys: repeated(input.keys), values: repeated(input.values) };
      const plain = outputOf({ ...input, ...many });
      assertClose(outputOf({ ...input, weights }), plain, 1e-9, input.kernel);
    }),
    options,
  );
});

test('a causal query sees the keys up to its own and no later one', () => {
  fc.assert(
    fc.property(attention, fc.nat(), (input, pick) => {
      const queries = input.keys;
      const causal = outputOf({ ...input, queries, causal: true });
      const i = pick % queries.length;
      const seen = { keys: input.keys.slice(0, i + 1), values: input.values.slice(0, i + 1) };
      const alone = outputOf({ ...input, ...seen, queries: [queries[i]] });
      assertClose([causal[i]], alone, 1e-9, input.kernel);
    }),
    options,
  );
});

test('keys and queries turned together leave the scores as they are', () => {
  const angle = fc.double({ min: 0, max: 6.3, noNaN: true });
  fc.assert(
    fc.property(attention, angle, (input, by) => {
      const d = input.keys[0].length;
      const turn = Array.from({ length: d }, (_, i) =>
        Array.from({ length: d }, (__, j) => (i === j ? 1 : 0)),
      );
      if (d > 1) {
        turn[0].splice(0, 2, Math.cos(by), -Math.sin(by));
        turn[1].splice(0, 2, Math.sin(by), Math.cos(by));
      }
      const [queries, keys] = [input.queries, input.keys].map((rows) => multiply(rows, turn));
      assertClose(outputOf({ ...input, queries, keys }), outputOf(input), 1e-9, input.kernel);
    }),
    options,
  );
});

test('softmax attention is attention on the measure of its tokens', () => {
  const square = fc
    .tuple(side(1, 3), side(1, 8))
    .chain(([d, n]) =>
      fc.record({ tokens: rowsOf(n, d), A: rowsOf(d, d), V: rowsOf(2, d), queries: rowsOf(3, d) }),
    );
  fc.assert(
    fc.property(square, ({ tokens, A, V, queries }) => {
      const measure = { kind: 'empirical', tokens };
      const onMeasure = toRows(lab.measure.attend({ measure, A, V, queries }).output);
      const values = multiply(tokens, transpose(V));
      const onPrompt = outputOf({ queries: multiply(queries, transpose(A)), keys: tokens, values });
      assertClose(onMeasure, onPrompt, 1e-9, 'empirical');
    }),
    options,
  );
});

const head = fc.record({ value: rowsOf(2, 2), query: rowsOf(2, 2) });
const heads = fc.array(head, { minLength: 1, maxLength: 3 });
const promptsOf = (one = entry) =>
  fc.array(
    side(1, 4).chain((n) => rowsOf(n, 2, one)),
    { minLength: 1, maxLength: 9 },
  );
const put = (prompts, list) => {
  const { outputs } = lab.mhla.forward({ prompts, heads: list, mode: 'last' });
  return outputs.map((one) => toRows(one)[0]);
};

test('heads add up, and a head depends on the product of its matrices alone', () => {
  const factor = fc.double({ min: 0.25, max: 4, noNaN: true });
  fc.assert(
    fc.property(promptsOf(), heads, heads, factor, (prompts, some, others, by) => {
      const apart = add(put(prompts, some), put(prompts, others));
      assertClose(put(prompts, [...some, ...others]), apart, 1e-9, 'sum');
      const shared = some.map(({ value, query }) => ({
        value: scaled(value, by),
        query: scaled(query, 1 / by),
      }));
      assertClose(put(prompts, shared), put(prompts, some), 1e-9, 'product');
    }),
    options,
  );
});

test('predictions are linear in the coefficients', () => {
  fc.assert(
    fc.property(promptsOf(), rowsOf(2, 6), rowsOf(2, 6), (prompts, one, other) => {
      const from = (coefficients) => toRows(lab.mhla.predict({ prompts, coefficients }).outputs);
      assertClose(from(add(one, other)), add(from(one), from(other)), 1e-9, 'predict');
    }),
    options,
  );
});

const whole = fc.integer({ min: -3, max: 3 });

test('the leverages of the prompts of a certificate have its rank as their sum', async () => {
  await fc.assert(
    fc.asyncProperty(promptsOf(whole), async (prompts) => {
      const found = await lab.mhla.certificate({ prompts, queries: prompts });
      const sum = found.perInput.reduce((total, { leverage }) => total + leverage, 0);
      // Lambda is a mean over the prompts, so the leverages have the mean `rank`.
      assert.ok(Math.abs(sum / prompts.length - found.rank) < 1e-6, `${sum} ${found.rank}`);
      assert.ok(found.perInput.every(({ determined }) => determined));
    }),
    options,
  );
});

test('a certificate says the same of prompts in turned coordinates', async () => {
  // No angle makes a coordinate so small that its cube has lost its digits.
  const angle = side(0, 40).map((step) => 0.1 + 0.15 * step);
  await fc.assert(
    fc.asyncProperty(promptsOf(whole), promptsOf(whole), angle, async (prompts, queries, by) => {
      const turn = [
        [Math.cos(by), -Math.sin(by)],
        [Math.sin(by), Math.cos(by)],
      ];
      const turned = (list) => list.map((rows) => multiply(rows, turn));
      const one = await lab.mhla.certificate({ prompts, queries });
      const other = await lab.mhla.certificate({
        prompts: turned(prompts),
        queries: turned(queries),
      });
      one.perInput.forEach(({ determined, leverage }, i) => {
        assert.equal(other.perInput[i].determined, determined);
        if (!determined) return;
        const difference = Math.abs(other.perInput[i].leverage - leverage);
        assert.ok(difference < 1e-6 * (1 + leverage), `${other.perInput[i].leverage} ${leverage}`);
      });
    }),
    options,
  );
});

test('signs and order of the coordinates leave the eigenvalues of a certificate alone', async () => {
  // The features are then the same up to signs and order; under other rotations they are not.
  const turns = fc.constantFrom(
    [
      [0, 1],
      [1, 0],
    ],
    [
      [0, -1],
      [1, 0],
    ],
    [
      [-1, 0],
      [0, 1],
    ],
  );
  await fc.assert(
    fc.asyncProperty(promptsOf(whole), turns, async (prompts, turn) => {
      const turned = prompts.map((rows) => multiply(rows, turn));
      const [one, other] = await Promise.all(
        [prompts, turned].map((list) => lab.mhla.certificate({ prompts: list })),
      );
      for (const name of ['minimumEigenvalue', 'maximumEigenvalue']) {
        const difference = Math.abs(other[name] - one[name]);
        assert.ok(
          difference <= 1e-9 * one.maximumEigenvalue,
          `${name} ${other[name]} ${one[name]}`,
        );
      }
    }),
    options,
  );
});

test('a seed decides a run: as a number, as a text, and no other seed', async () => {
  const values = { largestCount: 64, replicates: 4, magnitudes: [1], dimensions: [2] };
  const marks = new Map();
  const markOf = async (seed) =>
    fingerprint(await lab.run('large-prompt.output', values, { seed }).result);
  await fc.assert(
    fc.asyncProperty(fc.maxSafeNat(), async (seed) => {
      const mark = await markOf(seed);
      assert.equal(await markOf(String(seed)), mark);
      assert.ok(!marks.has(mark) || marks.get(mark) === seed, `${seed} and ${marks.get(mark)}`);
      marks.set(mark, seed);
    }),
    { ...options, numRuns: 15 },
  );
});
