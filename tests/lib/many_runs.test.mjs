// Many runs at once share a few workers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import threads from 'node:worker_threads';
import { fingerprint } from '../../dist/lib/index.js';
import { openLab, shortRun } from './lab.mjs';

const id = 'large-prompt.output';

async function countingWorkers(work) {
  const { Worker } = threads;
  const counts = { made: 0, alive: 0 };
  threads.Worker = class extends Worker {
    constructor(...args) {
      super(...args);
      counts.made += 1;
      counts.alive += 1;
      this.on('exit', () => (counts.alive -= 1));
    }
  };
  try {
    await work(counts);
  } finally {
    threads.Worker = Worker;
  }
}

test('runs that begin at once start no more workers than one of them asks for', () =>
  countingWorkers(async (counts) => {
    const lab = await openLab({ workers: 2 });
    const runs = Array.from({ length: 20 }, () => lab.run(id, shortRun));
    const prints = (await Promise.all(runs.map((run) => run.result))).map(fingerprint);
    assert.equal(new Set(prints).size, 1);
    assert.equal(counts.made, 2);
    lab.dispose();
  }));

test('workers beyond those of the lab end when they have rested; those started ahead stay', () =>
  countingWorkers(async (counts) => {
    const lab = await openLab({ workers: 1 });
    await lab.run(id, shortRun, { workers: 5 }).result;
    assert.equal(counts.alive, 5);
    for (let waited = 0; counts.alive > 1 && waited < 30_000; waited += 100)
      await new Promise((wait) => setTimeout(wait, 100));
    assert.equal(counts.alive, 1);
    assert.equal(await lab.startWorkers(3), 3);
    await lab.run(id, shortRun, { workers: 3 }).result;
    await new Promise((wait) => setTimeout(wait, 12_000));
    assert.equal(counts.alive, 3);
    lab.dispose();
  }));
