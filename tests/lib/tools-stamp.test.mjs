import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { requireFreeMegabytes } from '../../tools/disk.mjs';
import { withLock } from '../../tools/lock.mjs';
import { hashOf, hashOfFile, hasStamp, removeStamp, writeStamp } from '../../tools/stamp.mjs';

const folder = mkdtempSync(join(tmpdir(), 'attnlab-stamp-'));
after(() => rmSync(folder, { recursive: true }));

test('a stamp holds only for the inputs it was written for', () => {
  const stamp = join(folder, 'deep/stamp');
  assert.ok(!hasStamp(stamp, hashOf('a')));
  writeStamp(stamp, hashOf('a'));
  assert.ok(hasStamp(stamp, hashOf('a')));
  assert.ok(!hasStamp(stamp, hashOf('b')));
  removeStamp(stamp);
  assert.ok(!hasStamp(stamp, hashOf('a')));
  assert.deepEqual(readdirSync(join(folder, 'deep')), []);
});

test('a cut-off stamp is no stamp', () => {
  const stamp = join(folder, 'cut');
  writeFileSync(stamp, hashOf('a').slice(0, 10));
  assert.ok(!hasStamp(stamp, hashOf('a')));
});

test('the borders between inputs count in a hash', () => {
  assert.notEqual(hashOf('ab', 'c'), hashOf('a', 'bc'));
  assert.notEqual(hashOf(['a'], 'b'), hashOf(['a', 'b']));
});

test('a file hash changes with the bytes, and a missing file is absent', () => {
  const file = join(folder, 'file');
  assert.equal(hashOfFile(file), 'absent');
  writeFileSync(file, 'one');
  const one = hashOfFile(file);
  writeFileSync(file, 'two');
  assert.notEqual(hashOfFile(file), one);
});

test('two holders of one lock never work at the same time', async () => {
  const lock = join(folder, 'lock');
  let inside = 0;
  const work = async () => {
    assert.equal(++inside, 1);
    await new Promise((resolve) => setTimeout(resolve, 30));
    --inside;
  };
  let waits = 0;
  await Promise.all([withLock(lock, work), withLock(lock, work, () => ++waits)]);
  assert.equal(waits, 1);
});

test('the lock of a process that is gone is taken over', async () => {
  const lock = join(folder, 'stale');
  writeFileSync(lock, '4194305 123'); // above the largest process id
  assert.equal(await withLock(lock, async () => 'done'), 'done');
  writeFileSync(lock, `${process.pid} 1`); // this id once belonged to an older process
  assert.equal(await withLock(lock, async () => 'done'), 'done');
});

test('the lock is given back when the work throws', async () => {
  const lock = join(folder, 'throws');
  await assert.rejects(
    withLock(lock, async () => Promise.reject(new Error('no'))),
    /no/,
  );
  assert.equal(await withLock(lock, async () => 'again'), 'again');
});

test('too little disk is refused with the numbers and the folder', (t) => {
  t.after(() => delete process.env.ATTNLAB_PRETEND_FREE_MB);
  requireFreeMegabytes(folder, 1, 'this');
  process.env.ATTNLAB_PRETEND_FREE_MB = '99';
  assert.throws(() => requireFreeMegabytes(folder, 100, 'the toolchain'), {
    message: /Not enough disk for the toolchain: 100 MB needed, 99 MB free/,
  });
});
