// A worker that does not let go of a cancelled run: the next run gets another one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import threads from 'node:worker_threads';
import { fingerprint } from '../../dist/lib/index.js';
import { openLab, shortRun } from './lab.mjs';

const script = new URL('../../dist/lib/worker.js', import.meta.url);
const id = 'large-prompt.output';

// A browser's kind of worker over one of Node's. A deaf one opens its run and hears nothing more, as
// if it were in the middle of one long step.
function makeWorker(deaf, log) {
  const worker = new threads.Worker(script, { execArgv: [] });
  worker.unref();
  const made = {
    postMessage(message, transfer) {
      if (!deaf || ['start', 'open', 'resource'].includes(message.type))
        worker.postMessage(message, transfer);
    },
    terminate() {
      log.ended += 1;
      void worker.terminate();
    },
  };
  worker.on('message', (data) => made.onmessage({ data }));
  return made;
}

test('a cancelled run that keeps its worker busy does not hold up the next run', async () => {
  const log = { made: 0, ended: 0 };
  const lab = await openLab({
    workers: 1,
    createWorker: () => makeWorker(log.made++ === 0, log),
  });
  const stuck = lab.run(id, shortRun);
  // The worker has the run in hand.
  while (log.made === 0) await new Promise((turn) => setTimeout(turn, 10));
  await new Promise((turn) => setTimeout(turn, 200));
  stuck.cancel();
  assert.equal((await stuck.result).status, 'cancelled');
  const result = await lab.run(id, shortRun).result;
  assert.equal(result.status, 'done');
  assert.deepEqual(log, { made: 2, ended: 1 });
  const again = await lab.run(id, shortRun, { workers: 0 }).result;
  assert.equal(fingerprint(result), fingerprint(again));
});

test('a worker that lets go in time is kept', async () => {
  const log = { made: 0, ended: 0 };
  const lab = await openLab({
    workers: 1,
    createWorker: () => (log.made++, makeWorker(false, log)),
  });
  for (let i = 0; i < 5; ++i) {
    const run = lab.run(id, shortRun);
    if (i % 2 === 0) run.cancel();
    await run.result;
  }
  assert.deepEqual(log, { made: 1, ended: 0 });
});
