// What a call may do: give a result, or throw an AttnLabError that names a parameter.
import assert from 'node:assert/strict';
import { AttnLabError } from '../../../dist/lib/index.js';

function checkError(error) {
  assert.ok(error instanceof AttnLabError, `${error?.stack ?? error} is no AttnLabError`);
  assert.notEqual(error.code, 'internal', error.message);
  assert.ok(error.message.startsWith(`${error.parameter}: `), error.message);
  assert.ok(error.message.length < 2000, 'the message is endless');
}

// → the result, or undefined where it was refused.
export function outcome(call) {
  try {
    return call();
  } catch (error) {
    checkError(error);
    return undefined;
  }
}

export async function outcomeOf(call) {
  try {
    return await call();
  } catch (error) {
    checkError(error);
    return undefined;
  }
}

// Every number in it is finite, however deep.
export function assertFinite(value, where = 'result') {
  if (typeof value === 'number') assert.ok(Number.isFinite(value), `${where} is ${value}`);
  if (ArrayBuffer.isView(value)) {
    const bad = value.findIndex((entry) => !Number.isFinite(entry));
    assert.ok(bad < 0, `${where}[${bad}] is ${value[bad]}`);
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, entry] of Object.entries(value)) assertFinite(entry, `${where}.${name}`);
  }
}
