// The tables that merge makes of what sweeps leave.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { fromCsv } from '../../dist/lib/index.js';
import { openLab } from './lab.mjs';
import {
  fails,
  id,
  inFolder,
  merged,
  misused,
  needle,
  read,
  resealed,
  sha256,
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
    refused(/ends neither in \.csv nor in \.jsonl/, 'whole.jsonl', '--out', 'x.txt'),
    refused(/table: "sumary" .*did you mean "summary"/, 'whole.jsonl', '--table', 'sumary'),
    refused(/another\.jsonl holds another plan than whole\.jsonl/, 'whole.jsonl', 'another.jsonl'),
    refused(/whole\.jsonl is a sweep's results file; /, 'whole.jsonl', '--out', 'whole.jsonl'),
    fails(1, /short\.jsonl, line 13: is damaged/, 'merge', 'short.jsonl', '--partial'),
    fails(1, /wrong\.jsonl, line 2: is damaged/, 'merge', 'wrong.jsonl'),
  ]);
});
