// Readers of files: what is valid is read as it is meant, what is nearly so is read or refused.
import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  fitFromJson,
  fitToJson,
  fromCsv,
  fromJson,
  readMatrix,
  readNpyArray,
  readPrompts,
  toCsv,
  toJson,
  writeNpy,
} from '../../../dist/lib/index.js';
import { fuzz } from './budget.mjs';
import { anyJson, mutatedBytes, mutatedJson, mutatedText } from './mutations.mjs';
import { npyFiles } from './npy_files.mjs';
import { outcome } from './outcome.mjs';
import { tableTexts } from './tables.mjs';

const names = fc.constantFrom(undefined, 'a.csv', 'a.tsv', 'a.txt', 'a.json', 'a.npy', 'a.bin');

function checkMatrix(read) {
  if (read === undefined) return;
  assert.ok(read.rows > 0 && read.columns > 0, 'it holds nothing');
  assert.equal(read.data.length, read.rows * read.columns);
  assert.ok(read.data.every(Number.isFinite), 'an entry is not finite');
}

function checkPrompts(prompts) {
  if (prompts === undefined) return;
  assert.ok(prompts.length > 0, 'no prompt');
  for (const { data, shape } of prompts) {
    assert.ok(shape[0] > 0 && shape[1] > 0, `a prompt of ${shape}`);
    assert.equal(data.length, shape[0] * shape[1]);
    assert.equal(shape[1], prompts[0].shape[1]);
    assert.ok(data.every(Number.isFinite), 'an entry is not finite');
  }
}

fuzz(
  'a table is read as it is meant, however it is written',
  3000,
  fc.property(tableTexts, ({ rows, text }) => {
    const read = readMatrix(text);
    assert.deepEqual([read.rows, read.columns], [rows.length, rows[0].length]);
    assert.deepEqual([...read.data], rows.flat());
  }),
);

fuzz(
  'an array of numpy is read as it is meant, however it is written',
  3000,
  fc.property(npyFiles, ({ bytes, shape, values }) => {
    const read = readNpyArray(bytes);
    assert.deepEqual(read.shape, shape);
    assert.deepEqual([...read.data], values);
  }),
);

fuzz(
  'a table that is nearly right is read or refused',
  6000,
  fc.property(
    mutatedBytes(tableTexts.map(({ text }) => Buffer.from(text))),
    names,
    fc.option(fc.integer({ min: -1, max: 4 }), { nil: undefined }),
    (bytes, name, length) => {
      checkMatrix(outcome(() => readMatrix(bytes, { name })));
      checkPrompts(outcome(() => readPrompts(bytes, { name, length })));
    },
  ),
);

fuzz(
  'a .npy file that is nearly right is read or refused',
  6000,
  fc.property(mutatedBytes(npyFiles.map(({ bytes }) => bytes)), (bytes) => {
    const read = outcome(() => readNpyArray(bytes));
    if (read) {
      assert.equal(
        read.data.length,
        read.shape.reduce((product, side) => product * side, 1),
      );
    }
    checkMatrix(outcome(() => readMatrix(bytes)));
    checkPrompts(outcome(() => readPrompts(bytes)));
  }),
);

fuzz(
  'any bytes are read or refused',
  4000,
  fc.property(fc.uint8Array({ maxLength: 80 }), names, (bytes, name) => {
    checkMatrix(outcome(() => readMatrix(bytes, { name })));
    checkPrompts(outcome(() => readPrompts(bytes, { name })));
  }),
);

fuzz(
  'JSON of any form is read or refused',
  4000,
  fc.property(anyJson, (value) => {
    const text = JSON.stringify(value);
    checkMatrix(outcome(() => readMatrix(text, { name: 'a.json' })));
    checkPrompts(outcome(() => readPrompts(text)));
    for (const read of [fromJson, fitFromJson, fromCsv]) outcome(() => read(text));
  }),
);

const matrix = { data: [1, 2, 'NaN', 4], shape: [2, 2] };
const result = {
  format: 'attnlab-result',
  experiment: 'large-prompt.output',
  status: 'done',
  params: { count: 3, name: 'a', flag: true, list: [1, 'Infinity'], tokens: matrix },
  seed: 1,
  version: '0.1.0',
  tables: { points: { columns: { n: [1, 2], word: ['a', 'b'] }, texts: ['word'] } },
};

fuzz(
  'a result that is nearly right is refused, or read and written again without a loss',
  5000,
  fc.property(mutatedJson(fc.constant(result)), (file) => {
    const read = outcome(() => fromJson(JSON.stringify(file)));
    if (!read) return;
    assert.deepEqual(fromJson(toJson(read)), read);
    for (const value of Object.values(read.params))
      if (value?.shape) assert.equal(writeNpy(value).length % 8, 0);
  }),
);

const fit = {
  format: 'attnlab-mhla',
  method: 'dual',
  ...{ samples: 2, rank: 1, dimension: 1, condition: 1, trainingError: 0, targetVariance: 1 },
  warnings: ['a'],
  featureNames: ['<z_1, z_1> z_1'],
  coefficients: [[1, 'Infinity']],
  singularValues: [1, 'NaN'],
  heads: [{ value: [[1, 2]], query: [[1], [2]] }],
};

fuzz(
  'a fit that is nearly right is refused, or read and written again without a loss',
  5000,
  fc.property(mutatedJson(fc.constant(fit)), (file) => {
    const read = outcome(() => fitFromJson(JSON.stringify(file)));
    if (read) assert.deepEqual(fitFromJson(fitToJson(read)), read);
  }),
);

const csv = '# table points\n"n (n) [tokens]",word\n1,"2"\nNaN,"a ""b"""\n\n# table more\nx\n-0\n';

fuzz(
  'a CSV file that is nearly right is refused, or read and written again without a loss',
  6000,
  fc.property(mutatedText(fc.constant(csv)), (text) => {
    const read = outcome(() => fromCsv(text));
    if (!read) return;
    for (const { columns } of Object.values(read.tables)) {
      const lengths = new Set(Object.values(columns).map((values) => values.length));
      assert.ok(lengths.size <= 1, 'columns of different lengths');
    }
    const [first] = Object.keys(read.tables);
    if (first !== undefined) outcome(() => toCsv(read, { table: first }));
  }),
);
