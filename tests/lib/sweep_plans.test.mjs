// Plans of sweeps: what they may say, what they make of it, and how they are refused.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';
import { sweep } from '../../dist/lib/index.js';
import { revoked } from './bad_values.mjs';
import { openLab, refuses } from './lab.mjs';
import { fixed, id, inFolder, needle, succeeds, tiny } from './sweeping.mjs';

const lab = await openLab({ workers: 1 });

const pointsOf = (plan) =>
  Array.from({ length: plan.points }, (_, point) => Object.values(plan.values(point)));

test('each wrong entry of a plan is named before anything starts', async () => {
  const wrong = [
    ['type', 'plan', []],
    ['type', 'plan', null],
    ['missing', 'experiment', {}],
    ['unknown-name', 'experiment', { experiment: 'large-prompt.outptu' }],
    ['unknown-name', 'seed', { ...tiny, seed: 1 }],
    ['unknown-name', 'preset', { ...tiny, preset: 'no' }],
    ['unknown-name', 'parameters.largestcount', { ...tiny, parameters: { largestcount: 64 } }],
    ['type', 'parameters.largestCount', { ...tiny, parameters: { largestCount: '64' } }],
    ['not-integer', 'parameters.largestCount', { ...tiny, parameters: { largestCount: 64.5 } }],
    ['out-of-range', 'parameters.largestCount', { ...tiny, parameters: { largestCount: 1 } }],
    ['malformed', 'points', { ...tiny, points: [{ persistence: 0 }] }],
  ];
  const vary = (code, path, entry) =>
    wrong.push([code, path, { experiment: id, parameters: fixed, vary: entry }]);
  vary('type', 'vary', 5);
  vary('missing', 'vary', {});
  vary('unknown-name', 'vary.persistance', { persistance: { grid: [1] } });
  vary('malformed', 'vary.replicates', { replicates: { grid: [4] } });
  vary('type', 'vary.tokens', { tokens: { grid: [[[1]]] } });
  vary('type', 'vary.persistence', { persistence: [0.5] });
  vary('type', 'vary.persistence.grid', { persistence: { grid: 0.5 } });
  vary('shape', 'vary.persistence.grid', { persistence: { grid: [] } });
  vary('type', 'vary.persistence.grid[1]', { persistence: { grid: [0.5, 'x'] } });
  vary('out-of-range', 'vary.persistence.grid[1]', { persistence: { grid: [0.5, 2] } });
  vary('malformed', 'vary.persistence.grid[2]', { persistence: { grid: [0.5, 0.1, 0.5] } });
  vary('unknown-name', 'vary.source.grid[0]', { source: { grid: ['gausian'] } });
  vary('unknown-name', 'vary.persistence.to', { persistence: { grid: [0.5], to: 1 } });
  vary('missing', 'vary.persistence.to', { persistence: { from: 0.5, count: 2 } });
  vary('out-of-range', 'vary.persistence.to', { persistence: { from: 0.5, to: 5, count: 2 } });
  vary('out-of-range', 'vary.persistence.from', {
    persistence: { from: 0, to: 0.5, count: 2, scale: 'log' },
  });
  vary('unknown-name', 'vary.persistence.scale', {
    persistence: { from: 0, to: 0.5, count: 2, scale: 'lin' },
  });
  vary('out-of-range', 'vary.persistence.count', { persistence: { from: 0, to: 0.5, count: 1 } });
  vary('not-integer', 'vary.components.from', { components: { from: 0.5, to: 3, count: 2 } });
  vary('type', 'vary.source', { source: { from: 0, to: 1, count: 2 } });
  const points = (code, path, entry) =>
    wrong.push([code, path, { experiment: id, parameters: fixed, points: entry }]);
  points('type', 'points', {});
  points('shape', 'points', []);
  points('missing', 'points[0]', [{}]);
  points('unknown-name', 'points[0].no', [{ no: 1 }]);
  points('missing', 'points[1].source', [{ source: 'cube', persistence: 0 }, { persistence: 0 }]);
  points('unknown-name', 'points[1].source', [
    { persistence: 0 },
    { persistence: 0, source: 'cube' },
  ]);
  points('out-of-range', 'points[1].persistence', [{ persistence: 0 }, { persistence: 7 }]);
  points('malformed', 'points[1]', [{ persistence: 0 }, { persistence: 0 }]);
  const ranges = { persistence: { from: 0, to: 0.5 } };
  const sample = (code, path, entry) =>
    wrong.push([code, path, { experiment: id, parameters: fixed, sample: entry }]);
  sample('missing', 'sample.count', { kind: 'halton', ranges });
  sample('missing', 'sample.kind', { count: 4, ranges });
  sample('unknown-name', 'sample.kind', { count: 4, kind: 'sobol', ranges });
  sample('missing', 'sample.ranges', { count: 4, kind: 'halton' });
  sample('missing', 'sample.ranges', { count: 4, kind: 'halton', ranges: {} });
  sample('malformed', 'sample.seed', { count: 4, kind: 'halton', seed: 1, ranges });
  sample('out-of-range', 'sample.ranges.persistence.to', {
    count: 4,
    kind: 'random',
    ranges: { persistence: { from: 0.5, to: 0.25 } },
  });
  sample('unknown-name', 'sample.ranges.no', {
    count: 4,
    kind: 'random',
    ranges: { no: { from: 0, to: 1 } },
  });
  const seeds = (code, path, entry) => wrong.push([code, path, { ...tiny, seeds: entry }]);
  seeds('type', 'seeds', 5);
  seeds('shape', 'seeds', []);
  seeds('out-of-range', 'seeds[1]', [1, -1]);
  seeds('malformed', 'seeds[1]', [1, '01']);
  seeds('out-of-range', 'seeds.count', { count: 0 });
  seeds('out-of-range', 'seeds.first', { first: 2 ** 53 - 1, count: 2 });
  const stop = (code, path, entry) => wrong.push([code, path, { ...tiny, stop: entry }]);
  stop('unknown-name', 'stop.run', { run: 5 });
  stop('unknown-name', 'stop.column', { column: 'summary.rsm', standardError: 1 });
  stop('unknown-name', 'stop.column', { column: 'summary.curve', standardError: 1 });
  stop('missing', 'stop.standardError', { column: 'summary.rms' });
  stop('missing', 'stop.column', { standardError: 1 });
  stop('out-of-range', 'stop.standardError', { column: 'summary.rms', standardError: 0 });
  stop('out-of-range', 'stop.runs', { runs: 0 });
  stop('out-of-range', 'stop.seconds', { seconds: -1 });
  for (const [code, path, plan] of wrong) {
    await refuses(() => sweep.readPlan(lab, plan), code, path, JSON.stringify(plan));
  }
  const hint = await refuses(() =>
    sweep.readPlan(lab, { experiment: id, vary: { persistance: { grid: [1] } } }),
  );
  assert.match(hint.message, /did you mean "persistence"/);
});

test('a grid is every combination, the last parameter fastest and the seeds outermost', () => {
  const plan = sweep.readPlan(lab, tiny);
  assert.deepEqual(pointsOf(plan), [
    ['gaussian', 0.5],
    ['gaussian', 0.25],
    ['cube', 0.5],
    ['cube', 0.25],
  ]);
  assert.equal(plan.runs, 12);
  assert.deepEqual(plan.run(5), { point: 1, seedIndex: 1, seed: 2 });
  const parameters = plan.parameters(3);
  assert.equal(parameters.source, 'cube');
  assert.equal(parameters.largestCount, 64);
  assert.equal(Object.keys(parameters).length, lab.describe(id).parameters.length);
});

test('a byte-order mark before a plan is skipped', async () => {
  await writeFile(inFolder('marked.json'), `\ufeff${JSON.stringify(tiny)}`);
  const { stdout } = await succeeds('sweep', 'marked.json', '--dry-run', '--workers', '0');
  assert.match(stdout, /12 runs/);
});

test('a plan needs a lab, and answers for its own runs and points alone', async () => {
  for (const none of [undefined, null, 5, 'x', [], {}]) {
    await refuses(() => sweep.readPlan(none, tiny), ['type', 'missing'], 'lab');
  }
  await refuses(() => sweep.readPlan(lab, revoked()), 'type', 'plan');
  const plan = sweep.readPlan(lab, { experiment: id, seeds: { count: 3 } });
  const codes = ['out-of-range', 'not-finite', 'not-integer', 'type'];
  for (const place of [-1, 3, NaN, Infinity, 0.5, '0', null, undefined]) {
    await refuses(() => plan.run(place), codes, 'run');
    await refuses(() => plan.identity(place), codes, 'run');
    await refuses(() => plan.shardOf(place, 2), codes, 'run');
    await refuses(() => plan.runAt(0, place), codes, 'seedIndex');
    await refuses(() => plan.runAt(place, 0), codes, 'point');
    await refuses(() => plan.values(place), codes, 'point');
    await refuses(() => plan.parameters(place), codes, 'point');
  }
  assert.equal(plan.run(2).seedIndex, 2);
});

test('a plan that is spelled out reads as the same plan', () => {
  const box = { persistence: { from: 0, to: 0.5 } };
  for (const plan of [
    tiny,
    { experiment: id, preset: 'text', seeds: ['18446744073709551615', 0] },
    { ...needle, points: [{ snr: 1 }, { snr: 2 }], stop: { runs: 1, seconds: 2 } },
    { experiment: id, sample: { kind: 'random', count: 3, ranges: box } },
    { ...tiny, stop: { column: 'summary.rms', standardError: 0.5 } },
  ]) {
    const { text } = sweep.readPlan(lab, plan);
    assert.equal(sweep.readPlan(lab, JSON.parse(text)).text, text);
  }
});

test('ranges are even, or even in ratios, with exact ends and short digits', () => {
  const valuesOf = (vary) => pointsOf(sweep.readPlan(lab, { ...needle, vary })).flat();
  assert.deepEqual(valuesOf({ snr: { from: 0.1, to: 0.5, count: 5 } }), [0.1, 0.2, 0.3, 0.4, 0.5]);
  assert.deepEqual(
    valuesOf({ largestScale: { from: 1, to: 100, count: 5, scale: 'log' } }),
    [1, 3.16227766017, 10, 31.6227766017, 100],
  );
  assert.deepEqual(
    valuesOf({ length: { from: 1, to: 32, count: 6, scale: 'log' } }),
    [1, 2, 4, 8, 16, 32],
  );
  assert.deepEqual(valuesOf({ length: { from: 1, to: 3, count: 9 } }), [1, 2, 3]);
  assert.deepEqual(valuesOf({ snr: { from: 2, to: 1, count: 3 } }), [2, 1.5, 1]);
});

test('the low-discrepancy sample is Halton’s sequence', () => {
  const plan = sweep.readPlan(lab, {
    ...needle,
    sample: {
      kind: 'halton',
      count: 6,
      ranges: { snr: { from: 0, to: 64 }, largestScale: { from: 1, to: 28 } },
    },
  });
  // Digits mirrored in base 2 and in base 3.
  const binary = [1 / 2, 1 / 4, 3 / 4, 1 / 8, 5 / 8, 3 / 8];
  const ternary = [1 / 3, 2 / 3, 1 / 9, 4 / 9, 7 / 9, 2 / 9];
  assert.deepEqual(
    pointsOf(plan),
    binary.map((share, i) => [64 * share, 1 + Math.round(27 * ternary[i])]),
  );
});

test('Philox 4x32-10 gives its authors’ known answers', async () => {
  const source = fileURLToPath(new URL('../../web/lib/sweep/philox.ts', import.meta.url));
  const { outputFiles } = await esbuild.build({
    entryPoints: [source],
    format: 'esm',
    write: false,
  });
  const { philox } = await import(
    `data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`
  );
  const ones = 0xffffffff;
  for (const [counter, key, answer] of [
    [[0, 0, 0, 0], [0, 0], '6627e8d5 e169c58d bc57ac4c 9b00dbd8'],
    [[ones, ones, ones, ones], [ones, ones], '408f276d 41c83b0e a20bc7c6 6d5451fd'],
    [
      [0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344],
      [0xa4093822, 0x299f31d0],
      'd16cfe09 94fdcceb 5001e420 24126ea1',
    ],
  ]) {
    const words = philox(counter, key).map((word) => word.toString(16).padStart(8, '0'));
    assert.equal(words.join(' '), answer);
  }
});

test('the random sample is Philox’s, by its seed, within its ranges', () => {
  const draw = (sample) =>
    sweep.readPlan(lab, { ...needle, sample: { kind: 'random', ...sample } });
  const snr = { from: 0, to: 64 };
  // The authors' known answer for counter 0 and key 0 begins 6627e8d5 e169c58d.
  const share = ((0x6627e8d5 >>> 5) * 2 ** 26 + (0xe169c58d >>> 6)) / 2 ** 53;
  const [[first]] = pointsOf(draw({ count: 1, seed: 0, ranges: { snr } }));
  assert.ok(Math.abs(first - 64 * share) < 1e-10);
  const points = pointsOf(
    draw({
      count: 400,
      ranges: { snr: { from: 1, to: 64, scale: 'log' }, length: { from: 2, to: 4 } },
    }),
  );
  const [snrs, lengths] = [points.map(([x]) => x), points.map(([, x]) => x)];
  assert.ok(snrs.every((x) => x >= 1 && x <= 64));
  // Half of a log range lies below its geometric mean; five standard errors are 50.
  assert.ok(Math.abs(snrs.filter((x) => x < 8).length - 200) < 50);
  for (const length of [2, 3, 4]) {
    assert.ok(Math.abs(lengths.filter((x) => x === length).length - 400 / 3) < 48);
  }
  const again = (seed) => pointsOf(draw({ count: 3, seed, ranges: { snr } }));
  assert.deepEqual(again(5), again(5));
  assert.notDeepEqual(again(5), again(6));
  const few = pointsOf(draw({ count: 50, ranges: { length: { from: 1, to: 3 } } }));
  assert.deepEqual(few.flat().sort(), [1, 2, 3], 'a point drawn again is one point');
});

test('parameters are resolved, and refused, as a run does it', async () => {
  const given = { largestCount: 64, magnitudes: [1] };
  const run = lab.run(id, given, { preset: 'text', signal: AbortSignal.abort() });
  const { params } = await run.result;
  assert.deepEqual(lab.resolveParameters(id, given, { preset: 'text' }), params);
  await refuses(() => lab.resolveParameters(id, { no: 1 }), 'unknown-name', 'no');
  await refuses(
    () => lab.resolveParameters(id, { largestCount: 1 }),
    'out-of-range',
    'largestCount',
  );
  await refuses(() => lab.resolveParameters(id, {}, { preset: 'no' }), 'unknown-name', 'preset');
  await refuses(() => lab.resolveParameters(id, {}, { seed: 1 }), 'unknown-name', 'seed');
});

test('workers are started ahead, and no more than were asked for', async () => {
  assert.equal(await lab.startWorkers(2), 2);
  assert.equal(await lab.startWorkers(1), 1);
  await refuses(() => lab.startWorkers(1.5), 'not-integer', 'count');
  await refuses(() => lab.startWorkers(65), 'out-of-range', 'count');
  await refuses(() => lab.startWorkers(), 'missing', 'count');
  for (const count of ['2', null, {}, [2, 3], true, 2n]) {
    await refuses(() => lab.startWorkers(count), 'type', 'count', typeof count);
  }
});
