// The reader's own matrices and prompts: CSV, JSON, .npy.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fromJson, toJson } from '../../dist/lib/index.js';
import { readMatrix, readNpy, readNpyArray, readPrompts, writeNpy } from '../../dist/lib/data.js';
import { hard, result } from './hard_result.mjs';
import { refuses } from './lab.mjs';

const rows = (matrix) => {
  const [n, d] = matrix.shape;
  return Array.from({ length: n }, (_, i) => Array.from(matrix.data.slice(i * d, (i + 1) * d)));
};

test('a byte-order mark before JSON is skipped', async () => {
  const mark = '\ufeff';
  assert.deepEqual(fromJson(mark + toJson(result)), result);
  const bytes = (text) => new TextEncoder().encode(mark + text);
  for (const source of [`${mark}[[1,2],[3,4]]`, bytes('[[1,2],[3,4]]')]) {
    assert.deepEqual(rows(readMatrix(source, { name: 'a.json' })), [
      [1, 2],
      [3, 4],
    ]);
    assert.deepEqual(readPrompts(source).map(rows), [
      [
        [1, 2],
        [3, 4],
      ],
    ]);
  }
  for (const source of [`${mark}[[[1]],[[2]]]`, bytes('[[[1]],[[2]]]')]) {
    assert.deepEqual(readPrompts(source).map(rows), [[[1]], [[2]]]);
  }
  await refuses(() => fromJson(mark + mark), 'malformed', 'json');
});

test('matrices are read from CSV, TSV, semicolons and JSON', () => {
  const expected = [
    [1, 2.5, -3e-7],
    [4, 0.5, 6],
  ];
  const cases = [
    ['1,2.5,-3e-7\n4,.5,6\n', 'csv'],
    ['\ufeff1, 2.5 ,-3E-7\r\n\r\n4,0.5,+6', 'csv'],
    ['"1","2.5","-3e-7"\n"4","0.5","6"', 'csv'],
    ['# made by hand\n1,2.5,-3e-7\n4,.5,6\n', 'csv'],
    ['1\t2.5\t-3e-7\n4\t.5\t6', 'tsv'],
    ['1;2.5;-3e-7\n4;.5;6', 'csv'],
    ['[[1,2.5,-3e-7],[4,0.5,6]]', 'json'],
    ['{"data":[1,2.5,-3e-7,4,0.5,6],"shape":[2,3]}', 'json'],
  ];
  for (const [text, format] of cases) {
    for (const source of [text, new TextEncoder().encode(text)]) {
      const read = readMatrix(source);
      assert.deepEqual(rows(read), expected, text);
      assert.equal(read.format, format, text);
      assert.deepEqual([read.rows, read.columns], [2, 3]);
      assert.equal(read.header, undefined);
    }
  }
  const headed = readMatrix('x,y\n1,2\n', { name: 'tokens.csv' });
  assert.deepEqual(headed.header, ['x', 'y']);
  assert.deepEqual(rows(headed), [[1, 2]]);
  assert.equal(headed.notes.length, 1);
  assert.deepEqual(rows(readMatrix('[1, 2, 3]')), [[1], [2], [3]]);
});

test('a JSON file is refused in words that count as its row and column do', async () => {
  for (const [read, text, where] of [
    [readMatrix, '[[1,null]]', 'row 1, column 2'],
    [readMatrix, '[[1,1e999]]', 'row 1, column 2'],
    [readMatrix, '[[1,2],[3]]', 'row 2 has 1 entries, row 1 has 2'],
    [readPrompts, '[[[1,2]],[[3,null]]]', 'prompt 2: row 1, column 2 is null'],
    [readPrompts, '[[[1,2]],[[3,1e999]]]', 'prompt 2, row 1, column 2'],
    [readPrompts, '[[[1,2]],[[3]]]', 'prompt 2 has 1 columns, prompt 1 has 2'],
  ]) {
    const { message } = await refuses(() => read(text), undefined, undefined, text);
    assert.ok(message.includes(where), message);
  }
});

test('a bad file is refused by its line and column', async () => {
  const cases = [
    ['1,2\n3,x\n', 'malformed', 2, 2],
    ['1,2\n3,\n', 'malformed', 2, 2],
    ['1,2\n\n3\n', 'malformed', 3, undefined],
    ['a,b\n1,2\n3,NaN\n', 'not-finite', 3, 2],
    ['1,2\n3,inf\n', 'not-finite', 2, 2],
    ['1,2\n3,0x10\n', 'malformed', 2, 2],
    ['1,2\n3,1_000\n', 'malformed', 2, 2],
    ['1,2\n3,"4\n', 'malformed', 2, 2],
    ['1,2\n3,"4"5\n', 'malformed', 2, 2],
    ['1,x\n3,4\n', 'malformed', 1, 2],
    ['[[1,2],[3,"4"]]', 'type', 2, 2],
    ['[[1,2],[3]]', 'shape', 2, undefined],
    ['[[1,2],[3,null]]', 'type', 2, 2],
  ];
  for (const [text, code, row, column] of cases) {
    const error = await refuses(() => readMatrix(text), code, undefined, text);
    assert.equal(error.row, row, `${text}: ${error.message}`);
    assert.equal(error.column, column, `${text}: ${error.message}`);
  }
  for (const text of [
    '',
    '\n\n',
    'x,y\n',
    '[',
    '{}',
    '[]',
    '[[]]',
    '{"data":[1],"shape":[2,2]}',
    '{"data":[1e999],"shape":[1,1]}',
  ]) {
    await refuses(() => readMatrix(text), undefined, undefined, JSON.stringify(text));
  }
  for (const source of [undefined, null, 5, {}, [1], Symbol('x')]) {
    await refuses(() => readMatrix(source), 'type', 'file');
  }
  await refuses(() => readMatrix(Uint8Array.of(0xff, 0xfe, 0x00)), 'malformed', 'file');
});

// A .npy file by the published format, written apart from the library's own writer.
function npy({ descr = '<f8', fortran = false, shape = '(2, 3)', version = 1, header, data }) {
  const text =
    header ??
    `{'descr': '${descr}', 'fortran_order': ${fortran ? 'True' : 'False'}, 'shape': ${shape}, }`;
  const lengthBytes = version === 1 ? 2 : 4;
  const length = Math.ceil((8 + lengthBytes + text.length + 1) / 64) * 64 - 8 - lengthBytes;
  const head = Buffer.alloc(8 + lengthBytes);
  head.set([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, version, 0]);
  if (version === 1) head.writeUInt16LE(length, 8);
  else head.writeUInt32LE(length, 8);
  return Buffer.concat([
    head,
    Buffer.from(`${text.padEnd(length - 1)}\n`, 'latin1'),
    data ?? Buffer.alloc(0),
  ]);
}

function packed(values, write, size) {
  const buffer = Buffer.alloc(values.length * size);
  values.forEach((value, i) => buffer[write](value, i * size));
  return buffer;
}

test('.npy files are read in every type, order and version', () => {
  const values = [1, 2, 3, 4, 5, 6];
  const big = values.map(BigInt);
  const expected = [
    [1, 2, 3],
    [4, 5, 6],
  ];
  const kinds = [
    ['<f8', packed(values, 'writeDoubleLE', 8)],
    ['>f8', packed(values, 'writeDoubleBE', 8)],
    ['<f4', packed(values, 'writeFloatLE', 4)],
    ['>f4', packed(values, 'writeFloatBE', 4)],
    ['<i8', packed(big, 'writeBigInt64LE', 8)],
    ['>i8', packed(big, 'writeBigInt64BE', 8)],
    ['<u8', packed(big, 'writeBigUInt64LE', 8)],
    ['<i4', packed(values, 'writeInt32LE', 4)],
    ['>u4', packed(values, 'writeUInt32BE', 4)],
    ['<i2', packed(values, 'writeInt16LE', 2)],
    ['>u2', packed(values, 'writeUInt16BE', 2)],
    ['|i1', packed(values, 'writeInt8', 1)],
    ['|u1', packed(values, 'writeUInt8', 1)],
  ];
  for (const [descr, data] of kinds) {
    for (const version of [1, 2, 3]) {
      assert.deepEqual(rows(readNpy(npy({ descr, data, version }))), expected, descr);
    }
  }
  const columnwise = packed([1, 4, 2, 5, 3, 6], 'writeDoubleLE', 8);
  assert.deepEqual(rows(readNpy(npy({ fortran: true, data: columnwise }))), expected);
  assert.deepEqual(
    rows(readNpy(npy({ descr: '|b1', shape: '(3,)', data: Buffer.from([0, 1, 2]) }))),
    [[0], [1], [1]],
  );
  assert.deepEqual(rows(readNpy(npy({ shape: '()', data: packed([7], 'writeDoubleLE', 8) }))), [
    [7],
  ]);
  const offset = npy({ data: kinds[0][1] });
  const shifted = new Uint8Array(offset.length + 3).subarray(3);
  shifted.set(offset);
  assert.deepEqual(rows(readNpy(shifted)), expected, 'at an odd place of its buffer');
  assert.equal(readMatrix(npy({ data: kinds[0][1] })).format, 'npy');
});

test('a malformed .npy file is refused before anything is allocated', async () => {
  const data = packed([1, 2, 3, 4, 5, 6], 'writeDoubleLE', 8);
  const whole = npy({ data });
  const cases = {
    nothing: new Uint8Array(0),
    'the mark alone': whole.subarray(0, 6),
    'a cut header': whole.subarray(0, 40),
    'cut data': whole.subarray(0, whole.length - 1),
    'data too many': Buffer.concat([whole, Buffer.alloc(1)]),
    'version 4': npy({ data, version: 4 }),
    'complex numbers': npy({ data, descr: '<c16' }),
    objects: npy({ data, descr: '|O' }),
    'a structure': npy({
      data,
      header: "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (6,)}",
    }),
    'a huge shape': npy({ data, shape: '(1000000000, 1000000000)' }),
    'a negative side': npy({ data, shape: '(-2, 3)' }),
    'three dimensions': npy({ data, shape: '(1, 2, 3)' }),
    'four dimensions': npy({ data, shape: '(1, 1, 2, 3)' }),
    'no shape': npy({ data, header: "{'descr': '<f8', 'fortran_order': False}" }),
    'no header at all': npy({ data, header: 'hello' }),
    'a fraction as side': npy({ data, shape: '(2.5, 3)' }),
  };
  for (const [what, bytes] of Object.entries(cases)) {
    await refuses(() => readNpy(bytes), ['malformed', 'shape'], 'npy', what);
  }
  const inexact = npy({
    descr: '<i8',
    shape: '(1,)',
    data: packed([2n ** 53n + 1n], 'writeBigInt64LE', 8),
  });
  await refuses(() => readNpy(inexact), 'out-of-range', 'npy');
  const nan = npy({ data: packed([1, 2, 3, NaN, 5, 6], 'writeDoubleLE', 8) });
  const error = await refuses(() => readMatrix(nan), 'not-finite', 'npy');
  assert.deepEqual([error.row, error.column], [2, 1]);
});

test('a small file with large claims is answered at once', async () => {
  const begun = performance.now();
  const nothing = new Uint8Array(0);
  readNpyArray(npy({ data: nothing, shape: '(999999999999999, 0)' }));
  await refuses(
    () => readPrompts(npy({ data: nothing, shape: '(1000000, 1000000000, 0)' })),
    'shape',
    'prompts',
  );
  await refuses(() => readMatrix(`1,2\n${'1'.repeat(100_000)}x,3`), 'malformed');
  // Done by the letter, these take minutes or never end.
  assert.ok(performance.now() - begun < 15_000);
});

test('.npy files that are written read back bit for bit, and their data are aligned', () => {
  const matrix = { data: Float64Array.from(hard), shape: [5, 2] };
  const bytes = writeNpy(matrix);
  assert.deepEqual(readNpy(bytes), matrix);
  assert.equal((bytes.length - matrix.data.length * 8) % 64, 0);
});

test('prompts are read from .npy, JSON and tables', async () => {
  const expected = [
    [
      [1, 2],
      [3, 4],
      [5, 6],
    ],
    [
      [7, 8],
      [9, 10],
      [11, 12],
    ],
  ];
  const flat = expected.flat(2);
  const data = packed(flat, 'writeDoubleLE', 8);
  // In Fortran order the first index runs fastest.
  const columnwise = [];
  for (let j = 0; j < 2; ++j)
    for (let i = 0; i < 3; ++i) for (let k = 0; k < 2; ++k) columnwise.push(expected[k][i][j]);
  const fortran = npy({
    shape: '(2, 3, 2)',
    fortran: true,
    data: packed(columnwise, 'writeDoubleLE', 8),
  });
  assert.deepEqual(Array.from(readNpyArray(fortran).data), flat);
  const table = expected
    .flat()
    .map((row) => row.join(','))
    .join('\n');
  const sources = [
    [npy({ shape: '(2, 3, 2)', data })],
    [fortran],
    [npy({ shape: '(6, 2)', data }), { length: 3 }],
    [JSON.stringify(expected)],
    [JSON.stringify({ data: flat, shape: [2, 3, 2] })],
    [table, { length: 3 }],
    [
      `x,prompt,y\n${expected.flatMap((rows, i) => rows.map(([x, y]) => `${x},${i},${y}`)).join('\n')}`,
    ],
  ];
  for (const [source, options] of sources)
    assert.deepEqual(readPrompts(source, options).map(rows), expected);
  assert.equal(readPrompts(table).length, 1);
  const ragged = [
    [[1, 2]],
    [
      [3, 4],
      [5, 6],
    ],
  ];
  assert.deepEqual(readPrompts(JSON.stringify(ragged)).map(rows), ragged);
  for (const bad of ['[[[1,2],[3]]]', '[[[1,2]],[[1]]]', '[', '{"data":[1],"shape":[1,1,2]}', '']) {
    await refuses(() => readPrompts(bad), undefined, undefined, bad);
  }
  await refuses(() => readPrompts(table, { length: 4 }), 'shape', 'length');
});

test('readers never throw anything but an AttnLabError, whatever the bytes', async () => {
  let state = 1;
  const random = () => (state = (Math.imul(state, 1103515245) + 12345) >>> 0) / 2 ** 32;
  const seeds = [
    npy({ data: packed([1, 2, 3, 4, 5, 6], 'writeDoubleLE', 8) }),
    Buffer.from('1,2\n3,"4"\n'),
    Buffer.from('{"data":[1,2],"shape":[1,2]}'),
  ];
  for (let i = 0; i < 3000; ++i) {
    const bytes = Uint8Array.from(seeds[i % seeds.length]);
    for (let k = 0; k < 1 + (i % 4); ++k)
      bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256);
    try {
      const read = readMatrix(bytes);
      assert.equal(read.data.length, read.rows * read.columns);
    } catch (error) {
      assert.equal(
        error.name,
        'AttnLabError',
        `${Buffer.from(bytes).toString('hex')}: ${error.stack}`,
      );
    }
  }
});
