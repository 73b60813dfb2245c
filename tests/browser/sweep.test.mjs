// A sweep beside an experiment: what it finds is what the command line finds, it can be stopped, and
// everyone can use it.
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { fromCsv } from '../../dist/lib/index.js';
import { violations } from './axe.mjs';
import { atRest, faultsOf, inEachBrowser, open, openPage } from './drive.mjs';
import { attnlab, drawn, inFolder, saved, shown } from './sweeping.mjs';

const place = '#/large-prompt.output?magnitudes=1&dimensions=2&largestCount=64&replicates=4&seed=3';

async function openFold(page, url, hash = place) {
  await open(page, url, hash);
  await atRest(page);
  await page.$eval('[data-fold="sweep"] summary', (summary) => summary.click());
  await ready(page);
}

// The plan that the boxes say has been checked and its runs have been timed.
const ready = (page) =>
  page.waitForFunction(() => document.querySelector('al-sweep-fold')?.job.status === 'ready');

async function change(page, act) {
  const before = await page.evaluate(() => (globalThis.changes = 0));
  await page.evaluate(() => {
    const { job } = document.querySelector('al-sweep-fold');
    job.addEventListener('change', () => (globalThis.changes += job.status === 'timing' ? 1 : 0));
  });
  await act();
  await page.waitForFunction((before) => globalThis.changes > before, {}, before);
}

const write = (page, selector, text) =>
  page.$eval(
    selector,
    (input, text) => {
      input.value = text;
      input.dispatchEvent(new Event('input', { bubbles: true }));
    },
    text,
  );

const box = (axis, field) => `[data-axis="${axis}"] [data-sweep="${field}"]`;

async function fill(page, axis, boxes) {
  const { parameter, spacing, ...texts } = boxes;
  await change(page, () => page.select(box(axis, 'parameter'), parameter));
  if (spacing) await page.select(box(axis, 'spacing'), spacing);
  for (const [field, text] of Object.entries(texts)) await write(page, box(axis, field), text);
}

async function sweepItAll(page) {
  await ready(page);
  await page.$eval('[data-sweep="start"]', (button) => button.click());
  await page.waitForFunction(() => document.querySelector('al-sweep-fold').job.status === 'done');
  await drawn(page);
}

const status = (page) => page.$eval('.sweep-status', (each) => each.textContent.trim());

// The same plan by the command line: its two tables.
async function byCommand(name, plan, table) {
  await writeFile(inFolder(`${name}.json`), plan);
  await attnlab('sweep', `${name}.json`, '--out', `${name}.jsonl`, '--workers', '1');
  return {
    rows: await attnlab('merge', `${name}.jsonl`, '--table', table),
    summary: await attnlab('merge', `${name}.jsonl`, '--table', table, '--summary'),
    lines: (await readFile(inFolder(`${name}.jsonl`), 'utf8')).trimEnd().split('\n').sort(),
  };
}

inEachBrowser('a sweep', (here) => {
  const name = here.engine.name.toLowerCase();

  test('of one parameter is the command line’s, byte for byte', async () => {
    const page = await openPage(here.browser);
    await openFold(page, here.site.url);
    await fill(page, 0, {
      parameter: 'largestCount',
      spacing: 'log',
      from: '64',
      to: '256',
      count: '3',
    });
    await change(page, () => write(page, '[data-sweep="seeds"]', '4'));
    await ready(page);
    assert.match(await status(page), /^Points: 3\. Seeds: 4\. Runs: 12\. About \d+ s/);
    await sweepItAll(page);
    assert.match(await status(page), /^Done: 12 of 12 runs\.$/);
    const plan = await saved(page, 'plan', 'plan.json');
    assert.deepEqual(JSON.parse(plan).seeds, { first: 3, count: 4 });
    const command = await byCommand(`${name}-one`, plan, 'summary');
    assert.equal(await saved(page, 'summary', 'summary-summary.csv'), command.summary);
    assert.equal(await saved(page, 'rows', 'summary-rows.csv'), command.rows);
    const results = await saved(page, 'results', 'sweep.jsonl');
    assert.deepEqual(results.trimEnd().split('\n').sort(), command.lines);
    const { columns, kind, logarithmic } = await shown(page);
    const { table } = fromCsv(command.summary).tables;
    assert.deepEqual(columns.x, [64, 128, 256]);
    assert.deepEqual(columns.mean, Array.from(table.columns['rms.mean']));
    assert.deepEqual(columns.error, Array.from(table.columns['rms.standardError']));
    assert.deepEqual([kind, ...logarithmic], ['dots', true, true]);
    assert.deepEqual(await faultsOf(page, here.site.url), []);
    await page.close();
  });

  test('of two numbers is a heat map, of a number and a choice a series each', async () => {
    const page = await openPage(here.browser);
    await openFold(page, here.site.url);
    await fill(page, 0, { parameter: 'largestCount', spacing: 'list', list: '64, 256' });
    await fill(page, 1, { parameter: 'replicates', spacing: 'list', list: '4 8 16' });
    await change(page, () => write(page, '[data-sweep="seeds"]', '2'));
    await sweepItAll(page);
    const map = await shown(page);
    assert.equal(map.kind, 'heat-map');
    assert.deepEqual(map.columns.x, [64, 256, 64, 256, 64, 256]);
    assert.deepEqual(map.columns.y, [4, 4, 8, 8, 16, 16]);
    const two = await byCommand(`${name}-two`, await saved(page, 'plan', 'plan.json'), 'summary');
    const { columns } = fromCsv(two.summary).tables.table;
    const order = [0, 3, 1, 4, 2, 5];
    assert.deepEqual(
      map.columns.mean,
      order.map((i) => columns['rms.mean'][i]),
    );
    await change(page, () => page.select(box(1, 'parameter'), 'source'));
    for (const chip of await page.$$('[data-axis="1"] .chip')) {
      const source = await chip.evaluate((each) => each.dataset.value);
      if (source !== 'gaussian' && source !== 'cube') await chip.evaluate((each) => each.click());
    }
    await change(page, () => write(page, '[data-sweep="seeds"]', '3'));
    await sweepItAll(page);
    const curves = await shown(page);
    assert.equal(curves.kind, 'dots');
    assert.deepEqual(curves.columns.runs, [3, 3, 3, 3]);
    assert.deepEqual([...new Set(curves.columns.series)], ['Gaussian', 'uniform in a cube']);
    assert.deepEqual(await faultsOf(page, here.site.url), []);
    await page.close();
  });

  test('says what is wrong with its boxes, and what is too much for a page', async () => {
    const page = await openPage(here.browser);
    await openFold(page, here.site.url);
    await fill(page, 0, { parameter: 'largestCount', spacing: 'linear' });
    await write(page, box(0, 'from'), 'few');
    const told = (pattern) =>
      page.waitForFunction(
        (source) => new RegExp(source).test(document.querySelector('.sweep-status').textContent),
        {},
        pattern.source,
      );
    const canStart = () => page.$eval('[data-sweep="start"]', (button) => !button.disabled);
    await told(/^\s*Longest prompt, [^:]+: .*"few"/);
    assert.equal(await canStart(), false);
    await write(page, box(0, 'from'), '1');
    await told(/^\s*Longest prompt, [^:]+: .*64/);
    await write(page, box(0, 'from'), '64');
    await write(page, '[data-sweep="seeds"]', '100000');
    await told(/The page does 5000 runs at most/);
    assert.equal(await canStart(), false);
    await change(page, () => write(page, '[data-sweep="seeds"]', '2'));
    await ready(page);
    assert.equal(await canStart(), true);
    assert.deepEqual(await faultsOf(page, here.site.url), []);
    await page.close();
  });

  test('keeps what it has found when it is stopped, and goes on while it is folded', async () => {
    const page = await openPage(here.browser);
    await openFold(page, here.site.url, place.replace('largestCount=64', 'largestCount=16384'));
    await fill(page, 0, { parameter: 'replicates', spacing: 'list', list: '40, 41, 42' });
    await change(page, () => write(page, '[data-sweep="seeds"]', '200'));
    await ready(page);
    await page.$eval('[data-sweep="start"]', (button) => button.click());
    const finished = () =>
      page.evaluate(() => document.querySelector('al-sweep-fold').job.finished);
    await page.waitForFunction(() => document.querySelector('al-sweep-fold').job.finished >= 3);
    await page.waitForSelector('al-sweep-picture .canvas svg');
    await page.waitForFunction(() =>
      /^[1-9]\d* of 600 runs/.test(document.querySelector('.sweep-status').textContent.trim()),
    );
    await page.$eval('[data-fold="sweep"] summary', (summary) => summary.click());
    const then = await finished();
    await page.waitForFunction(
      (then) => document.querySelector('al-sweep-fold').job.finished > then,
      {},
      then,
    );
    await page.$eval('[data-fold="sweep"] summary', (summary) => summary.click());
    await page.$eval('[data-sweep="cancel"]', (button) => button.click());
    await drawn(page);
    const stopped = await finished();
    assert.ok(stopped < 600, String(stopped));
    assert.match(await status(page), new RegExp(`^Stopped after ${stopped} of 600 runs\\.$`));
    const lines = (await saved(page, 'results', 'sweep.jsonl')).trimEnd().split('\n');
    assert.equal(lines.length, stopped + 1);
    // The command line goes on from there.
    await writeFile(inFolder(`${name}-rest.jsonl`), `${lines.join('\n')}\n`);
    await writeFile(inFolder(`${name}-rest.json`), await saved(page, 'plan', 'plan.json'));
    const resumed = ['--out', `${name}-rest.jsonl`, '--resume', '--dry-run'];
    const said = await attnlab('sweep', `${name}-rest.json`, ...resumed);
    assert.match(said, new RegExp(`${600 - stopped} runs .*${stopped} done before`));
    assert.deepEqual(await faultsOf(page, here.site.url), []);
    await page.close();
  });

  test('begins its axes anew where they become logarithmic on the way', async () => {
    const page = await openPage(here.browser);
    await openFold(page, here.site.url);
    await fill(page, 0, { parameter: 'replicates', spacing: 'list', list: '40, 41' });
    await sweepItAll(page);
    const lowest = await page.evaluate(async () => {
      const element = document.querySelector('al-sweep-picture al-figure');
      const { session, figure } = element;
      const show = async (mean, logarithmic) => {
        session.status = 'running';
        const tables = { sweep: { columns: { x: [40, 41], mean, error: [0, 0] } } };
        session.found = { ...session.found, tables };
        element.figure = { ...figure, y: { ...figure.y, logarithmic } };
        do await new Promise((done) => setTimeout(done, 50));
        while (!element.settled);
      };
      await show([0, 1], false);
      await show([1e-6, 1], true);
      return element.chart.invert(0, element.chart.frame.bottom).y;
    });
    assert.ok(lowest > 1e-8 && lowest < 1e-6, String(lowest));
    await page.close();
  });

  test('is run by the keyboard alone', async () => {
    const page = await openPage(here.browser);
    await open(page, here.site.url, place);
    await atRest(page);
    await page.focus('[data-fold="sweep"] summary');
    await page.keyboard.press('Enter');
    await page.waitForSelector(box(0, 'parameter'));
    await page.focus('[data-fold="sweep"] summary');
    for (const field of ['parameter', 'spacing', 'from', 'to', 'count']) {
      await page.keyboard.press('Tab');
      assert.equal(await page.evaluate(() => document.activeElement.dataset.sweep), field);
    }
    await page.evaluate(() => document.activeElement.select());
    await change(page, () => page.keyboard.type('2'));
    await ready(page);
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.querySelector('al-sweep-fold').job.status === 'done');
    await drawn(page);
    assert.equal((await shown(page)).columns.x.length, 2);
    await page.focus('al-sweep-picture .canvas');
    await page.keyboard.press('ArrowRight');
    await page.waitForSelector('al-sweep-picture .reading');
    await page.close();
  });

  for (const theme of ['light', 'dark']) {
    test(`has nothing that axe finds in the ${theme} theme, and fits 320 pixels`, async () => {
      const page = await openPage(here.browser, { width: 320, height: 780 });
      await openFold(page, here.site.url);
      await page.evaluate(
        (theme) => document.documentElement.setAttribute('data-theme', theme),
        theme,
      );
      await fill(page, 0, { parameter: 'largestCount', spacing: 'list', list: '64, 256' });
      await fill(page, 1, { parameter: 'replicates', spacing: 'list', list: '4, 8' });
      await sweepItAll(page);
      assert.deepEqual(await violations(page), []);
      const wide = () =>
        page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        );
      assert.ok((await wide()) <= 0);
      await page.select('[data-pick="y"]', '');
      await page.waitForSelector('al-sweep-picture .legend li');
      assert.deepEqual(await violations(page), []);
      assert.ok((await wide()) <= 0);
      await page.close();
    });
  }
});
