import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { addCounts, countDoctest, countNodeTests, excerpt } from '../../tools/test-counts.mjs';

const fine = { code: 0, timedOut: false };
const doctest = (passed, failed) =>
  `[doctest] test cases:  ${passed + failed} |  ${passed} passed | ${failed} failed | 0 skipped\n` +
  '[doctest] assertions: 90 | 90 passed | 0 failed |\n';

test('doctest: test cases are counted, not assertions', () => {
  assert.deepEqual(countDoctest(doctest(11, 0), fine), { passed: 11, failed: 0, skipped: 0 });
  const two = countDoctest(doctest(9, 2), { code: 1, timedOut: false });
  assert.deepEqual([two.passed, two.failed], [9, 2]);
});

test('doctest: a crash, an empty suite, a bad exit code and a timeout are failures', () => {
  assert.equal(countDoctest('==1==ERROR: AddressSanitizer', { code: 1 }).failed, 1);
  assert.equal(countDoctest('', { code: null, timedOut: false }).failed, 1);
  assert.equal(countDoctest(doctest(0, 0), fine).failed, 1);
  assert.equal(countDoctest(doctest(5, 0), { code: 134, timedOut: false }).failed, 1);
  assert.equal(countDoctest(doctest(5, 0), { code: null, timedOut: true }).failed, 1);
});

const folder = mkdtempSync(join(tmpdir(), 'attnlab-counts-'));
after(() => rmSync(folder, { recursive: true }));

function countFile(body, reporter) {
  const file = join(folder, 'sample.mjs');
  writeFileSync(file, `import { test, describe } from 'node:test';\n${body}`);
  const env = { ...process.env };
  delete env.NODE_TEST_CONTEXT; // else node takes the sample for a child of this very run
  const result = spawnSync(process.execPath, [`--test-reporter=${reporter}`, file], {
    env,
    encoding: 'utf8',
  });
  const counts = countNodeTests(result.stdout, { code: result.status, timedOut: false });
  return { counts, output: result.stdout };
}

for (const reporter of ['tap', 'spec']) {
  test(`node:test: passes and failures are read from its ${reporter} output`, () => {
    const { counts } = countFile(
      `test('a', () => {}); describe('s', () => { test('b', () => {}); test('c', () => { throw new Error('x'); }); });
       test('later', { todo: true }, () => {}); test('not here', { skip: true }, () => {});`,
      reporter,
    );
    assert.deepEqual([counts.passed, counts.failed, counts.skipped], [2, 1, 2]);
  });
}

test('node:test: a file without tests has failed', () => {
  assert.equal(countFile('', 'tap').counts.failed, 1);
});

test('node:test: a file that throws or exits has failed', () => {
  assert.ok(countFile("throw new Error('load')", 'tap').counts.failed >= 1);
  assert.ok(countFile("test('a', () => {}); process.exit(3)", 'tap').counts.failed >= 1);
});

test('node:test: a timeout adds a failure to what was counted', () => {
  const counts = countNodeTests('# pass 4\n# fail 0\n', { code: null, timedOut: true });
  assert.deepEqual([counts.passed, counts.failed], [4, 1]);
});

test('counts add up over suites', () => {
  const sum = addCounts([
    { passed: 2, failed: 0 },
    { passed: 3, failed: 1, skipped: 4 },
  ]);
  assert.deepEqual(sum, { passed: 5, failed: 1, skipped: 4 });
});

test('the excerpt of a failed suite shows the failed test and not the passed ones', () => {
  const { output } = countFile(
    `for (let i = 0; i < 200; ++i) test('fine ' + i, () => {});
     test('the broken one', () => { throw new Error('because'); });`,
    'tap',
  );
  const text = excerpt(output);
  assert.match(text, /not ok 201 - the broken one/);
  assert.match(text, /because/);
  assert.doesNotMatch(text, /fine 7/);
});
