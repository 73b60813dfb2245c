// Sweeps as their users meet them: plans in, results files and tables out.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { fromCsv } from '../../dist/lib/index.js';
import { openLab } from './lab.mjs';

const program = fileURLToPath(new URL('../../dist/lib/cli.js', import.meta.url));
const lab = await openLab({ workers: 1 });

const id = 'large-prompt.output';
const fixed = { largestCount: 64, replicates: 4 };
const tiny = {
  experiment: id,
  parameters: { ...fixed, dimensions: [2] },
  vary: { source: { grid: ['gaussian', 'cube'] }, persistence: { grid: [0.5, 0.25] } },
  seeds: { count: 3 },
};
const needle = { experiment: 'needle.population-risk', parameters: { snrs: [1] } };

const folder = await mkdtemp(join(tmpdir(), 'attnlab sweep '));
after(() => rm(folder, { recursive: true, force: true }));

const inFolder = (name) => join(folder, name);
const read = (name) => readFile(inFolder(name), 'utf8');

function start(args) {
  const child = spawn(process.execPath, [program, ...args], { cwd: folder });
  const told = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text) => (told.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text) => (told.stderr += text));
  const ended = new Promise((done) =>
    child.on('close', (code, signal) => done({ code, signal, ...told })),
  );
  return { child, ended };
}

const attnlab = (...args) => start(args).ended;

async function succeeds(...args) {
  const { code, stdout, stderr } = await attnlab(...args);
  assert.equal(code, 0, stderr);
  return { stdout, stderr };
}

async function fails(expected, pattern, ...args) {
  const { code, stdout, stderr } = await attnlab(...args);
  assert.equal(code, expected, `${args.join(' ')}: code ${code}: ${stderr}`);
  assert.equal(stdout, '', `${args.join(' ')}: nothing on standard output`);
  assert.match(stderr, pattern);
  assert.doesNotMatch(stderr, /\n\s+at /, 'no stack');
}

const misused = (pattern, ...args) => fails(2, pattern, ...args);
const writePlan = (name, plan) => writeFile(inFolder(name), JSON.stringify(plan));

async function merged(...files) {
  return (await succeeds('merge', ...files)).stdout;
}

// A record depends on nothing but its run: whatever happened, the lines are the same.
const linesOf = async (name) => (await read(name)).trimEnd().split('\n').sort();

const sha256 = (text) => createHash('sha256').update(text).digest('hex');

// A record's line with another content and a right checksum.
function resealed(line, change) {
  const { check: _, ...object } = JSON.parse(line);
  const text = JSON.stringify({ ...object, ...change });
  return `${text.slice(0, -1)},"check":"${sha256(text).slice(0, 16)}"}`;
}

// The whole sweep, and its table, that everything else is held against.
let whole;
before(async () => {
  await writePlan('tiny.json', tiny);
  await succeeds('sweep', 'tiny.json', '--out', 'whole.jsonl', '--workers', '1');
  whole = await merged('whole.jsonl');
});

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

test('a sweep that is killed goes on with nothing lost and nothing twice', async () => {
  const many = { ...tiny, seeds: { count: 30 } };
  await writePlan('many.json', many);
  await succeeds('sweep', 'many.json', '--out', 'many.jsonl', '--workers', '2');
  const expected = await merged('many.jsonl');
  const { size } = await stat(inFolder('many.jsonl'));
  const sweepOn = ['sweep', 'many.json', '--out', 'killed.jsonl', '--resume', '--workers', '2'];
  let kills = 0;
  for (const share of [0, 0.05, 0.3, 0.6]) {
    const { child, ended } = start(sweepOn);
    const sizeNow = () =>
      stat(inFolder('killed.jsonl')).then(
        ({ size: now }) => now,
        () => -1,
      );
    while (child.exitCode === null && (await sizeNow()) < share * size) {
      await new Promise((done) => setTimeout(done, 1));
    }
    child.kill('SIGKILL');
    if ((await ended).signal === 'SIGKILL') ++kills;
  }
  assert.ok(kills >= 3, `${kills} kills came in time`);
  await succeeds(...sweepOn);
  assert.deepEqual(await linesOf('killed.jsonl'), await linesOf('many.jsonl'));
  assert.equal(await merged('killed.jsonl'), expected);
});

test('Ctrl-C ends a sweep with 130 and keeps what has ended', async () => {
  await writePlan('endless.json', { ...tiny, seeds: { count: 100_000 } });
  const { child, ended } = start(['sweep', 'endless.json', '--out', 'stopped.jsonl']);
  while (
    child.exitCode === null &&
    (await stat(inFolder('stopped.jsonl')).catch(() => ({ size: 0 }))).size < 10_000
  ) {
    await new Promise((done) => setTimeout(done, 5));
  }
  child.kill('SIGINT');
  const { code, stderr } = await ended;
  assert.equal(code, 130);
  assert.match(stderr, /cancelled; \d+ runs are in stopped\.jsonl/);
  const lines = (await read('stopped.jsonl')).split('\n');
  assert.equal(lines.pop(), '', 'the last line is whole');
  for (const line of lines) assert.equal(resealed(line, {}), line);
});

test('a damaged tail is cut off and said, and only then', async () => {
  const content = await read('whole.jsonl');
  const lines = content.trimEnd().split('\n');
  const damages = {
    'the last line is cut short': content.slice(0, -20),
    'its line end is missing': content.slice(0, -1),
    'garbage follows': `${content}\0\0\0\0`,
    'a digit is another one': `${lines.slice(0, 11).join('\n')}\n${lines[11].replace('0.', '1.')}\n${lines[12]}\n`,
    'the head is cut short': content.slice(0, 50),
    'the file is empty': '',
  };
  const mend = async ([what, text], i) => {
    const name = `tail-${i}.jsonl`;
    await writeFile(inFolder(name), text);
    const { stderr } = await succeeds(
      ...['sweep', 'tiny.json', '--out', name, '--resume', '--workers', '0'],
    );
    const said = text === '' ? /^$/ : /^attnlab: tail-\d\.jsonl: .*; \d+ bytes are cut off\n$/;
    assert.match(stderr, said, what);
    assert.deepEqual(await linesOf(name), await linesOf('whole.jsonl'), what);
  };
  await Promise.all(Object.entries(damages).map(mend));
  const again = await succeeds('sweep', 'tiny.json', '--out', 'tail-0.jsonl', '--resume');
  assert.equal(again.stderr, '');
  assert.match(again.stdout, /nothing is left to do/);
});

test('results of another plan, version or shard, and other files, are refused and left as they are', async () => {
  const [head, ...records] = (await read('whole.jsonl')).split('\n');
  const on = (plan, ...more) => ['sweep', plan, '--out', 'other.jsonl', ...more];
  const refused = async (text, pattern, plan = 'tiny.json', ...more) => {
    await writeFile(inFolder('other.jsonl'), text);
    await misused(pattern, ...on(plan, '--resume', ...more));
    assert.equal(await read('other.jsonl'), text);
  };
  const whole = [head, ...records].join('\n');
  await writePlan('more.json', { ...tiny, seeds: { count: 4 } });
  await refused(whole, /holds the results of another plan/, 'more.json');
  await refused(whole, /holds shard 1\/1, not 1\/2/, 'tiny.json', '--shard', '1/2');
  const old = [resealed(head, { version: '0.0.1' }), ...records].join('\n');
  await refused(old, /was made by attnlab 0\.0\.1; this is /);
  await misused(/was made by attnlab 0\.0\.1; this is /, 'merge', 'other.jsonl');
  await refused('notes of mine\n', /is not a sweep's results file/);
  const foreign = resealed(records[0], { id: '0'.repeat(32) });
  await refused([head, foreign, ''].join('\n'), /line 2: is not a run of this plan/);
  await refused([head, records[0], records[0], ''].join('\n'), /line 3: run \d+ is there twice/);
  await writeFile(inFolder('other.jsonl'), whole);
  await misused(/other\.jsonl is there already; --resume/, ...on('tiny.json'));
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

test('a run that fails is a record, and the sweep goes on', async () => {
  await writePlan('failing.json', {
    experiment: id,
    parameters: { ...fixed, source: 'matrix' },
    vary: { components: { grid: [2, 3] } },
  });
  const { stdout } = await succeeds(
    'sweep',
    'failing.json',
    '--out',
    'failing.jsonl',
    '--workers',
    '0',
  );
  assert.match(stdout, /2 runs are in failing\.jsonl, 2 failed/);
  const { columns } = fromCsv(await merged('failing.jsonl')).tables.table;
  assert.deepEqual(columns.status, ['failed', 'failed']);
  assert.ok(columns.rms.every(Number.isNaN));
  const [, record] = (await read('failing.jsonl'))
    .split('\n')
    .map((line) => line && JSON.parse(line));
  assert.match(record.error.message, /tokens/);
});
