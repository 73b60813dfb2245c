// Sweeps that end before their time, and how they go on.
import assert from 'node:assert/strict';
import { stat, writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import {
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
