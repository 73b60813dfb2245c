// What readers and writers are given by mistake.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fingerprint, toCsv, toJson, toRows } from '../../dist/lib/index.js';
import { readMatrix, readNpy, readNpyArray, readPrompts, writeNpy } from '../../dist/lib/data.js';
import { revoked, throwing } from './bad_values.mjs';
import { result } from './hard_result.mjs';
import { refuses } from './lab.mjs';

test('readers and writers refuse what is not theirs by the parameter’s name', async () => {
  const nothing = [undefined, null, 5, true, Symbol('x'), 2n, () => 1, new Date(0)];
  const refused = async (parameter, call, more = []) => {
    for (const value of [...nothing, {}, [], revoked(), ...more]) {
      const error = await refuses(() => call(value), ['type', 'missing', 'shape'], parameter);
      assert.ok(!error.message.includes('fault of this library'));
    }
  };
  await refused('file', readMatrix, [new Float64Array(2)]);
  await refused('file', readPrompts, [new Float64Array(2)]);
  await refused('npy', readNpy, ['text', new ArrayBuffer(8)]);
  await refused('npy', readNpyArray, ['text', new ArrayBuffer(8)]);
  const matrices = [
    ...['text', [[1]], new Float64Array(4), { data: [1] }, throwing('data'), throwing('shape')],
    { data: Float64Array.of(1), shape: [2, 2] },
    { data: ['1'], shape: [1, 1] },
  ];
  await refused('matrix', writeNpy, matrices);
  await refused('matrix', toRows, matrices);
  const negative = { data: new Float64Array(0), shape: [-1, 0] };
  await refuses(() => writeNpy(negative), 'out-of-range', 'matrix');
  const half = { data: Float64Array.of(1, 2), shape: [0.5, 4] };
  await refuses(() => writeNpy(half), 'not-integer', 'matrix');
  const tables = [
    ...['text', { tables: null }, { tables: [] }, { tables: { a: null } }, throwing('tables')],
    ...[{ tables: { a: {} } }, { tables: { a: { columns: 5 } } }],
    { tables: { a: { columns: { x: [1, 2] } } } },
    { tables: { a: { columns: { x: null } } } },
    { tables: { a: throwing('columns') } },
  ];
  await refused('result', fingerprint, tables);
  const uneven = { a: { columns: { x: Float64Array.of(1), y: ['a', 'b'] } } };
  await refused('result', toCsv, [...tables, { tables: uneven }]);
  await refused('result', toJson, [
    ...tables,
    { ...result, params: null },
    { ...result, tables: uneven },
    { ...result, status: 'lost' },
    { ...result, experiment: 5 },
  ]);
  for (const value of [null, {}, { data: [1], shape: [2, 2] }, undefined, ['1']]) {
    const call = () => toJson({ ...result, params: { odd: value } });
    await refuses(call, ['type', 'missing', 'shape'], 'odd');
  }
  for (const options of [null, 5, 'x', []]) {
    await refuses(() => readMatrix('1', options), 'type', 'options');
    await refuses(() => readPrompts('1', options), 'type', 'options');
    await refuses(() => toCsv(result, options), 'type', 'options');
  }
  for (const options of [{ lenght: 1 }, { nmae: 'a.csv' }]) {
    const [name] = Object.keys(options);
    await refuses(() => readMatrix('1', options), 'unknown-name', name);
    await refuses(() => readPrompts('1', options), 'unknown-name', name);
  }
  await refuses(() => readMatrix('1', { name: 5 }), 'type', 'name');
  await refuses(() => readPrompts('1', { length: '1' }), 'type', 'length');
  await refuses(() => readPrompts('1', { length: NaN }), 'shape', 'length');
  for (const descriptor of [5, [], {}, { tables: 5 }, { tables: [null] }, { tables: [{}] }]) {
    await refuses(() => toCsv(result, { descriptor }), ['type', 'missing'], 'descriptor');
  }
});
