// Sweeps that end before their time, and how they go on.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { after, test } from 'node:test';
import {
  folder,
  inFolder,
  linesOf,
  merged,
  misused,
  read,
  resealed,
  start,
  succeeds,
  sweepWhole,
  tiny,
  writePlan,
} from './sweeping.mjs';

await sweepWhole();

const sizeNow = (name) =>
  stat(inFolder(name)).then(
    ({ size }) => size,
    () => -1,
  );
const locks = async () => (await readdir(folder)).filter((name) => name.endsWith('.lock'));

// The same moments each time, from a generator of Lehmer's.
function* moments() {
  for (let state = 20261130; ;) {
    state = (state * 48271) % 2147483647;
    yield state / 2147483647;
  }
}

test('a sweep that is killed at twenty moments goes on with nothing lost and nothing twice', async () => {
  await writePlan('many.json', { ...tiny, seeds: { count: 200 } });
  await succeeds('sweep', 'many.json', '--out', 'many.jsonl', '--workers', '2');
  const expected = await merged('many.jsonl');
  const { size } = await stat(inFolder('many.jsonl'));
  const sweepOn = ['sweep', 'many.json', '--out', 'killed.jsonl', '--resume', '--workers', '2'];
  const [random, kills] = [moments(), { early: 0, late: 0 }];
  const next = () => random.next().value;
  // Some while it starts or reads what is there, most while it writes.
  const early = Array.from({ length: 5 }, () => ({ milliseconds: 500 * next(), share: 0 }));
  const late = Array.from({ length: 15 }, () => ({
    milliseconds: 10 * next(),
    share: 0.9 * next(),
  }));
  late.sort((a, b) => a.share - b.share);
  const all = late.flatMap((one, i) => (i % 3 === 0 ? [one, early[i / 3]] : [one]));
  for (const { milliseconds, share } of all) {
    const { child, ended } = start(sweepOn);
    while (child.exitCode === null && (await sizeNow('killed.jsonl')) < share * size) {
      await new Promise((done) => setTimeout(done, 1));
    }
    await new Promise((done) => setTimeout(done, milliseconds));
    child.kill('SIGKILL');
    if ((await ended).signal === 'SIGKILL') ++kills[share === 0 ? 'early' : 'late'];
  }
  assert.ok(kills.early >= 3 && kills.late === 15, `${JSON.stringify(kills)} came in time`);
  await succeeds(...sweepOn);
  assert.deepEqual(await linesOf('killed.jsonl'), await linesOf('many.jsonl'));
  assert.equal(await merged('killed.jsonl'), expected);
  assert.deepEqual(await locks(), [], 'the locks of the killed are gone');
});

test('one process at a time writes a results file; a lock whose owner was killed is no lock', async () => {
  await writePlan('endless.json', { ...tiny, seeds: { count: 100_000 } });
  const sweepOn = ['sweep', 'endless.json', '--out', 'locked.jsonl', '--resume', '--workers', '1'];
  const pair = [start(sweepOn), start(sweepOn)];
  const loser = await Promise.race(pair.map(({ ended }, i) => ended.then(() => i)));
  const winner = pair[1 - loser];
  const { code, stderr } = await pair[loser].ended;
  assert.equal(code, 2);
  const owner = new RegExp(
    `^attnlab: --out: locked\\.jsonl is being written by process ${winner.child.pid}\n`,
  );
  assert.match(stderr, owner);
  while (winner.child.exitCode === null && (await sizeNow('locked.jsonl')) < 10_000) {
    await new Promise((done) => setTimeout(done, 5));
  }
  await misused(owner, ...sweepOn);
  await succeeds('sweep', 'endless.json', '--out', 'locked.jsonl', '--dry-run');
  winner.child.kill('SIGKILL');
  assert.equal((await winner.ended).signal, 'SIGKILL');
  assert.equal((await locks()).length, 1, 'it had no time to take its lock away');
  const next = start(sweepOn);
  const before = await sizeNow('locked.jsonl');
  while (next.child.exitCode === null && (await sizeNow('locked.jsonl')) <= before) {
    await new Promise((done) => setTimeout(done, 5));
  }
  next.child.kill('SIGINT');
  assert.equal((await next.ended).code, 130);
  assert.deepEqual(await locks(), []);
});

test('the lock of another machine is left alone, and says how it is undone', async () => {
  const lock = 'tiny-new.jsonl.elsewhere-4711.lock';
  await writeFile(inFolder(lock), '1');
  const sweep = ['sweep', 'tiny.json', '--out', 'tiny-new.jsonl', '--workers', '0'];
  await misused(/written by process 4711 of elsewhere; if that is gone, delete tiny-new/, ...sweep);
  await rm(inFolder(lock));
  await succeeds(...sweep);
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

test('only damaged lines are done again, and they are named', async () => {
  const table = await merged('whole.jsonl');
  const [head, ...records] = (await read('whole.jsonl')).trimEnd().split('\n');
  const spoil = (line) => line.replace('0.', '1.');
  const damages = {
    'one in the middle': [[4], (line) => spoil(line), /: line 4 is damaged; \d+ bytes are left/],
    'the first record': [[2], () => '', /: line 2 is damaged; 1 bytes/],
    several: [[2, 5, 6, 7, 13], () => '\0\0garbage', /: lines 2, 5-7, 13 are damaged; /],
    'all of them': [records.map((_, i) => i + 2), spoil, /: lines 2-13 are damaged; /],
    'garbage before a line': [[8], (line) => `\0\0\0${line}`, /: line 8 is damaged; /],
  };
  const mend = async ([what, [numbers, change, said]], i) => {
    const name = `damaged-${i}.jsonl`;
    const lines = records.map((line, at) => (numbers.includes(at + 2) ? change(line) : line));
    const content = [head, ...lines, ''].join('\n');
    await writeFile(inFolder(name), content);
    const on = ['sweep', 'tiny.json', '--out', name, '--resume', '--workers', '0'];
    const dry = await succeeds(...on, '--dry-run');
    assert.match(dry.stderr, /damaged; would be left out\n$/, what);
    assert.equal(await read(name), content, `${what}: a dry run changes nothing`);
    // What a process that was killed in the middle has left is no hindrance.
    await writeFile(inFolder(`${name}.mended.tmp`), 'half');
    const { stdout, stderr } = await succeeds(...on);
    assert.match(stderr, said, what);
    assert.match(stdout, new RegExp(`\\b${numbers.length} runs?\\b`), what);
    const kept = records.filter((_, at) => !numbers.includes(at + 2));
    const after = (await read(name)).split('\n');
    assert.deepEqual(
      after.slice(0, kept.length + 1),
      [head, ...kept],
      `${what}: kept as they were`,
    );
    assert.deepEqual(await linesOf(name), await linesOf('whole.jsonl'), what);
    assert.equal(await merged(name), table, what);
    assert.equal((await succeeds(...on)).stderr, '', `${what}: mended for good`);
  };
  await Promise.all(Object.entries(damages).map(mend));
  assert.deepEqual(
    (await readdir(folder)).filter((name) => name.endsWith('.tmp')),
    [],
  );
});

test('a damaged line and a last line that is cut short are both said', async () => {
  const content = await read('whole.jsonl');
  const lines = content.slice(0, -20).split('\n');
  lines[3] = 'garbage';
  await writeFile(inFolder('both.jsonl'), lines.join('\n'));
  const on = ['sweep', 'tiny.json', '--out', 'both.jsonl', '--resume', '--workers', '0'];
  const { stderr } = await succeeds(...on);
  assert.match(stderr, /line 13 is cut short; \d+ bytes are cut off\n.*line 4 is damaged; 8 bytes/);
  assert.deepEqual(await linesOf('both.jsonl'), await linesOf('whole.jsonl'));
});

test('a process that has ended and was not asked about yet holds no lock', async () => {
  // sleep takes the shell's place and never asks about the shell's child.
  const parent = spawn('sh', ['-c', 'sleep 0.05 & echo $!; exec sleep 60']);
  after(() => parent.kill('SIGKILL'));
  const pid = await new Promise((told) =>
    parent.stdout.once('data', (text) => told(`${text}`.trim())),
  );
  const fields = async () =>
    (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1].split(' ');
  while ((await fields())[0] !== 'Z') await new Promise((next) => setTimeout(next, 10));
  await writePlan('tiny.json', tiny);
  await writeFile(inFolder(`ended.jsonl.${hostname()}-${pid}.lock`), (await fields())[19]);
  await succeeds('sweep', 'tiny.json', '--out', 'ended.jsonl', '--workers', '0');
  assert.deepEqual(await locks(), []);
});

test('mending that is killed at any moment loses no record', async () => {
  await writePlan('large.json', { ...tiny, seeds: { count: 500 } });
  await succeeds('sweep', 'large.json', '--out', 'large.jsonl', '--workers', '2');
  const lines = (await read('large.jsonl')).trimEnd().split('\n');
  const damaged = lines.with(5, 'garbage');
  const on = ['sweep', 'large.json', '--out', 'mending.jsonl', '--resume', '--workers', '0'];
  await writeFile(inFolder('mending.jsonl'), `${damaged.join('\n')}\n`);
  const kept = damaged.filter((line) => line !== 'garbage').sort();
  for (const milliseconds of [0, 100, 200, 250, 300, 350, 400, 500]) {
    const { child, ended } = start(on);
    await new Promise((done) => setTimeout(done, milliseconds));
    child.kill('SIGKILL');
    await ended;
    const now = new Set(await linesOf('mending.jsonl'));
    assert.ok(
      kept.every((line) => now.has(line)),
      `after ${milliseconds} ms`,
    );
  }
  await succeeds(...on);
  assert.deepEqual(await linesOf('mending.jsonl'), [...lines].sort());
});

test('a damaged tail is cut off and said, and only then', async () => {
  const content = await read('whole.jsonl');
  const lines = content.trimEnd().split('\n');
  const damages = {
    'the last line is cut short': content.slice(0, -20),
    'its line end is missing': content.slice(0, -1),
    'garbage follows': `${content}\0\0\0\0`,
    'the last record is cut short, without a line end': lines.join('\n').slice(0, -1),
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
