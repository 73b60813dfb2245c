// Files made to break a reader, each of which one did break: refused by name, and at once.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';
import { fitFromJson, fromJson, readMatrix, readPrompts } from '../../dist/lib/data.js';
import { refuses } from './lab.mjs';

// JSON can hold an object that neither String() nor Number() survives.
const spiteful = { toString: 1, valueOf: 1 };

test('a million empty lines before a table are skipped in a moment', () => {
  const begun = performance.now();
  for (const line of ['\n', ' \n', '\r\n', '#\n', '\u2028']) {
    const lines = line.repeat(1e6 / line.length);
    assert.throws(() => readMatrix(lines), { name: 'AttnLabError' }, JSON.stringify(line));
  }
  const read = readMatrix(`${'\n'.repeat(500_000)}1;2\n`);
  assert.deepEqual([...read.data], [1, 2]);
  // Line by line against line by line, one of them takes minutes.
  assert.ok(performance.now() - begun < 20_000);
});

test('the separator is that of the first line that says something', () => {
  const cases = [
    ['\n \t \n# a,b,c\n1;2\n', [1, 2]],
    ['# a\tb\n 1,2\n', [1, 2]],
    ['\r\n\r\n1\t2\r\n', [1, 2]],
  ];
  for (const [text, expected] of cases) assert.deepEqual([...readMatrix(text).data], expected);
});

test('tokens without an entry are no prompts', async () => {
  for (const text of ['prompt\n1\n2\n', '[[[],[]]]', '[[[]],[[]]]'])
    await refuses(() => readPrompts(text), 'shape', 'prompts', text);
});

test('a matrix in a result has two whole sides', async () => {
  const file = (matrix) =>
    JSON.stringify({
      ...{ format: 'attnlab-result', experiment: 'a', status: 'done', seed: 1, version: '1' },
      ...{ params: { tokens: matrix }, tables: {} },
    });
  const cases = [
    { data: [1, 2, 3], shape: [1.5, 2] },
    { data: [1, 2], shape: [-1, -2] },
    { data: [1, 2], shape: [1, 2, 7] },
    { data: [], shape: [0, 'Infinity'] },
    { data: [1, 2], shape: [2] },
  ];
  for (const matrix of cases)
    await refuses(() => fromJson(file(matrix)), 'malformed', 'json', JSON.stringify(matrix));
  assert.deepEqual(fromJson(file({ data: [], shape: [0, 3] })).params.tokens.shape, [0, 3]);
});

const fit = {
  ...{ format: 'attnlab-mhla', method: 'dual', samples: 1, rank: 1, dimension: 1, condition: 1 },
  ...{ trainingError: 0, targetVariance: 0, warnings: [], featureNames: ['x'] },
  ...{ coefficients: [[1]], singularValues: [1], heads: [] },
};

test('the texts of a fit are texts, and its counts whole numbers', async () => {
  assert.equal(fitFromJson(JSON.stringify(fit)).method, 'dual');
  const texts = [{ warnings: [spiteful] }, { featureNames: [1] }, { method: spiteful }];
  const counts = [{ samples: 'Infinity' }, { rank: 0.5 }, { dimension: -1 }];
  for (const wrong of [...texts, ...counts]) {
    const text = JSON.stringify({ ...fit, ...wrong });
    await refuses(() => fitFromJson(text), 'malformed', 'json', text);
  }
});

test('the page reads a certificate whose entries are anything', async () => {
  const entry = fileURLToPath(new URL('../../web/page/state/solver-files.ts', import.meta.url));
  const options = { entryPoints: [entry], bundle: true, format: 'esm', write: false };
  const { outputFiles } = await esbuild.build(options);
  const { readSolverFile } = await import(
    `data:text/javascript;base64,${Buffer.from(outputFiles[0].text).toString('base64')}`
  );
  const file = {
    ...{ format: 'attnlab-certificate', method: spiteful, samples: spiteful, rank: 2 },
    ...{ perInput: [{ leverage: spiteful }, null], warnings: [spiteful, 'kept'] },
    openDirections: [{ text: spiteful, share: 'Infinity' }],
  };
  const { summary, predictions, coefficients, warnings } = await readSolverFile(
    JSON.stringify(file),
  );
  assert.deepEqual([summary.columns.samples, summary.columns.rank], [[NaN], [2]]);
  assert.deepEqual(predictions.columns.leverage, [NaN, NaN]);
  assert.deepEqual(coefficients.columns.open, [Infinity]);
  assert.deepEqual(warnings.columns.warning, ['', 'kept']);
});
