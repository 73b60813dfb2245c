// Frames, pause, step, cancel, dispose, and workers that die.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import threads from 'node:worker_threads';
import { AttnLabError, fingerprint, load } from '../../dist/lib/index.js';
import { longRun, openLab, refuses, shortRun, waitFor } from './lab.mjs';

const id = 'large-prompt.output';
const lab = await openLab();
const tableNames = lab.describe(id).tables.map(({ name }) => name);
const print = async () => fingerprint(await lab.run(id, shortRun).result);
const expected = await print();

const sleep = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

for (const workers of [0, 2]) {
  const where = workers === 0 ? 'on the calling thread' : `in ${workers} workers`;

  test(`frames come with growing progress and end with the result’s tables, ${where}`, async () => {
    const run = lab.run(id, { ...shortRun, largestCount: 4096 }, { workers });
    let last = -1;
    let newest;
    for await (const frame of run) {
      assert.ok(frame.progress >= last && frame.progress <= 1);
      last = frame.progress;
      newest = frame;
    }
    const result = await run.result;
    assert.equal(newest.status, 'done');
    assert.equal(newest.progress, 1);
    assert.equal(newest.tables, result.tables);
    assert.equal(run.ended, true);
  });

  test(`partial tables come while the run works, ${where}`, async () => {
    const run = lab.run(id, longRun, { workers });
    let seen = 0;
    for await (const frame of run) {
      if (frame.status !== 'running') continue;
      const rows = frame.tables.points.columns.curve.length;
      if (rows > 0 && ++seen === 3) run.cancel();
    }
    assert.equal(seen, 3);
  });

  test(`cancel ends the run at once at every phase, and the next run works, ${where}`, async () => {
    const phases = {
      'before it starts': async () => {},
      'while workers start': () => Promise.resolve(),
      'at the start': () => sleep(5),
      'in the middle': (run) => waitFor(() => (run.latest?.progress ?? 0) > 0, 'a frame'),
      'while paused': async (run) => {
        await waitFor(() => (run.latest?.progress ?? 0) > 0, 'a frame');
        run.pause();
      },
      'while stepping': async (run) => void run.step(),
    };
    for (const [phase, reach] of Object.entries(phases)) {
      const run = lab.run(id, longRun, { workers });
      await reach(run);
      const begun = performance.now();
      run.cancel();
      const result = await run.result;
      assert.ok(performance.now() - begun < 100, `${phase}: cancel took long`);
      assert.equal(result.status, 'cancelled', phase);
      assert.deepEqual(Object.keys(result.tables), tableNames, phase);
      const rows = result.tables.points.columns.rms.length;
      await sleep(20);
      assert.equal(run.latest.status, 'cancelled', `${phase}: nothing comes after the end`);
      assert.equal(run.latest.tables.points.columns.rms.length, rows);
      run.cancel();
      run.pause();
      run.resume();
      await run.step();
      assert.equal(run.latest.status, 'cancelled');
    }
    assert.equal(await print(), expected);
  });

  test(`an AbortSignal cancels, before and during the run, ${where}`, async () => {
    const early = lab.run(id, longRun, { workers, signal: AbortSignal.abort() });
    assert.equal((await early.result).status, 'cancelled');
    const controller = new AbortController();
    const run = lab.run(id, longRun, { workers, signal: controller.signal });
    setTimeout(() => controller.abort(), 30);
    assert.equal((await run.result).status, 'cancelled');
    const late = new AbortController();
    const done = lab.run(id, shortRun, { workers, signal: late.signal });
    const result = await done.result;
    late.abort();
    assert.equal(result.status, 'done');
  });

  test(`a paused run stands still and goes on where it was, ${where}`, async () => {
    const run = lab.run(id, longRun, { workers });
    await waitFor(() => (run.latest?.progress ?? 0) > 0, 'a frame');
    run.pause();
    assert.equal(run.paused, true);
    await sleep(150);
    const before = run.latest.progress;
    await sleep(200);
    assert.equal(run.latest.progress, before);
    assert.equal(run.latest.status, 'paused');
    // Workers are free for others meanwhile.
    assert.equal(await print(), expected);
    run.resume();
    await waitFor(() => run.latest.progress > before, 'progress after the pause');
    run.cancel();
  });

  test(`steps go forward one by one, ${where}`, async () => {
    const run = lab.run(id, longRun, { workers, paused: true });
    await sleep(100);
    assert.equal(run.latest?.progress ?? 0, 0, 'nothing is done before the first step');
    let last = 0;
    for (let i = 0; i < 6; ++i) {
      const frame = await run.step();
      assert.equal(frame.status, 'paused');
      assert.ok(frame.progress >= last);
      last = frame.progress;
    }
    assert.ok(last > 0);
    run.cancel();
  });

  test(`stepping to the end gives the run’s result, ${where}`, async () => {
    const run = lab.run(id, { ...shortRun, largestCount: 64 }, { workers, paused: true });
    for (let i = 0; i < 20_000 && !run.ended; ++i) await run.step();
    assert.equal((await run.result).status, 'done');
  });
}

test('the calling thread stays free: no slice holds it for more than 60 ms', async () => {
  const run = lab.run(id, longRun, { workers: 0 });
  await waitFor(() => (run.latest?.progress ?? 0) > 0, 'a frame');
  const gaps = [];
  for (let i = 0; i < 50; ++i) {
    const begun = performance.now();
    await new Promise((done) => setImmediate(done));
    gaps.push(performance.now() - begun);
  }
  run.cancel();
  gaps.sort((left, right) => left - right);
  // The median: this machine may be busy with other things.
  assert.ok(gaps[25] < 60, `the median gap is ${gaps[25]} ms`);
});

test('each reader of the frames reads for itself, and a late one gets the last frame', async () => {
  const run = lab.run(id, shortRun);
  const read = async () => {
    let last;
    for await (const frame of run) last = frame;
    return last;
  };
  const [one, two] = await Promise.all([read(), read()]);
  assert.equal(one, two);
  assert.equal(await read(), one);
});

test('dispose ends runs and calls by an error; a second one is harmless; nothing works after it', async () => {
  const own = await load({ workers: 1 });
  const run = own.run(id, longRun);
  const local = own.run(id, longRun, { workers: 0 });
  await waitFor(() => (run.latest?.progress ?? 0) > 0, 'a frame');
  const call = own.mhla.fit({
    prompts: Array.from({ length: 400 }, (_, i) => [
      [i, 1, 2, 3],
      [1, i, i * i, 1],
    ]),
    targets: Array.from({ length: 400 }, (_, i) => [i]),
  });
  own.dispose();
  for (const going of [run.result, local.result, call]) {
    await refuses(() => going, 'disposed', 'lab', 'what was going on');
  }
  await refuses(
    async () => {
      for await (const _ of run);
    },
    'disposed',
    'lab',
    'frames',
  );
  own.dispose();
  const tokens = [[1, 0]];
  const attention = { queries: tokens, keys: tokens, values: tokens };
  const after = {
    run: () => own.run(id),
    describe: () => own.describe(id),
    forward: () => own.attention.forward(attention),
    gradient: () => own.attention.gradient({ ...attention, outputGradient: tokens }),
    forwardBatch: () => own.attention.forwardBatch({ prompts: [attention] }),
    attend: () =>
      own.measure.attend({
        measure: { kind: 'rademacher', dimension: 2 },
        A: [
          [1, 0],
          [0, 1],
        ],
        V: [[1, 0]],
        queries: tokens,
      }),
    constants: () =>
      own.measure.constants({ measure: { kind: 'rademacher', dimension: 2 }, a: [1, 0] }),
    mhlaForward: () =>
      own.mhla.forward({
        prompts: [tokens],
        heads: [
          {
            value: [[1, 0]],
            query: [
              [1, 0],
              [0, 1],
            ],
          },
        ],
      }),
    features: () => own.mhla.features({ prompts: [tokens] }),
    fit: () => own.mhla.fit({ prompts: [tokens], targets: [[1]] }),
    certificate: () => own.mhla.certificate({ prompts: [tokens] }),
    predict: () => own.mhla.predict({ prompts: [tokens], coefficients: [[1]] }),
    bayesRisk: () => own.needle.bayesRisk({ model: 'spiked', length: 2, snr: 1 }),
    populationRisk: () =>
      own.needle.populationRisk({ model: 'spiked', length: 2, snr: 1, kernel: 'linear' }),
    stateEvolution: () =>
      own.needle.stateEvolution({ model: 'spiked', length: 2, snr: 1, estimator: 'erm', ratio: 2 }),
    infinitePrompt: () => own.regression.infinitePrompt({ covariance: [[1]], A: [[1]], b: 1 }),
    flow: () => own.regression.flow({ covariance: [[1]], A: [[1]], b: 1, times: [1] }),
  };
  for (const [name, method] of Object.entries(after)) {
    await refuses(method, 'disposed', 'lab', `${name} after dispose`);
  }
  assert.equal(own.disposed, true);
});

test('dispose while the workers start leaves none behind', async () => {
  const own = await load({ workers: 2 });
  const run = own.run(id, longRun);
  await Promise.resolve();
  own.dispose();
  await refuses(() => run.result, 'disposed');
});

test('a step of a run that fails rejects, whenever the run fails', async () => {
  for (const workers of [0, 1]) {
    const own = await load({ workers });
    const early = own.run(id, shortRun, { paused: true });
    const first = early.step();
    const late = own.run(id, longRun, { paused: true });
    own.dispose();
    await refuses(() => first, 'disposed', 'lab', 'the first step');
    await refuses(() => early.step(), 'disposed', 'lab', 'a step after the end');
    await refuses(() => late.step(), 'disposed', 'lab', 'a step after the end');
  }
});

test('a signal that is not the platform’s cannot break the lab', async () => {
  const quiet = () => {};
  const sharp = () => {
    throw new Error('no');
  };
  const own = await load({ workers: 1 });
  const fit = { prompts: [[[1]]], targets: [[1]] };
  const signals = {
    'never tells': { aborted: false, addEventListener: quiet, removeEventListener: quiet },
    'cannot be left': { aborted: false, addEventListener: quiet, removeEventListener: sharp },
  };
  for (const [what, signal] of Object.entries(signals)) {
    assert.equal((await own.mhla.fit({ ...fit, signal })).rank, 1, what);
    const { status } = await own.run(id, shortRun, { signal }).result;
    assert.equal(status, 'done', what);
  }
  // It tells at once, and again and again.
  const handlers = [];
  const eager = {
    aborted: false,
    addEventListener: (_type, handle) => (handlers.push(handle), handle()),
    removeEventListener: sharp,
  };
  await refuses(() => own.mhla.fit({ ...fit, signal: eager }), 'cancelled', 'signal');
  assert.equal((await own.run(id, longRun, { signal: eager }).result).status, 'cancelled');
  for (const handle of handlers) handle();
  const bad = {
    'cannot be left': { aborted: false, addEventListener: quiet },
    'cannot be listened to': { ...signals['never tells'], addEventListener: sharp },
    'will not say': {
      ...signals['never tells'],
      get aborted() {
        throw new Error('no');
      },
    },
  };
  for (const [what, signal] of Object.entries(bad)) {
    await refuses(() => own.mhla.fit({ ...fit, signal }), 'type', 'signal', what);
    await refuses(() => own.run(id, shortRun, { signal }), 'type', 'signal', what);
  }
  assert.equal((await own.mhla.fit(fit)).rank, 1);
  own.dispose();
});

test('a worker that is killed makes an error and leaves a working lab', async () => {
  const made = [];
  const { Worker } = threads;
  threads.Worker = class extends Worker {
    constructor(...args) {
      super(...args);
      made.push(this);
    }
  };
  const own = await load({ workers: 2 });
  try {
    const run = own.run(id, longRun);
    const bystander = own.run(id, shortRun, { workers: 0 });
    await waitFor(() => (run.latest?.progress ?? 0) > 0, 'a frame');
    await made[0].terminate();
    const error = await refuses(() => run.result, 'worker', 'workers');
    assert.match(error.message, /ended/);
    assert.equal((await bystander.result).status, 'done');
    const next = await own.run(id, shortRun, { workers: 2 }).result;
    assert.equal(fingerprint(next), expected);
    assert.equal(made.length, 3, 'only the dead worker was replaced');
  } finally {
    threads.Worker = Worker;
    own.dispose();
  }
});

test('where no worker can be started the calling thread does the work and the lab says why', async () => {
  const { Worker } = threads;
  threads.Worker = class {
    constructor() {
      throw new Error('no threads here');
    }
  };
  const own = await load({ workers: 2 });
  try {
    const result = await own.run(id, shortRun).result;
    assert.equal(fingerprint(result), expected);
    assert.match(own.workerProblem, /no threads here/);
  } finally {
    threads.Worker = Worker;
    own.dispose();
  }
});

test('a long call tells its progress, is cancelled by a signal, and passes on the caller’s own error', async () => {
  const d = 6;
  const count = 4000;
  const random = (i) => Math.sin(i * 12.9898) * 1.7;
  const block = Float64Array.from({ length: count * 4 * d }, (_, i) => random(i));
  const input = {
    prompts: { data: block, shape: [count, 4, d] },
    targets: {
      data: Float64Array.from({ length: count }, (_, i) => random(i + 0.5)),
      shape: [count, 1],
    },
  };
  const told = [];
  const fit = await lab.mhla.fit({ ...input, onProgress: (progress) => told.push(progress) });
  assert.equal(fit.dimension, (d * d * (d + 1)) / 2);
  assert.equal(told.at(-1), 1);
  assert.ok(
    told.every((value, i) => i === 0 || value >= told[i - 1]),
    told.join(' '),
  );
  await refuses(
    () => lab.mhla.fit({ ...input, signal: AbortSignal.abort() }),
    'cancelled',
    'signal',
  );
  const controller = new AbortController();
  const going = lab.mhla.fit({ ...input, signal: controller.signal });
  setTimeout(() => controller.abort(), 5);
  await refuses(() => going, 'cancelled', 'signal');
  const own = new Error('mine');
  await assert.rejects(
    lab.mhla.fit({
      ...input,
      onProgress: () => {
        throw own;
      },
    }),
    (error) => error === own,
  );
  assert.equal((await lab.mhla.fit(input)).method, fit.method);
});

test('errors are Errors with a name, a code, a parameter and a stack', async () => {
  const error = await refuses(() => lab.run('nothing'), 'unknown-name', 'experiment');
  assert.ok(error instanceof Error);
  assert.equal(error.name, 'AttnLabError');
  assert.ok(error.stack.includes('AttnLabError'));
  assert.ok(error instanceof AttnLabError);
});
