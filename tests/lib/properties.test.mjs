// What must hold for any input: attention's symmetries, the certificate's, and files read back.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  fitFromJson,
  fitToJson,
  fromCsv,
  fromJson,
  toCsv,
  toJson,
  toRows,
} from '../../dist/lib/index.js';
import { openLab } from './lab.mjs';
import { assertClose, matrix, multiply } from './rows.mjs';

const lab = await openLab({ workers: 0 });
const options = { seed: 20_251_129, numRuns: 60 };

const entry = fc.double({ min: -5, max: 5, noNaN: true });
const rowsOf = (rows, columns, one = entry) =>
  fc.array(fc.array(one, { minLength: columns, maxLength: columns }), {
    minLength: rows,
    maxLength: rows,
  });
// { queries m x d, keys n x d, values n x p }
const attention = fc
  .tuple(...[6, 12, 4, 3].map((max) => fc.integer({ min: 1, max })))
  .chain(([m, n, d, p]) =>
    fc.record({ queries: rowsOf(m, d), keys: rowsOf(n, d), values: rowsOf(n, p) }),
  );
const kernel = fc.constantFrom(
  ...['softmax', 'linear', 'linear-mean', 'erf', 'sigmoid', 'softplus', 'relu'],
);
const outputOf = (input) => toRows(lab.attention.forward(input).output);
const combine = (a, x, b, y) => x.map((row, i) => row.map((value, j) => a * value + b * y[i][j]));

test('softmax weights are at least 0 and sum to one, causal or not, at any scale', () => {
  const scale = fc.double({ min: -1e4, max: 1e4, noNaN: true });
  fc.assert(
    fc.property(attention, scale, fc.boolean(), (input, by, causal) => {
      const square = causal ? { ...input, queries: input.keys } : input;
      const { weights } = lab.attention.forward({
        ...{ ...square, scale: by, causal },
        returnWeights: true,
      });
      for (const row of toRows(weights)) {
        assert.ok(row.every((weight) => weight >= 0));
        const sum = row.reduce((total, weight) => total + weight, 0);
        assert.ok(Math.abs(sum - 1) < 1e-12, String(sum));
      }
    }),
    options,
  );
});

test('softmax attention does not see a vector that is added to every key', () => {
  fc.assert(
    fc.property(attention, fc.array(entry, { minLength: 4, maxLength: 4 }), (input, shift) => {
      const keys = input.keys.map((key) => key.map((value, j) => value + shift[j]));
      assertClose(outputOf({ ...input, keys }), outputOf(input), 1e-10, 'shifted');
    }),
    options,
  );
});

test('the order of keys and that of queries do not matter', () => {
  fc.assert(
    fc.property(attention, kernel, fc.nat(), (input, name, turn) => {
      const turned = (rows) => rows.map((_, i) => rows[(i + turn) % rows.length]).reverse();
      const { queries, keys, values } = input;
      const plain = outputOf({ ...input, kernel: name, bias: 30 });
      const moved = outputOf({
        ...{ queries: turned(queries), keys: turned(keys), values: turned(values) },
        ...{ kernel: name, bias: 30 },
      });
      assertClose(moved, turned(plain), 1e-9, name);
    }),
    options,
  );
});

test('attention is linear in its values', () => {
  fc.assert(
    fc.property(attention, kernel, entry, entry, (input, name, a, b) => {
      const others = input.values.map((row, i) => row.map((value, j) => value * (i - j) - 1));
      const from = (values) => outputOf({ ...input, values, kernel: name, bias: 30 });
      const together = from(combine(a, input.values, b, others));
      assertClose(together, combine(a, from(input.values), b, from(others)), 1e-8, name);
    }),
    options,
  );
});

test('heads are found again, as a function, from what they put out', async () => {
  const prompts = Array.from({ length: 24 }, (_, i) => matrix(4, 2, i * 1.37));
  const fresh = [matrix(3, 2, 501), matrix(7, 2, 502)];
  const head = fc.record({ value: rowsOf(2, 2), query: rowsOf(2, 2) });
  const lists = fc.array(head, { minLength: 1, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(lists, async (heads) => {
      const put = (list, inputs) =>
        lab.mhla.forward({ prompts: inputs, heads: list }).outputs.map((one) => toRows(one)[0]);
      const fit = await lab.mhla.fit({ prompts, targets: put(heads, prompts) });
      const again = fitFromJson(fitToJson(fit));
      const expected = put(heads, fresh);
      const size = 1 + Math.max(...expected.flat().map(Math.abs));
      const { coefficients } = again;
      const predicted = toRows(lab.mhla.predict({ prompts: fresh, coefficients }).outputs);
      const scaled = (rows) => rows.map((row) => row.map((value) => value / size));
      assertClose(scaled(predicted), scaled(expected), 1e-9, 'coefficients');
      if (again.heads.length > 0)
        assertClose(scaled(put(again.heads, fresh)), scaled(expected), 1e-9, 'heads');
    }),
    { ...options, numRuns: 30 },
  );
});

test('the rank of a certificate does not change when every token is rotated', async () => {
  const whole = fc.integer({ min: -3, max: 3 });
  const prompt = fc.integer({ min: 1, max: 4 }).chain((n) => rowsOf(n, 2, whole));
  const lists = fc.array(prompt, { minLength: 1, maxLength: 9 });
  const angle = fc.double({ min: 0, max: 2 * Math.PI, noNaN: true });
  await fc.assert(
    fc.asyncProperty(lists, angle, async (prompts, by) => {
      const rotation = [
        [Math.cos(by), -Math.sin(by)],
        [Math.sin(by), Math.cos(by)],
      ];
      const rotated = prompts.map((rows) => multiply(rows, rotation));
      const [one, other] = await Promise.all(
        [prompts, rotated].map((list) => lab.mhla.certificate({ prompts: list })),
      );
      assert.equal(other.rank, one.rank);
      assert.equal(other.identifiable, one.identifiable);
    }),
    options,
  );
});

// Any name, text and double: NaN, the infinities, -0 and subnormals too.
const double = fc.double();
const name = fc.stringMatching(/^[a-z][a-zA-Z]{0,8}$/).filter((text) => !(text in {}));
const table = fc.nat({ max: 8 }).chain((rows) => {
  const listOf = (one) => fc.array(one, { minLength: rows, maxLength: rows });
  const column = fc.oneof(
    listOf(double).map((values) => Float64Array.from(values)),
    listOf(fc.string()),
  );
  return fc.dictionary(name, column, { minKeys: 1, maxKeys: 4, noNullPrototype: true });
});
const tablesOf = fc
  .dictionary(name, table, { minKeys: 1, maxKeys: 3, noNullPrototype: true })
  .map((tables) =>
    Object.fromEntries(Object.entries(tables).map(([key, columns]) => [key, { columns }])),
  );

test('a result read back from JSON is the same to the bit', () => {
  const matrixOf = rowsOf(2, 3, double).map((rows) => ({
    data: Float64Array.from(rows.flat()),
    shape: [2, 3],
  }));
  const params = fc.record(
    { number: double, flag: fc.boolean(), list: fc.array(double), tokens: matrixOf },
    { noNullPrototype: true },
  );
  fc.assert(
    fc.property(tablesOf, params, fc.maxSafeNat(), (tables, values, seed) => {
      const about = { status: 'done', experiment: 'a.b', version: '1' };
      const result = { ...about, params: values, seed, tables };
      assert.deepEqual(fromJson(toJson(result)), result);
    }),
    options,
  );
});

test('numbers read back from CSV are the same to the bit', () => {
  const numbersOnly = fc.dictionary(
    name,
    fc.array(double, { minLength: 3, maxLength: 3 }).map((values) => Float64Array.from(values)),
    { minKeys: 1, maxKeys: 4, noNullPrototype: true },
  );
  const word = fc.string().map((text) => `${text}x`);
  const texts = fc.array(word, { minLength: 3, maxLength: 3 });
  fc.assert(
    fc.property(numbersOnly, texts, (columns, words) => {
      const tables = { one: { columns: { ...columns, Words: words } }, two: { columns } };
      assert.deepEqual(fromCsv(toCsv({ tables })).tables, tables);
    }),
    options,
  );
});
