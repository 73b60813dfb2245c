// What the library's tests share: one lab, and checks of errors.
import assert from 'node:assert/strict';
import { after } from 'node:test';
import { AttnLabError, load } from '../../dist/lib/index.js';

export async function openLab(options) {
  const lab = await load(options);
  after(() => lab.dispose());
  return lab;
}

// A run that takes long enough to be interrupted: seconds, in many steps.
export const longRun = { largestCount: 131072, replicates: 4000 };
// A run of some 100 ms.
export const shortRun = { largestCount: 512, replicates: 4, magnitudes: [0.5, 1] };

function check(error, code, parameter, what) {
  assert.ok(error instanceof AttnLabError, `${what}: ${error?.stack ?? error} is no AttnLabError`);
  const codes = [code].flat();
  if (code) assert.ok(codes.includes(error.code), `${what}: code ${error.code} (${error.message})`);
  if (parameter !== undefined) {
    assert.equal(error.parameter, parameter, `${what}: ${error.message}`);
    assert.ok(error.message.startsWith(`${parameter}: `), `${what}: ${error.message}`);
  }
  assert.ok(error.message.length < 1000, `${what}: the message is ${error.message.length} long`);
  return error;
}

// The call throws, or rejects with, an AttnLabError of this code (or one of these) and parameter.
export async function refuses(call, code, parameter, what = String(call)) {
  let result;
  try {
    result = await call();
  } catch (error) {
    return check(error, code, parameter, what);
  }
  assert.fail(`${what}: was not refused, but gave ${String(result)}`);
}

export async function waitFor(condition, what, milliseconds = 20_000) {
  const stop = performance.now() + milliseconds;
  while (!condition()) {
    assert.ok(performance.now() < stop, `waited in vain for ${what}`);
    await new Promise((done) => setTimeout(done, 5));
  }
}
