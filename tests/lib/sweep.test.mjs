// Sweeps as their users meet them: plans in, results files out.
import assert from 'node:assert/strict';
import { access, writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { fromCsv } from '../../dist/lib/index.js';
import {
  attnlab,
  fixed,
  id,
  inFolder,
  merged,
  misused,
  read,
  resealed,
  succeeds,
  sweepWhole,
  tiny,
  writePlan,
} from './sweeping.mjs';

const whole = await sweepWhole();

test('the program says what the library says of a plan, and leaves no file', async () => {
  await writePlan('wrong.json', { ...tiny, vary: { source: { grid: ['cube', 'kube'] } } });
  await misused(/^attnlab: vary\.source\.grid\[1\]: /, 'sweep', 'wrong.json', '--out', 'no.jsonl');
  await writeFile(inFolder('cut.json'), '{"experiment":');
  const dry = ['sweep', 'tiny.json', '--dry-run'];
  await Promise.all([
    misused(/cut\.json cannot be read/, 'sweep', 'cut.json', '--out', 'no.jsonl'),
    misused(/none\.json cannot be read/, 'sweep', 'none.json', '--out', 'no.jsonl'),
    misused(/a plan is missing/, 'sweep'),
    misused(/--out: a file .* is missing/, 'sweep', 'tiny.json'),
    misused(/--out: no\/such.* cannot be written/, 'sweep', 'tiny.json', '--out', 'no/such/x'),
    misused(/--resume: needs --out/, 'sweep', 'tiny.json', '--resume'),
    misused(/--workers: is 65/, ...dry, '--workers', '65'),
    ...['3/2', '1/2/3'].map((shard) => misused(/--shard: is /, ...dry, '--shard', shard)),
  ]);
  await assert.rejects(access(inFolder('no.jsonl')));
});

test('a dry run tells the number of runs, a time and the first runs, and writes nothing', async () => {
  const { stdout } = await succeeds('sweep', 'tiny.json', '--dry-run', '--out', 'dry.jsonl');
  assert.match(stdout, /^large-prompt\.output: 12 runs \(4 points x 3 seeds\)\n/);
  assert.match(stdout, /\nabout [\d.]+ (s|min) with \d+ workers? \(/);
  assert.match(
    stdout,
    /\n {2}source=gaussian persistence=0\.5 seed=1\n {2}source=gaussian persistence=0\.25 seed=1\n/,
  );
  await assert.rejects(access(inFolder('dry.jsonl')));
});

test('any number of workers gives the same table, byte for byte', async () => {
  for (const workers of ['0', '2']) {
    const out = `workers-${workers}.jsonl`;
    await succeeds('sweep', 'tiny.json', '--out', out, '--workers', workers);
    assert.equal(await merged(out), whole);
  }
});

test('each line carries the SHA-256 of the rest of it', async () => {
  const lines = (await read('whole.jsonl')).trimEnd().split('\n');
  assert.equal(lines.length, 13);
  for (const line of lines) assert.equal(resealed(line, {}), line);
});

test('a precision target takes the fewest seeds that reach it, for any number of workers', async () => {
  const plan = {
    ...tiny,
    seeds: { count: 40 },
    stop: { column: 'summary.rms', standardError: 0.02, minimumSeeds: 3 },
  };
  await writePlan('target.json', plan);
  const tables = [];
  for (const workers of ['1', '2']) {
    const out = `target-${workers}.jsonl`;
    await succeeds('sweep', 'target.json', '--out', out, '--workers', workers);
    tables.push(await merged(out));
  }
  assert.equal(tables[0], tables[1]);
  const { columns } = fromCsv(tables[0]).tables.table;
  const errorOf = (values) => {
    const mean = values.reduce((sum, x) => sum + x, 0) / values.length;
    const squares = values.reduce((sum, x) => sum + (x - mean) ** 2, 0);
    return Math.sqrt(squares / (values.length - 1) / values.length);
  };
  for (const source of ['gaussian', 'cube']) {
    for (const persistence of [0.5, 0.25]) {
      const mine = (_, i) => columns.source[i] === source && columns.persistence[i] === persistence;
      const curves = [...new Set(columns.curve.filter(mine))];
      const byCurve = curves.map((curve) =>
        Array.from(columns.rms.filter((x, i) => mine(x, i) && columns.curve[i] === curve)),
      );
      const reached = (count) => byCurve.every((values) => errorOf(values.slice(0, count)) <= 0.02);
      const taken = byCurve[0].length;
      assert.ok(taken >= 3 && taken <= 40);
      if (taken < 40) assert.ok(reached(taken), `${taken} seeds are enough`);
      for (let count = 3; count < taken; ++count) assert.ok(!reached(count), `${count} are not`);
    }
  }
});

test('a budget of runs takes the plan’s first ones; one of time ends early', async () => {
  await writePlan('budget.json', { ...tiny, stop: { runs: 5 } });
  await succeeds('sweep', 'budget.json', '--out', 'budget.jsonl', '--workers', '0');
  const rows = fromCsv(await merged('budget.jsonl')).tables.table.columns;
  assert.deepEqual(
    [...new Set(rows.source)],
    ['gaussian', 'cube'],
    'every point with the first seed',
  );
  assert.equal(Math.max(...rows.seed), 2);
  await writePlan('time.json', { ...tiny, seeds: { count: 100_000 }, stop: { seconds: 0.2 } });
  const { stdout } = await succeeds('sweep', 'time.json', '--out', 'time.jsonl');
  assert.match(stdout, /runs are in time\.jsonl; \d+ are left, --resume goes on/);
  const { stderr } = await succeeds('merge', 'time.jsonl', '--out', 'time.csv');
  assert.match(stderr, /of 400000 runs are missing/);
});

test('a run that fails is a record, and the sweep goes on; where all fail, so has the sweep', async () => {
  await writePlan('failing.json', {
    experiment: id,
    parameters: { ...fixed, source: 'matrix' },
    vary: { components: { grid: [2, 3] } },
  });
  const all = await attnlab('sweep', 'failing.json', '--out', 'failing.jsonl', '--workers', '0');
  assert.equal(all.code, 1);
  assert.match(all.stderr, /every run failed; 2 runs are in failing\.jsonl, 2 failed/);
  await writePlan('some.json', {
    experiment: id,
    parameters: fixed,
    vary: { source: { grid: ['matrix', 'cube'] } },
  });
  const { stdout } = await succeeds('sweep', 'some.json', '--out', 'some.jsonl', '--workers', '0');
  assert.match(stdout, /2 runs are in some\.jsonl, 1 failed/);
  const { columns } = fromCsv(await merged('failing.jsonl')).tables.table;
  assert.deepEqual(columns.status, ['failed', 'failed']);
  assert.ok(columns.rms.every(Number.isNaN));
  const [, record] = (await read('failing.jsonl'))
    .split('\n')
    .map((line) => line && JSON.parse(line));
  assert.match(record.error.message, /tokens/);
});
