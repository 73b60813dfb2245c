// What a run gives, and that it gives the same whoever does the work.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { fingerprint } from '../../dist/lib/index.js';
import { openLab, shortRun } from './lab.mjs';

const lab = await openLab({ variant: 'simd' });
const id = 'large-prompt.output';

test('a result has the contract’s fields and the descriptor’s tables and columns', async () => {
  const result = await lab.run(id, shortRun, { seed: 7 }).result;
  assert.deepEqual(Object.keys(result).sort(), [
    'experiment',
    'params',
    'seed',
    'status',
    'tables',
    'version',
  ]);
  assert.equal(result.status, 'done');
  assert.equal(result.experiment, id);
  assert.equal(result.seed, 7);
  assert.equal(result.version, lab.version);
  const descriptor = lab.describe(id);
  assert.deepEqual(
    Object.keys(result.params),
    descriptor.parameters.map(({ name }) => name),
  );
  assert.equal(result.params.largestCount, shortRun.largestCount);
  assert.deepEqual(result.params.magnitudes, shortRun.magnitudes);
  assert.deepEqual(
    Object.keys(result.tables),
    descriptor.tables.map(({ name }) => name),
  );
  for (const { name, columns } of descriptor.tables) {
    const table = result.tables[name].columns;
    assert.deepEqual(
      Object.keys(table),
      columns.map((column) => column.name),
    );
    const lengths = new Set(Object.values(table).map((values) => values.length));
    assert.equal(lengths.size, 1, `${name} has columns of one length`);
    for (const { name: column, type } of columns) {
      if (type === 'text') assert.ok(table[column].every((text) => typeof text === 'string'));
      else assert.ok(table[column] instanceof Float64Array);
    }
  }
});

test('one fingerprint whatever the number of workers and the length of slices', async () => {
  const prints = [];
  for (const workers of [0, 1, 2, 3]) {
    for (const sliceMilliseconds of [0, 1, 12, 500]) {
      const run = lab.run(id, shortRun, { seed: 3, workers, sliceMilliseconds });
      prints.push(`${fingerprint(await run.result)}`);
    }
  }
  assert.equal(new Set(prints).size, 1, prints.join(' '));
});

test('pausing, resuming and stepping change no bit', async () => {
  const plain = fingerprint(await lab.run(id, shortRun, { seed: 3 }).result);
  for (const workers of [0, 2]) {
    const run = lab.run(id, shortRun, { seed: 3, workers, paused: true });
    for (let i = 0; i < 5; ++i) await run.step();
    run.resume();
    await new Promise((done) => setTimeout(done, 10));
    run.pause();
    await new Promise((done) => setTimeout(done, 10));
    run.resume();
    assert.equal(fingerprint(await run.result), plain);
  }
});

test('runs side by side do not disturb each other', async () => {
  const alone = fingerprint(await lab.run(id, shortRun, { seed: 3 }).result);
  const runs = [3, 4, 3, 5].map((seed, i) => lab.run(id, shortRun, { seed, workers: i }));
  const prints = (await Promise.all(runs.map((run) => run.result))).map(fingerprint);
  assert.equal(prints[0], alone);
  assert.equal(prints[2], alone);
  assert.equal(new Set(prints).size, 3);
});

test('another seed gives other numbers; equal seeds, as number or text, the same', async () => {
  const print = async (seed) => fingerprint(await lab.run(id, shortRun, { seed }).result);
  const seeds = [
    0,
    1,
    2 ** 32 - 1,
    2 ** 32,
    2 ** 53 - 1,
    '9007199254740993',
    '9007199254740992',
    '18446744073709551615',
  ];
  const prints = await Promise.all(seeds.map(print));
  assert.equal(new Set(prints).size, seeds.length, 'no two of these seeds agree');
  assert.equal(await print('4294967295'), prints[2]);
  assert.equal(await print('0004294967295'), prints[2]);
  const { seed } = await lab.run(id, shortRun, { seed: '9007199254740993' }).result;
  assert.equal(seed, '9007199254740993');
});

test('a preset lies over the defaults and parameters over the preset', async () => {
  const { params } = await lab.run(id, { ...shortRun }, { preset: 'dimensions' }).result;
  const preset = lab.describe(id).presets.find(({ name }) => name === 'dimensions');
  assert.deepEqual(params.dimensions, preset.values.dimensions);
  assert.deepEqual(params.magnitudes, shortRun.magnitudes);
});

test('a text run finds its word vectors and gives the same in a worker and without', async () => {
  const settings = { ...shortRun, magnitudes: [1] };
  const prints = [];
  for (const workers of [0, 1]) {
    const result = await lab.run(id, settings, { preset: 'text', workers }).result;
    assert.ok(result.tables.summary.columns.knownWords[0] > 50);
    prints.push(fingerprint(result));
  }
  assert.equal(prints[0], prints[1]);
});

test('the fingerprint is FNV-1a over names, sizes and bits, NaNs being one', () => {
  // Computed apart, from the definition.
  const fnv = (bytes) => {
    let hash = 14695981039346656037n;
    for (const byte of bytes) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 1099511628211n);
    return hash.toString(16).padStart(16, '0');
  };
  const size = (n) => [n, 0, 0, 0, 0, 0, 0, 0];
  const number = (x) => [...new Uint8Array(Float64Array.of(x).buffer)];
  const tables = { t: { columns: { a: Float64Array.of(1.5, -0), b: ['λ'] } } };
  const expected = fnv([
    ...size(1),
    0x74,
    ...size(2),
    ...number(1.5),
    ...number(-0),
    ...size(0),
    ...size(0),
    ...size(1),
    ...size(2),
    0xce,
    0xbb,
  ]);
  assert.equal(fingerprint({ tables }), expected);
  const quiet = new Float64Array(1);
  const other = new Float64Array(1);
  new BigUint64Array(quiet.buffer)[0] = 0x7ff8000000000000n;
  new BigUint64Array(other.buffer)[0] = 0xfff8000000000001n;
  const of = (a) => fingerprint({ tables: { t: { columns: { a } } } });
  assert.equal(of(quiet), of(other));
  assert.notEqual(of(Float64Array.of(0)), of(Float64Array.of(-0)));
});

const native = fileURLToPath(new URL('../../build/native/attnlab_fingerprint', import.meta.url));
const toolchain = fileURLToPath(new URL('../../tools/toolchain.mjs', import.meta.url));
const words = fileURLToPath(new URL('../../dist/lib/data/glove-4000.bin', import.meta.url));

test('the native build gives the same bits', async () => {
  assert.ok(existsSync(native), `${native} is missing: npm test builds it`);
  for (const preset of [undefined, 'text']) {
    const settings = { largestCount: 256, replicates: 4 };
    const result = await lab.run(id, settings, { seed: 5, ...(preset ? { preset } : {}) }).result;
    // Run where it was built: its C library may be newer than this machine's.
    const args = [
      ...[toolchain, 'exec', '--', native],
      id,
      ...['--seed', '5', '--resource', 'glove-4000', words],
      ...(preset ? ['--preset', preset] : []),
      ...['largestCount=256', 'replicates=4'],
    ];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    assert.equal(status, 0, stderr);
    assert.equal(fingerprint(result), stdout.trim(), `preset ${preset}`);
  }
});
