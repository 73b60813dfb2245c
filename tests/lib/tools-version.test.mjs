import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareVersions, findVersion, isAtLeast } from '../../tools/version.mjs';

test('the version is found in what compilers print', () => {
  assert.equal(findVersion('emcc (Emscripten gcc/clang-like replacement) 3.1.69 ()'), '3.1.69');
  assert.equal(findVersion('cmake version 3.31.6'), '3.31.6');
  assert.equal(findVersion('1.12.1'), '1.12.1');
  assert.equal(findVersion('no number'), null);
});

test('versions are compared number by number, not letter by letter', () => {
  assert.ok(compareVersions('3.1.9', '3.1.69') < 0);
  assert.ok(compareVersions('10.0.0', '9.9.9') > 0);
  assert.equal(compareVersions('3.1', '3.1.0'), 0);
  assert.ok(compareVersions('4', '3.1.69') > 0);
});

test('Emscripten 3.1.69, 4.x and 6.x are new enough, 3.1.6 is not, and neither is none', () => {
  for (const version of ['3.1.69', '3.1.70', '4.0.0', '6.0.2']) {
    assert.ok(isAtLeast(version, '3.1.69'), version);
  }
  for (const version of ['3.1.6', '3.1.68', '2.0.99', null]) {
    assert.ok(!isAtLeast(version, '3.1.69'), String(version));
  }
});
