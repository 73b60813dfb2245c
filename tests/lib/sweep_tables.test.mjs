// The tables that merge makes of what sweeps leave.
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { tableFromIPC } from 'apache-arrow';
import { fromCsv } from '../../dist/lib/index.js';
import { openLab } from './lab.mjs';
import {
  cliAlone,
  fails,
  id,
  inFolder,
  merged,
  misused,
  needle,
  read,
  resealed,
  sha256,
  start,
  succeeds,
  sweepWhole,
  tiny,
  writePlan,
} from './sweeping.mjs';

const lab = await openLab({ workers: 1 });
const whole = await sweepWhole();

test('the rows are those of the runs, led by the varied parameters, seed and status', async () => {
  const { columns } = fromCsv(whole).tables.table;
  assert.deepEqual(Object.keys(columns).slice(0, 4), ['source', 'persistence', 'seed', 'status']);
  assert.deepEqual(Array.from(columns.seed.slice(0, 3)), [1, 2, 3], 'point by point');
  const { tables } = await lab.run(
    id,
    { ...tiny.parameters, source: 'cube', persistence: 0.5 },
    { seed: 2 },
  ).result;
  const row = columns.source.findIndex(
    (source, i) => source === 'cube' && columns.persistence[i] === 0.5 && columns.seed[i] === 2,
  );
  assert.equal(columns.rms[row], tables.summary.columns.rms[0]);
  const { stdout } = await succeeds('merge', 'whole.jsonl', '--format=jsonl', '--table=points');
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const points = lines.filter(
    (one) => one.source === 'cube' && one.persistence === 0.5 && one.seed === 2,
  );
  assert.deepEqual(
    points.map((one) => one.rms),
    Array.from(tables.points.columns.rms),
  );
});

test('a column called as a varied parameter gets its table’s name', async () => {
  await writePlan('clash.json', {
    ...needle,
    parameters: { snrs: [1], prompts: 100, dimension: 2, largestScale: 4 },
    vary: { length: { grid: [2] } },
  });
  await succeeds('sweep', 'clash.json', '--out', 'clash.jsonl', '--workers', '0');
  const { columns } = fromCsv(await merged('clash.jsonl')).tables.table;
  assert.deepEqual(Array.from(columns.length), [2]);
  assert.deepEqual(Array.from(columns['summary.length']), [2]);
});

test('the summary holds mean, standard error and quantiles over the seeds', async () => {
  const { stdout } = await succeeds('merge', 'whole.jsonl', '--summary');
  const { columns } = fromCsv(stdout).tables.table;
  const rows = fromCsv(whole).tables.table.columns;
  const firstRow = (i) => rows.curve[i] === rows.curve[0];
  const values = Array.from(rows.rms.filter((_, i) => firstRow(i)).slice(0, 3)).sort(
    (a, b) => a - b,
  );
  const mean = values.reduce((sum, x) => sum + x, 0) / 3;
  const variance = values.reduce((sum, x) => sum + (x - mean) ** 2, 0) / 2;
  const close = (x, y) => assert.ok(Math.abs(x - y) <= 1e-12 * Math.abs(y), `${x} and ${y}`);
  assert.equal(columns['rms.count'][0], 3);
  close(columns['rms.mean'][0], mean);
  close(columns['rms.standardError'][0], Math.sqrt(variance / 3));
  assert.equal(columns['rms.q50'][0], values[1]);
  close(columns['rms.q05'][0], values[0] + 0.1 * (values[1] - values[0]));
  close(columns['rms.q75'][0], values[1] + 0.5 * (values[2] - values[1]));
});

test('shards, merged, equal the whole', async () => {
  const files = await Promise.all(
    [1, 2, 3].map(async (i) => {
      const out = `shard-${i}.jsonl`;
      const args = ['sweep', 'tiny.json', '--out', out, '--shard', `${i}/3`];
      await succeeds(...args, '--workers', '0');
      return out;
    }),
  );
  assert.equal(await merged(...files), whole);
  await succeeds('merge', ...files.reverse(), '--out', 'merged.csv');
  assert.equal(await read('merged.csv'), whole);
  await fails(
    1,
    /4 of 12 runs are missing, the first is run \d+ \(source=/,
    'merge',
    ...files.slice(1),
  );
  const partial = await succeeds('merge', ...files.slice(1), '--partial');
  assert.match(partial.stderr, /4 of 12 runs are missing/);
  assert.ok(partial.stdout.split('\n').every((line) => whole.split('\n').includes(line)));
  await fails(
    1,
    /run \d+ is there twice, first in shard-1\.jsonl/,
    'merge',
    'shard-1.jsonl',
    ...files,
  );
});

test('merge refuses damaged files and what does not belong together', async () => {
  const content = await read('whole.jsonl');
  const [head, ...records] = content.split('\n');
  const other = resealed(head, { planHash: sha256('another') });
  await writeFile(inFolder('another.jsonl'), [other, ...records].join('\n'));
  await writeFile(inFolder('short.jsonl'), content.slice(0, -5));
  await writeFile(inFolder('wrong.jsonl'), content.replace(/"seed":\d/, '"seed":9'));
  const refused = (pattern, ...args) => misused(pattern, 'merge', ...args);
  await Promise.all([
    refused(/a results file is missing/),
    refused(/none\.jsonl cannot be read/, 'none.jsonl'),
    refused(/tiny\.json is not a sweep's results file/, 'tiny.json'),
    refused(/--format: "xml"/, 'whole.jsonl', '--format', 'xml'),
    refused(/ends in none of \.csv, \.jsonl and \.arrow/, 'whole.jsonl', '--out', 'x.txt'),
    refused(/table: "sumary" .*did you mean "summary"/, 'whole.jsonl', '--table', 'sumary'),
    refused(/another\.jsonl holds another plan than whole\.jsonl/, 'whole.jsonl', 'another.jsonl'),
    refused(/whole\.jsonl is a sweep's results file; /, 'whole.jsonl', '--out', 'whole.jsonl'),
    fails(1, /short\.jsonl, line 13: is damaged/, 'merge', 'short.jsonl', '--partial'),
    fails(1, /wrong\.jsonl, line 2: is damaged/, 'merge', 'wrong.jsonl'),
  ]);
});

// Column by column: numbers by their bits, the rest as text.
function assertSameColumns(arrow, csv, kinds) {
  assert.deepEqual(
    arrow.schema.fields.map(({ name }) => name),
    Object.keys(csv),
  );
  for (const [name, values] of Object.entries(csv)) {
    const column = arrow.getChild(name);
    const type = String(column.type);
    assert.equal(type, kinds[name] ?? 'Float64', name);
    const expected = Array.from(values, type === 'Float64' ? Number : String);
    const found = Array.from(column, type === 'Float64' ? (x) => x : String);
    assert.deepEqual(found, expected, name);
  }
}

test('an Arrow file holds what the CSV holds, with types, symbols and units', async () => {
  await writePlan('kinds.json', {
    experiment: id,
    parameters: { replicates: 4 },
    points: [
      { largestCount: 64, source: 'cube', magnitudes: [0.5, 1] },
      { largestCount: 128, source: 'gaussian', magnitudes: [0.25] },
      { largestCount: 128, source: 'matrix', magnitudes: [0.25] },
    ],
    seeds: ['18446744073709551615', 2],
  });
  await succeeds('sweep', 'kinds.json', '--out', 'kinds.jsonl', '--workers', '0');
  const kinds = {
    source: 'Utf8',
    magnitudes: 'Utf8',
    seed: 'Uint64',
    status: 'Utf8',
    curve: 'Utf8',
  };
  for (const options of [[], ['--summary']]) {
    await succeeds('merge', 'kinds.jsonl', '--out', 'kinds.arrow', ...options);
    const arrow = tableFromIPC(await readFile(inFolder('kinds.arrow')));
    const { columns } = fromCsv(await merged('kinds.jsonl', ...options)).tables.table;
    assertSameColumns(arrow, columns, kinds);
    const spec = lab.describe(id).parameters.find(({ name }) => name === 'largestCount');
    assert.equal(arrow.schema.fields[0].metadata.get('symbol'), spec.symbol);
  }
  const piped = await succeeds('merge', 'whole.jsonl', '--format', 'arrow');
  assert.match(piped.stdout, /^ARROW1/);
});

test('an Arrow file of more than one batch has every row in its order', async () => {
  await writePlan('long.json', {
    experiment: id,
    parameters: {
      ...{ replicates: 4, largestCount: 1024, dimensions: [1] },
      magnitudes: [0.1, 0.2, 0.3, 0.4, 0.5, 0.6],
    },
    seeds: { count: 120 },
  });
  await succeeds('sweep', 'long.json', '--out', 'long.jsonl');
  const points = ['long.jsonl', '--table', 'points'];
  await succeeds('merge', ...points, '--out', 'long.arrow');
  const arrow = tableFromIPC(await readFile(inFolder('long.arrow')));
  assert.ok(arrow.batches.length > 1, `${arrow.batches.length} batches`);
  const { columns } = fromCsv(await merged(...points)).tables.table;
  assertSameColumns(arrow, columns, { seed: 'Uint64', status: 'Utf8', curve: 'Utf8' });
});

test('without apache-arrow the command says how it is had', async () => {
  const cli = await cliAlone();
  const { code, stderr } = await start(['merge', 'whole.jsonl', '--out', 'a.arrow'], { cli }).ended;
  assert.equal(code, 1);
  assert.match(
    stderr,
    /^attnlab: merge: an \.arrow file: needs apache-arrow, .*; npm install apache-arrow\n$/,
  );
});
