// Sweeps by a queue: many workers, and what may happen to them, to Redis and to the sweep itself.
import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { before, test } from 'node:test';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { waitFor } from './lab.mjs';
import { startRedis } from './redis_server.mjs';
import {
  attnlab,
  inFolder,
  linesOf,
  merged,
  start,
  succeeds,
  sweepWhole,
  tiny,
  writePlan,
} from './sweeping.mjs';

const redis = await startRedis();
const queue = ['--queue', redis.url];
const whole = await sweepWhole();

const startWorker = (...more) => start(['worker', ...queue, '--workers', '1', ...more]);
const startSweep = (plan, out, ...more) =>
  start(['sweep', `${plan}.json`, '--out', out, ...queue, ...more]);
const sizeOf = (name) =>
  stat(inFolder(name)).then(
    ({ size }) => size,
    () => 0,
  );

async function untilSize(name, size, { child, told }) {
  while ((await sizeOf(name)) < size) {
    assert.equal(child.exitCode, null, told.stderr);
    await new Promise((done) => setTimeout(done, 2));
  }
}

async function endsWell({ ended }) {
  const { code, stdout, stderr } = await ended;
  assert.equal(code, 0, stderr);
  return stdout;
}

async function stopWorker({ child, ended }) {
  child.kill('SIGINT');
  const { code, stdout, stderr } = await ended;
  assert.equal(code, 130, stderr);
  return Number(/^(\d+) runs done/m.exec(stdout)[1]);
}

// What is in the queue of tasks, looked at from outside.
async function look(action) {
  const connection = new Redis(redis.url, { maxRetriesPerRequest: null });
  const tasks = new Queue('tasks', { connection, prefix: 'attnlab' });
  try {
    return await action(tasks, connection);
  } finally {
    await tasks.close();
    connection.disconnect();
  }
}

const counts = () => look((tasks) => tasks.getJobCounts('waiting', 'active'));

// 500 runs of some 20 ms.
const many = {
  ...tiny,
  parameters: { largestCount: 512, replicates: 8, dimensions: [2] },
  seeds: { count: 125 },
};
// Runs of a second or so.
const slow = { ...tiny, parameters: { largestCount: 16384, replicates: 30 }, vary: undefined };

before(async () => {
  await writePlan('many.json', many);
  await writePlan('slow.json', { ...slow, seeds: { count: 2 } });
});

test('workers at a queue give the same table as one machine, byte for byte', async () => {
  const worker = startWorker('--idle', '2');
  await endsWell(startSweep('tiny', 'queue.jsonl'));
  assert.match(await endsWell(worker), /^12 runs done \(at work [\d.]+ % of the time\)$/m);
  assert.equal(await merged('queue.jsonl'), whole);
  assert.deepEqual(await linesOf('queue.jsonl'), await linesOf('whole.jsonl'));
  const left = await look((_, connection) => connection.keys('attnlab:results-*'));
  assert.deepEqual(left, [], 'nothing of the sweep is left in Redis');
});

test('with a worker killed and Redis killed once, 500 runs are neither lost nor twice', async () => {
  await succeeds('sweep', 'many.json', '--out', 'local.jsonl', '--workers', '2');
  const size = await sizeOf('local.jsonl');
  const workers = [startWorker(), startWorker(), startWorker()];
  const sweep = startSweep('many', 'survivor.jsonl');
  await untilSize('survivor.jsonl', 0.2 * size, sweep);
  workers[0].child.kill('SIGKILL');
  await untilSize('survivor.jsonl', 0.5 * size, sweep);
  await redis.stop('SIGKILL');
  await new Promise((done) => setTimeout(done, 500));
  assert.ok((await sizeOf('survivor.jsonl')) < size, 'Redis was killed in time');
  await redis.start();
  assert.match(await endsWell(sweep), /500 runs are in survivor\.jsonl/);
  assert.match(
    sweep.told.stderr,
    /Redis at 127\.0\.0\.1:\d+ is away; waiting for it\n.* is back\n/,
  );
  for (const worker of workers.slice(1)) assert.ok((await stopWorker(worker)) > 0);
  assert.equal((await workers[0].ended).signal, 'SIGKILL');
  assert.deepEqual(await linesOf('survivor.jsonl'), await linesOf('local.jsonl'));
  assert.equal(await merged('survivor.jsonl'), await merged('local.jsonl'));
});

test('Ctrl-C on a worker gives its task back at once', async () => {
  const sweep = startSweep('slow', 'given-back.jsonl');
  const worker = startWorker();
  let seen;
  while ((seen = await counts()).active !== 1 || seen.waiting !== 1) {
    assert.equal(worker.child.exitCode, null, worker.told.stderr);
    await new Promise((done) => setTimeout(done, 20));
  }
  assert.equal(await stopWorker(worker), 0);
  assert.deepEqual(await counts(), { active: 0, waiting: 2 });
  const second = startWorker();
  await endsWell(sweep);
  assert.equal(await stopWorker(second), 2);
});

test('a sweep that was killed goes on with what its workers have done meanwhile', async () => {
  await writePlan('slower.json', { ...slow, seeds: { first: 7, count: 3 } });
  const first = startSweep('slower', 'resumed.jsonl');
  await waitFor(() => /runs/.test(first.told.stdout), 'the announcement');
  while ((await counts()).waiting !== 3) await new Promise((done) => setTimeout(done, 20));
  first.child.kill('SIGKILL');
  await first.ended;
  const worker = startWorker();
  while ((await counts()).waiting > 0) await new Promise((done) => setTimeout(done, 50));
  const second = startSweep('slower', 'resumed.jsonl', '--resume');
  assert.match(await endsWell(second), /3 runs are in resumed\.jsonl/);
  assert.ok((await stopWorker(worker)) <= 4, 'what was done is not done again');
  await succeeds('sweep', 'slower.json', '--out', 'slower.jsonl', '--workers', '2');
  assert.equal(await merged('resumed.jsonl'), await merged('slower.jsonl'));
});

test('Ctrl-C on a sweep takes its tasks out of the queue and says how it goes on', async () => {
  const sweep = startSweep('many', 'cancelled.jsonl');
  await waitFor(() => /runs/.test(sweep.told.stdout), 'the announcement');
  while ((await counts()).waiting === 0) await new Promise((done) => setTimeout(done, 10));
  // Nobody works; that is said.
  await waitFor(() => /no worker is at this queue/.test(sweep.told.stderr), 'the hint');
  sweep.child.kill('SIGINT');
  const { code, stderr } = await sweep.ended;
  assert.equal(code, 130);
  assert.match(stderr, /cancelled; 0 runs are in cancelled\.jsonl; 500 are left, --resume/);
  assert.deepEqual(await counts(), { active: 0, waiting: 0 });
});

test('a precision target takes the same seeds as on one machine', async () => {
  const stop = { column: 'summary.rms', standardError: 0.02, minimumSeeds: 3 };
  await writePlan('target.json', { ...tiny, seeds: { count: 40 }, stop });
  await succeeds('sweep', 'target.json', '--out', 'target.jsonl', '--workers', '1');
  const worker = startWorker();
  await endsWell(startSweep('target', 'target-queue.jsonl'));
  await stopWorker(worker);
  assert.equal(await merged('target-queue.jsonl'), await merged('target.jsonl'));
});

test('a run that fails is a record, as on one machine', async () => {
  const plan = { ...tiny, parameters: { source: 'matrix' }, vary: undefined, seeds: { count: 2 } };
  await writePlan('failing.json', plan);
  const alone = await attnlab('sweep', 'failing.json', '--out', 'failing.jsonl', '--workers', '0');
  assert.equal(alone.code, 1);
  const worker = startWorker();
  const { code, stderr } = await startSweep('failing', 'failing-queue.jsonl').ended;
  assert.equal(code, 1);
  assert.match(stderr, /every run failed; 2 runs are in failing-queue\.jsonl, 2 failed/);
  await stopWorker(worker);
  assert.deepEqual(await linesOf('failing-queue.jsonl'), await linesOf('failing.jsonl'));
});

test('a worker of another version refuses, both versions are named, the sweep hears of it', async () => {
  const sweep = startSweep('tiny', 'other-version.jsonl');
  while ((await counts()).waiting !== 12) await new Promise((done) => setTimeout(done, 20));
  await look(async (tasks) => {
    for (const job of await tasks.getWaiting()) {
      await job.updateData({ ...job.data, version: '0.0.1' });
    }
  });
  const { code, stderr } = await attnlab('worker', ...queue, '--workers', '1');
  assert.equal(code, 1);
  const { stdout: version } = await succeeds('--version');
  const pattern = new RegExp(`is of attnlab 0\\.0\\.1; this worker is ${version.trim()}`);
  assert.match(stderr, pattern);
  assert.deepEqual(await counts(), { active: 0, waiting: 12 });
  await waitFor(() => /a worker on .* is attnlab/.test(sweep.told.stderr), 'the refusal');
  sweep.child.kill('SIGINT');
  assert.equal((await sweep.ended).code, 130);
});

test('a task that is not what its id names ends the sweep, not the worker', async () => {
  const sweep = startSweep('tiny', 'forged.jsonl');
  while ((await counts()).waiting !== 12) await new Promise((done) => setTimeout(done, 20));
  await look(async (tasks) => {
    const [job] = (await tasks.getWaiting()).filter(({ data }) => data.runs[0].run === 3);
    const runs = job.data.runs.map((run) => ({ ...run, seed: 99 }));
    await job.updateData({ ...job.data, runs });
  });
  const worker = startWorker();
  const { code, stderr } = await sweep.ended;
  assert.equal(code, 1);
  assert.match(stderr, /^attnlab: queue: the task that begins with run 3 failed: run \w+ is not/m);
  assert.ok((await stopWorker(worker)) <= 11, 'all but the forged one at most');
  const again = startWorker();
  await endsWell(startSweep('tiny', 'forged.jsonl', '--resume'));
  await stopWorker(again);
  assert.equal(await merged('forged.jsonl'), whole);
});

test('Ctrl-C ends a sweep and a worker while Redis is away', async () => {
  const [sweep, worker] = [startSweep('slow', 'away.jsonl'), startWorker()];
  while ((await counts()).active !== 1) await new Promise((done) => setTimeout(done, 20));
  await redis.stop('SIGKILL');
  for (const { told } of [sweep, worker]) await waitFor(() => /is away/.test(told.stderr), 'away');
  await Promise.all(
    [sweep, worker].map(async ({ child, ended }) => {
      child.kill('SIGINT');
      assert.equal((await ended).code, 130);
    }),
  );
});
