// The SHA-256 of results files where there is no node:crypto.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';

const source = fileURLToPath(new URL('../../web/lib/sweep/sha256.ts', import.meta.url));
const { outputFiles } = await esbuild.build({
  entryPoints: [source],
  format: 'esm',
  write: false,
});
const { sha256 } = await import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);

const expected = (text) => createHash('sha256').update(text).digest('hex');

test('SHA-256 gives the standard’s own answers', () => {
  // FIPS 180-2, appendix B.
  assert.equal(sha256('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  assert.equal(
    sha256('abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq'),
    '248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1',
  );
});

test('SHA-256 is that of Node at every length around a block, in any script, and for long texts', () => {
  for (let length = 0; length <= 200; ++length) {
    const text = 'x'.repeat(length);
    assert.equal(sha256(text), expected(text), String(length));
  }
  for (const text of ['aé', '한국어', '日本語', '😀', '\u0000', '\ud800']) {
    assert.equal(sha256(text), expected(text), JSON.stringify(text));
    assert.equal(sha256(text.repeat(50_000)), expected(text.repeat(50_000)));
  }
});
