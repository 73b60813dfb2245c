// Every parameter of every experiment and every option of a run, given every kind of bad value.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as bad from './bad_values.mjs';
import { openLab, refuses, shortRun } from './lab.mjs';

const lab = await openLab({ workers: 1 });

test('lab.run refuses every bad parameter of every type, and runs afterwards', async () => {
  const run = (parameters, options) => lab.run('large-prompt.output', parameters, options);
  const byType = {
    number: [...bad.badNumbers],
    integer: bad.badCounts,
    boolean: bad.badFlags,
    choice: bad.badNames,
    numbers: bad.badVectors,
    text: bad.badTexts,
    matrix: bad.badMatrices,
  };
  for (const experiment of lab.experiments) {
    for (const { name, type } of experiment.parameters) {
      for (const [what, value] of byType[type]) {
        if (type === 'integer' && what === '-1') continue; // may be within the limits
        await refuses(
          () => lab.run(experiment.id, { [name]: value }),
          undefined,
          name,
          `${experiment.id} ${name}: ${what}`,
        );
      }
    }
  }
  await refuses(() => run({ nothing: 1 }), 'unknown-name', 'nothing');
  await refuses(() => run({ largestcount: 64 }), 'unknown-name', 'largestcount');
  await refuses(() => run(JSON.parse('{"__proto__": 5}')), 'unknown-name', '__proto__');
  await refuses(() => run({ constructor: 5 }), 'unknown-name', 'constructor');
  for (const whole of [null, 5, 'text', [], Symbol('x')])
    await refuses(() => run(whole), 'type', 'parameters');
  for (const [what, seed] of bad.badSeeds)
    await refuses(() => run({}, { seed }), undefined, 'seed', `seed: ${what}`);
  for (const [what, value] of bad.badCounts)
    await refuses(() => run({}, { workers: value }), undefined, 'workers', what);
  for (const [what, value] of bad.badNumbers)
    await refuses(
      () => run({}, { sliceMilliseconds: value }),
      undefined,
      'sliceMilliseconds',
      what,
    );
  for (const [what, value] of bad.badNames)
    await refuses(() => run({}, { preset: value }), undefined, 'preset', what);
  for (const [what, value] of bad.badSignals)
    await refuses(() => run({}, { signal: value }), 'type', 'signal', what);
  for (const [what, value] of bad.badFlags)
    await refuses(() => run({}, { paused: value }), 'type', 'paused', what);
  for (const [what, value] of bad.badNames)
    await refuses(() => lab.run(value), ['type', 'unknown-name'], 'experiment', what);
  await refuses(() => run({}, { seeed: 1 }), 'unknown-name', 'seeed');
  const result = await run(shortRun, { workers: 0 }).result;
  assert.equal(result.status, 'done');
});

test('an unknown name is refused with the nearest one', async () => {
  const error = await refuses(() => lab.run('large-prompt.outputs'), 'unknown-name', 'experiment');
  assert.match(error.message, /did you mean "large-prompt\.output"\?/);
  const kernel = await refuses(
    () => lab.attention.forward({ queries: [[1]], keys: [[1]], values: [[1]], kernel: 'sofmax' }),
    'unknown-name',
    'kernel',
  );
  assert.match(kernel.message, /did you mean "softmax"\?/);
});
