// A results file of a hundred thousand runs on the page.
import assert from 'node:assert/strict';
import { createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { once } from 'node:events';
import { test } from 'node:test';
import { load, sweep } from '../../dist/lib/index.js';
import { faultsOf, inEachBrowser } from './drive.mjs';
import {
  choose,
  drawn,
  inFolder,
  openView,
  pick,
  sealed,
  sha256,
  shown,
  told,
} from './sweeping.mjs';

// 500 points of two numbers, 200 seeds; each record with numbers that are known.
const large = { snrs: 25, lengths: 20, seeds: 200 };
const rowsOf = (run) => [run % 7, run % 11, run];
async function writeLarge(path) {
  const lab = await load({ variant: 'simd' });
  const made = sweep.readPlan(lab, {
    experiment: 'needle.population-risk',
    parameters: { snrs: [1] },
    vary: {
      snr: { from: 1, to: 25, count: large.snrs },
      length: { from: 2, to: 21, count: large.lengths },
    },
    seeds: { count: large.seeds },
  });
  lab.dispose();
  const out = createWriteStream(path);
  const planHash = sha256(made.text);
  const head = { format: 'attnlab-sweep', version: made.version, planHash, shard: '1/1' };
  out.write(sealed({ ...head, plan: JSON.parse(made.text) }));
  const names = made.descriptor.tables
    .find(({ name }) => name === 'points')
    .columns.map(({ name }) => name);
  for (let run = 0; run < made.runs; ++run) {
    const { point, seed } = made.run(run);
    const columns = Object.fromEntries(
      names.map((name, c) => [name, rowsOf(run).map((value) => value + c / 8 + 0.123456789)]),
    );
    const record = {
      run,
      id: sha256(made.identity(run)).slice(0, 32),
      values: made.values(point),
      seed,
      status: 'done',
      tables: { points: { columns } },
    };
    if (!out.write(sealed(record))) await once(out, 'drain');
  }
  out.end();
  await once(out, 'finish');
  return made;
}

const made = await writeLarge(inFolder('large.jsonl'));
const megabytes = (await stat(inFolder('large.jsonl'))).size / 2 ** 20;

const read = (page) =>
  page.waitForFunction(() => document.querySelector('al-sweeps').source?.progress === 1, {
    timeout: 400_000,
  });

inEachBrowser('a file of a hundred thousand runs', (here) => {
  test('opens with all of them, and the page answers meanwhile', async (t) => {
    const page = await openView(here.browser, here.site.url);
    await page.evaluate(() => {
      globalThis.longest = 0;
      let last = performance.now();
      setInterval(() => {
        globalThis.longest = Math.max(globalThis.longest, performance.now() - last - 4);
        last = performance.now();
      }, 4);
    });
    const begun = Date.now();
    await pick(page, 'large.jsonl');
    await page.waitForFunction(() => document.querySelector('al-sweeps').source?.progress > 0.1);
    await page.waitForSelector('al-sweep-picture .canvas svg');
    const first = Date.now() - begun;
    await read(page);
    await drawn(page);
    const all = Date.now() - begun;
    const [longest, heap] = await page.evaluate(() => [
      globalThis.longest,
      performance.memory?.usedJSHeapSize / 2 ** 20,
    ]);
    t.diagnostic(
      `${megabytes.toFixed(0)} MB: first figure after ${first} ms, all after ${all} ms, longest task ` +
        `${longest.toFixed(0)} ms${heap ? `, heap ${heap.toFixed(0)} MB` : ''}`,
    );
    assert.match(await told(page), /100\u202f000 of 100\u202f000 runs are there/);
    await choose(page, 'column', 'points.softmax');
    await read(page);
    await drawn(page);
    const { columns, kind } = await shown(page);
    assert.deepEqual([kind, columns.mean.length], ['heat-map', 500]);
    const c = made.descriptor.tables
      .find(({ name }) => name === 'points')
      .columns.findIndex(({ name }) => name === 'softmax');
    columns.mean.forEach((mean, i) => {
      const point = (columns.x[i] - 1) * large.lengths + (columns.y[i] - 2);
      // Runs of a point are 500 apart; the last row holds the run's number.
      const expected = point + (500 * (large.seeds - 1)) / 2 + c / 8 + 0.123456789;
      assert.ok(Math.abs(mean - expected) < 1e-9 * expected, `${mean} is not ${expected}`);
      assert.equal(columns.runs[i], large.seeds);
    });
    // In one piece the reading would be a task of nearly all the time, on a busy machine too.
    assert.ok(longest < all / 4, `${longest} ms of ${all} ms`);
    if (heap) assert.ok(heap < 400, `${heap} MB`);
    assert.deepEqual(await faultsOf(page, here.site.url), []);
    await page.close();
  });
});
