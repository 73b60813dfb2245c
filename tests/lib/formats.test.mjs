// Results and fits as text and back: JSON, CSV.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  fingerprint,
  fitFromJson,
  fitToJson,
  fromCsv,
  fromJson,
  toCsv,
  toJson,
} from '../../dist/lib/index.js';
import { throwing } from './bad_values.mjs';
import { result, texts } from './hard_result.mjs';
import { openLab, refuses, shortRun } from './lab.mjs';

test('a result survives JSON bit for bit, NaN and the infinities too', () => {
  const back = fromJson(toJson(result));
  assert.deepEqual(back, result);
  assert.equal(fingerprint(back), fingerprint(result));
  assert.deepEqual(fromJson(toJson(result, 2)), result);
});

test('a text parameter stays a text, whatever number it reads like', () => {
  const params = { a: 'NaN', b: 'Infinity', c: '-Infinity', d: '-0', e: '5', f: '', g: NaN, h: -0 };
  const back = fromJson(toJson({ ...result, params }));
  assert.deepEqual(back.params, params);
  assert.ok(Object.is(back.params.h, -0));
  const { texts: _, ...older } = JSON.parse(toJson({ ...result, params: { snr: Infinity } }));
  assert.equal(fromJson(JSON.stringify(older)).params.snr, Infinity, 'files without the list');
});

test('columns keep whatever name they have', () => {
  const names = ['my col', 'my other', 'f(x)', 'a (b) c', '# table z', '[n]', '=1', 'ü "q", r'];
  const columns = Object.fromEntries(names.map((name, i) => [name, Float64Array.of(i, NaN)]));
  assert.deepEqual(fromCsv(toCsv({ tables: { t: { columns } } })).tables.t.columns, columns);
  const one = { '# table z': Float64Array.of(1) };
  assert.deepEqual(fromCsv(toCsv({ tables: { t: { columns: one } } })).tables.t.columns, one);
});

test('a table whose name would be lost in CSV is refused, unless it stands alone', async () => {
  const table = { columns: { x: Float64Array.of(1) } };
  for (const name of ['', ' a', 'b c', 'a\nb', 'a\u00a0b']) {
    await refuses(() => toCsv({ tables: { a: table, [name]: table } }), 'malformed', 'tables');
    assert.match(toCsv({ tables: { [name]: table } }, { table: name }), /^x\n1\n$/);
  }
});

test('tables survive CSV bit for bit, NaN and the infinities too', () => {
  const back = fromCsv(toCsv(result));
  assert.deepEqual(back.tables.points, result.tables.points);
  assert.deepEqual(Object.keys(back.tables.empty.columns), ['value']);
  const one = fromCsv(toCsv(result, { table: 'points' }));
  assert.deepEqual(one.tables.table, result.tables.points);
});

test('texts survive CSV whatever they hold, beside numbers, in one column and in several', () => {
  const texts = [
    '1',
    '-2.5e3',
    'NaN',
    '',
    ' x ',
    'a,b',
    '"',
    '\r\n',
    '\n',
    '\r',
    '# table y',
    '한',
  ];
  for (const columns of [
    { texts },
    { value: Float64Array.from(texts, (_, i) => i), texts },
    { texts, more: texts.toReversed() },
    { digits: ['1', '2', '3'] },
    { empty: ['', '', ''] },
  ]) {
    const tables = { first: { columns }, second: { columns: { value: Float64Array.of(1) } } };
    assert.deepEqual(fromCsv(toCsv({ tables })).tables, tables, Object.keys(columns).join());
    const alone = toCsv({ tables }, { table: 'first' });
    assert.deepEqual(fromCsv(`\ufeff${alone}`).tables.table, tables.first);
    // Windows line ends between the rows change nothing.
    if (!JSON.stringify(columns).includes('\\n')) {
      assert.deepEqual(fromCsv(alone.replaceAll('\n', '\r\n')).tables.table, tables.first);
    }
  }
  const odd = fromCsv('# table __proto__\nconstructor\n1\n');
  assert.deepEqual(Object.keys(odd.tables), ['__proto__']);
  assert.deepEqual(Object.entries(odd.tables)[0][1].columns.constructor, Float64Array.of(1));
});

test('a real run survives JSON and CSV, and the CSV headings carry symbol and unit', async () => {
  const lab = await openLab({ workers: 0 });
  const real = await lab.run('large-prompt.output', shortRun).result;
  assert.equal(fingerprint(fromJson(toJson(real))), fingerprint(real));
  const csv = toCsv(real, { descriptor: lab.describe('large-prompt.output') });
  assert.equal(fingerprint(fromCsv(csv)), fingerprint(real));
  assert.ok(csv.split('\n')[1].split(',').includes('tokenCount (n) [tokens]'), csv.split('\n')[1]);
});

test('what is not a result is refused by what is wrong with it', async () => {
  const good = JSON.parse(toJson(result));
  const spoil = (change) => {
    const copy = structuredClone(good);
    change(copy);
    return JSON.stringify(copy);
  };
  const cases = {
    'no JSON': '{',
    'a list': '[]',
    'another format': spoil((it) => (it.format = 'x')),
    'another status': spoil((it) => (it.status = 'x')),
    'no tables': spoil((it) => delete it.tables),
    'no params': spoil((it) => delete it.params),
    'a null table': spoil((it) => (it.tables.points = null)),
    'a text in a number column': spoil((it) => (it.tables.points.columns.value[0] = 'x')),
    'null in a number column': spoil((it) => (it.tables.points.columns.value[0] = null)),
    'a number in a text column': spoil((it) => (it.tables.points.columns.name[0] = 1)),
    'columns of different lengths': spoil((it) => it.tables.points.columns.value.pop()),
    'a negative seed': spoil((it) => (it.seed = -1)),
    'a seed in words': spoil((it) => (it.seed = 'abc')),
    'a broken seed': spoil((it) => (it.seed = 0.5)),
    'a matrix that does not fit': spoil((it) => (it.params.tokens.shape = [9, 9])),
  };
  for (const [what, text] of Object.entries(cases)) {
    await refuses(() => fromJson(text), 'malformed', 'json', what);
  }
  await refuses(() => fromCsv('a,b\n1\n'), 'malformed', 'csv');
  await refuses(() => fromCsv('a\n"1\n'), 'malformed', 'csv');
  await refuses(() => fromCsv('a,a\n1,2\n'), 'malformed', 'csv');
  await refuses(() => fromCsv('# table x\na\n1\n# table x\na\n2\n'), 'malformed', 'csv');
  for (const nothing of [undefined, null, 1, {}, [], Symbol('x')]) {
    const what = String(nothing);
    await refuses(() => fromCsv(nothing), 'type', 'csv', what);
    await refuses(() => fromJson(nothing), 'type', 'json', what);
    const code = nothing === undefined ? 'missing' : 'type';
    await refuses(() => toCsv(nothing), code, 'result', what);
    await refuses(() => toJson(nothing), code, 'result', what);
  }
  await refuses(() => toCsv(result, { table: 'nothing' }), 'unknown-name', 'table');
  await refuses(() => toCsv(result, { table: 'constructor' }), 'unknown-name', 'table');
});

test('a fit is written and read whole or not at all', async () => {
  const { mhla } = await openLab({ workers: 0 });
  const fit = await mhla.fit({ prompts: [[[1, 2]], [[3, 4]]], targets: [[1], [2]] });
  const text = fitToJson(fit);
  assert.deepEqual(fitFromJson(`\ufeff${text}`), fit);
  for (const value of [undefined, null, 5, 'x', []]) {
    await refuses(() => fitToJson(value), ['type', 'missing'], 'fit');
  }
  for (const name of Object.keys(fit)) {
    for (const value of [undefined, null, {}, true]) {
      const spoilt = () => fitToJson({ ...fit, [name]: value });
      await refuses(spoilt, ['type', 'missing'], name, `${name}: ${value}`);
    }
    const trap = Object.defineProperties(
      { ...fit },
      Object.getOwnPropertyDescriptors(throwing(name)),
    );
    await refuses(() => fitToJson(trap), 'type', name);
  }
  const headless = { ...fit, heads: [{ value: fit.coefficients }] };
  await refuses(() => fitToJson(headless), 'missing', 'heads[0].query');
  const parsed = JSON.parse(text);
  const [head] = parsed.heads;
  const changes = {
    'fewer coefficients': { coefficients: [[1, 2]] },
    'no coefficients': { coefficients: [] },
    'another dimension': { dimension: 7 },
    'fewer names': { featureNames: ['x'] },
    'a head of another size': { heads: [{ value: [[1]], query: [[1]] }] },
    'a head of another output': { heads: [{ ...head, value: [...head.value, ...head.value] }] },
    'a query that is not square': { heads: [{ ...head, query: [[1, 2]] }] },
  };
  for (const [what, change] of Object.entries(changes)) {
    const wrong = JSON.stringify({ ...parsed, ...change });
    await refuses(() => fitFromJson(wrong), 'malformed', 'json', what);
  }
});
