// What is made is let go, and what was given stays.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fingerprint, load } from '../../dist/lib/index.js';
import { openLab, shortRun } from './lab.mjs';

const id = 'large-prompt.output';
// Every memory that the module gets, so that its growth can be seen from outside.
const memories = new Set();
const { instantiate } = WebAssembly;
WebAssembly.instantiate = async (...args) => {
  const instance = await instantiate(...args);
  for (const value of Object.values(instance.exports ?? {})) {
    if (value instanceof WebAssembly.Memory) memories.add(value);
  }
  return instance;
};
const lab = await openLab({ workers: 1 });
const bytes = () => Math.max(...Array.from(memories, (memory) => memory.buffer.byteLength));

test(
  '20,000 runs that are begun and cancelled leave the module’s memory flat',
  { timeout: 300_000 },
  async () => {
    const cycle = async (count) => {
      for (let i = 0; i < count; ++i) {
        const run = lab.run(id, shortRun, { workers: 0 });
        // A third is cancelled before its session opens, the others after.
        if (i % 3 > 0) await new Promise((done) => setImmediate(done));
        run.cancel();
      }
      await lab.run(id, shortRun, { workers: 0 }).result;
    };
    await cycle(500);
    const before = bytes();
    await cycle(19_500);
    assert.equal(bytes(), before);
  },
);

test('20,000 calls, good and bad, leave the module’s memory flat', () => {
  const tokens = {
    data: Float64Array.from({ length: 512 }, (_, i) => Math.sin(i)),
    shape: [64, 8],
  };
  const good = { queries: tokens, keys: tokens, values: tokens };
  const cycle = (count) => {
    for (let i = 0; i < count; ++i) {
      if (i % 2 === 0) lab.attention.forward(good);
      else assert.throws(() => lab.attention.forward({ ...good, scale: NaN }));
    }
  };
  cycle(500);
  const before = bytes();
  cycle(19_500);
  assert.equal(bytes(), before);
});

test('labs that are loaded and disposed of are let go', { timeout: 120_000 }, async () => {
  const references = [];
  for (let i = 0; i < 60; ++i) {
    const own = await load({ workers: 0 });
    references.push(new WeakRef(own));
    own.dispose();
  }
  // Collections are asked for by allocating; WeakRefs are cleared between turns.
  for (let i = 0; i < 200 && references.filter((one) => one.deref()).length > 10; ++i) {
    Array.from({ length: 50 }, () => new ArrayBuffer(1 << 20));
    await new Promise((done) => setTimeout(done, 5));
  }
  const kept = references.filter((one) => one.deref()).length;
  assert.ok(kept <= 10, `${kept} of 60 labs are still held`);
});

test('results survive a forced growth of the memory and later calls', async () => {
  const small = {
    queries: [[1, 2]],
    keys: [
      [1, 0],
      [0, 1],
    ],
    values: [
      [1, 2],
      [3, 4],
    ],
  };
  const first = lab.attention.forward({ ...small, returnWeights: true });
  const result = await lab.run(id, shortRun, { workers: 0 }).result;
  const print = fingerprint(result);
  const copy = structuredClone(first);
  const before = bytes();
  const n = 1 << 20;
  const large = { data: new Float64Array(8 * n).fill(0.5), shape: [n, 8] };
  const { output } = lab.attention.forward({
    queries: [[1, 2, 3, 4, 5, 6, 7, 8]],
    keys: large,
    values: large,
  });
  assert.ok(bytes() > before, 'the memory grew');
  assert.deepEqual(Array.from(output.data), Array(8).fill(0.5));
  assert.deepEqual(first, copy);
  assert.equal(fingerprint(result), print);
  assert.deepEqual(lab.attention.forward({ ...small, returnWeights: true }), copy);
});

test('what the caller changes later changes no run, and what a run gave is the caller’s own', async () => {
  const magnitudes = [0.5, 1];
  const run = lab.run(id, { ...shortRun, magnitudes });
  magnitudes[0] = 3;
  const result = await run.result;
  assert.deepEqual(result.params.magnitudes, [0.5, 1]);
  const print = fingerprint(result);
  const again = await lab.run(id, shortRun).result;
  again.tables.points.columns.rms.fill(0);
  assert.equal(fingerprint(result), print);
  assert.equal(fingerprint(await lab.run(id, shortRun).result), print);
});

test('more memory than there may be is refused with the bytes, and the lab still works', () => {
  const n = 40_000;
  const tokens = { data: new Float64Array(n), shape: [n, 1] };
  const input = { queries: tokens, keys: tokens, values: tokens };
  assert.throws(
    () => lab.attention.forward({ ...input, returnWeights: true }),
    (error) => error.code === 'too-large' && /12800000000 bytes/.test(error.message),
  );
  const { output } = lab.attention.forward({ ...input, queries: [[0]] });
  assert.deepEqual(output.shape, [1, 1]);
});
