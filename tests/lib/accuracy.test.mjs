// The table of accuracies is what its program measures, and the headers promise no more than that.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { accuracyFile, accuracyTable, declaredBounds, measure } from '../../tools/accuracy.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const program = join(root, 'build/native/attnlab_accuracy');
assert.ok(existsSync(program), `${program} is missing: npm test builds it`);
const rows = await measure();

// Elsewhere long double has other digits.
const skip = process.arch !== 'x64' && 'the table is that of x86-64';

test('the committed table is the one that the program gives', { skip }, async () => {
  assert.equal(accuracyTable(rows), await readFile(accuracyFile, 'utf8'));
});

test('no error is above the bound that the header states', () => {
  assert.ok(rows.length > 30, `${rows.length} rows`);
  for (const { name, range, error, stated } of rows) {
    if (['log_sum_exp', 'softmax'].includes(name)) continue;
    assert.ok(error > 0 && error <= stated, `${name} on ${range}: ${error}, stated ${stated}`);
  }
});

test('every special function is in it', async () => {
  const measured = new Set(rows.map(({ name }) => name));
  for (const header of ['portable.h', 'special.h']) {
    const source = await readFile(join(root, 'src/core', header), 'utf8');
    for (const [, name] of source.matchAll(/^(?:double|Vector) (\w+)\(/gm)) {
      assert.ok(measured.has(name), name);
    }
  }
  for (const name of declaredBounds().keys()) assert.ok(measured.has(name), name);
  for (const rule of ['gauss_hermite', 'gauss_legendre']) {
    assert.ok(measured.has(`${rule}, nodes`) && measured.has(`${rule}, weights`), rule);
  }
});
