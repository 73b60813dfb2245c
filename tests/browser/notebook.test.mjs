// The notebook: runs that are kept, and results that the command line wrote.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fitToJson, load, toJson } from '../../dist/lib/index.js';
import { atRest, faultsOf, inEachBrowser, open, openPage } from './drive.mjs';

const place = '#/large-prompt.output';
const settings = { magnitudes: [0.5, 1], largestCount: 256, replicates: 4 };

const lab = await load({ variant: 'simd' });
const result = await lab.run('large-prompt.output', settings, { seed: 9 }).result;
const prompts = Array.from({ length: 60 }, (_, p) =>
  Array.from({ length: 4 }, (_, i) =>
    [0, 1, 2].map((j) => Math.sin((7.3 * p + 3.1 * i + 1.7 * j + 1) ** 2)),
  ),
);
const targets = prompts.map((rows) => [rows[0][0] * rows[3][1]]);
const fit = await lab.mhla.fit({ prompts, targets });
const certificateText = JSON.stringify({
  format: 'attnlab-certificate',
  ...(await lab.mhla.certificate({ prompts, queries: prompts.slice(0, 3) })),
});
lab.dispose();

// As if the reader had picked a file of this text.
const take = (page, text) =>
  page.$eval(
    '.notebook input[type=file]',
    (input, text) => {
      const files = new DataTransfer();
      files.items.add(new File([text], 'file.json', { type: 'application/json' }));
      input.files = files.files;
      input.dispatchEvent(new Event('change', { bubbles: true }));
    },
    text,
  );
const said = (page, pattern) =>
  page.waitForFunction(
    (source) =>
      new RegExp(source).test(document.querySelector('.notebook [role=status]').textContent),
    {},
    pattern.source,
  );

const runs = (count, more = {}) =>
  Array.from({ length: count }, (_, index) => ({
    ...{ key: `run-${index}`, name: 'A run', experiment: 'large-prompt.output' },
    ...{ savedAt: '2026-01-01T00:00:00Z', link: '#/large-prompt.output', seed: '1' },
    ...{ version: '1', params: {}, tables: {}, ...more },
  }));
const notebookOf = (entries) => JSON.stringify({ format: 'attnlab-notebook-1', runs: entries });

inEachBrowser('the notebook', (here) => {
  test('a kept run stands in the notebook, under the name it is given', async () => {
    const page = await openPage(here.browser);
    await open(page, here.site.url, place);
    await atRest(page);
    await page.click('[data-action="keep"]');
    await page.waitForFunction(() =>
      /notebook/.test(document.querySelector('.run-status').textContent),
    );
    await page.evaluate(() => (location.hash = '#/notebook'));
    const box = await page.waitForSelector('.notebook-runs input');
    await box.evaluate((input) => {
      input.value = 'my run';
      input.dispatchEvent(new Event('change', { bubbles: true }));
    });
    await open(page, here.site.url, '#/notebook');
    await page.waitForFunction(
      () => document.querySelector('.notebook-runs input')?.value === 'my run',
    );
    assert.deepEqual(await faultsOf(page, here.site.url), []);
    await page.close();
  });

  test('a result of the library or the command line is taken in and opens in its state', async () => {
    const context = await here.browser.createBrowserContext();
    const page = await openPage(context);
    await open(page, here.site.url, '#/notebook');
    await page.waitForSelector('.notebook input[type=file]');
    await take(page, toJson(result));
    const link = await page.waitForSelector('.notebook-runs a.button');
    assert.match(
      await page.$eval('.notebook-runs p', (p) => p.textContent),
      /With 256 tokens and \|a\| = 1/,
    );
    await link.click();
    assert.equal(await atRest(page), 'kept');
    const shown = await page.evaluate(() => {
      const { session } = document.querySelector('al-experiment');
      return { seed: session.seed, rms: Array.from(session.tables.points.columns.rms) };
    });
    assert.deepEqual(shown, { seed: '9', rms: Array.from(result.tables.points.columns.rms) });
    assert.deepEqual(await faultsOf(page, here.site.url), []);
    // A touch computes anew, from the same values.
    await page.click('[data-action="run"]');
    await page.waitForFunction(
      () => document.querySelector('.experiment').dataset.status !== 'kept',
    );
    assert.equal(await atRest(page), 'done');
    assert.deepEqual(
      await page.evaluate(() =>
        Array.from(document.querySelector('al-experiment').session.tables.points.columns.rms),
      ),
      Array.from(result.tables.points.columns.rms),
    );
    await context.close();
  });

  test('what the solver wrote is taken in and shown', async () => {
    const context = await here.browser.createBrowserContext();
    const page = await openPage(context);
    await open(page, here.site.url, '#/notebook');
    await page.waitForSelector('.notebook input[type=file]');
    await take(page, certificateText);
    await said(page, /^1 /);
    const told = await page.waitForSelector('.notebook-runs p');
    assert.match(
      await told.evaluate((p) => p.textContent),
      /60 samples .*rank 18 of 18: the data determine the model/,
    );
    await take(page, fitToJson(fit));
    await page.waitForFunction(() => document.querySelectorAll('.notebook-runs li').length === 2);
    const link = await page.waitForSelector('.notebook-runs li:first-child a.button');
    await link.click();
    assert.equal(await atRest(page), 'kept');
    const shown = await page.evaluate(() => {
      const { values, heads, coefficients } =
        document.querySelector('al-experiment').session.tables;
      return {
        values: Array.from(values.columns.value),
        coefficients: Array.from(coefficients.columns.value),
        features: coefficients.columns.feature.slice(0, 18),
        heads: new Set(heads.columns.head).size,
      };
    });
    assert.deepEqual(shown, {
      values: Array.from(fit.singularValues),
      coefficients: Array.from(fit.coefficients.data),
      features: fit.featureNames,
      heads: fit.heads.length,
    });
    assert.deepEqual(await faultsOf(page, here.site.url), []);
    await context.close();
  });

  test('a link to a run that is not kept here says so and opens the experiment', async () => {
    const page = await openPage(here.browser);
    await open(page, here.site.url, `${place}?kept=nothing`);
    await atRest(page);
    assert.match(await page.$eval('.notice', (each) => each.textContent), /not in this browser/);
    await page.close();
  });

  test('what is neither is refused in words', async () => {
    const context = await here.browser.createBrowserContext();
    const page = await openPage(context);
    await open(page, here.site.url, '#/notebook');
    await page.waitForSelector('.notebook input[type=file]');
    for (const [text, pattern] of [
      ['', /cannot be read/],
      ['{"format": 5}', /format/],
      ['null', /json/i],
      [toJson({ ...result, experiment: 'no.such' }), /no experiment/],
      [JSON.stringify({ format: 'attnlab-notebook-1', runs: [{ key: 1 }, null, 5] }), /^0 /],
    ]) {
      await take(page, text);
      await said(page, pattern);
    }
    assert.equal((await page.$$('.notebook-runs li')).length, 0);
    assert.deepEqual(await faultsOf(page, here.site.url), []);
    await context.close();
  });

  test('what a notebook holds and is not taken in is counted, with the reason', async () => {
    const context = await here.browser.createBrowserContext();
    const page = await openPage(context);
    await open(page, here.site.url, '#/notebook');
    await page.waitForSelector('.notebook input[type=file]');
    const said = async (entries) => {
      await page.evaluate(() => (document.querySelector('al-notebook').message = ''));
      await take(page, notebookOf(entries));
      await page.waitForFunction(() => document.querySelector('al-notebook').message);
      return page.evaluate(() => document.querySelector('al-notebook').message);
    };
    assert.equal(await said(runs(1)), '1 run was taken in.');
    assert.equal(
      await said([...runs(2), null]),
      '2 runs were taken in. 1 entry was left out: it does not have the form of a run.',
    );
    assert.equal(
      await said([{}, 7, ...runs(520)]),
      '500 runs were taken in. 20 more were left out: a file may bring 500 runs at most. 2 entries were left out: they do not have the form of a run.',
    );
    assert.deepEqual(await faultsOf(page, here.site.url), []);
    await context.close();
  });

  test('an entry of another kind than its name says, or of no experiment, is left out', async () => {
    const context = await here.browser.createBrowserContext();
    const page = await openPage(context);
    await open(page, here.site.url, '#/notebook');
    await page.waitForSelector('.notebook input[type=file]');
    const params = (given) => runs(1, { params: given });
    const points = (columns) => runs(1, { tables: { points: { columns } } });
    const odd = [
      params({ magnitudes: ['x', null, {}] }),
      params({ tokens: { rows: 1e9, columns: 1e9, data: 'x' } }),
      params({ tokens: { rows: 1, columns: 1, data: null } }),
      params({ tokens: { rows: 2, columns: 1, data: [1] } }),
      params({ largestCount: '256' }),
      points({ rms: [null] }),
      points({ rms: ['x'] }),
      points({ other: [1, 'x'] }),
      runs(1, { experiment: '__proto__' }),
      runs(1, { experiment: '../x' }),
      runs(1, { seed: 'abc' }),
    ].flat();
    const right = runs(1, {
      params: { magnitudes: [0.5], tokens: { rows: 1, columns: 2, data: [1, 2] } },
      tables: { points: { columns: { rms: [0.5, 'NaN', '-Infinity'] } } },
    });
    await take(page, notebookOf([...odd, ...right]));
    await said(page, /^1 run was taken in. 11 entries were left out/);
    assert.equal((await page.$$('.notebook-runs li')).length, 1);
    assert.deepEqual(await faultsOf(page, here.site.url), []);
    await context.close();
  });

  test('a damaged entry in the browser’s store can be seen and deleted, and does not open', async () => {
    const context = await here.browser.createBrowserContext();
    const page = await openPage(context);
    await open(page, here.site.url, '#/notebook');
    await page.waitForSelector('.notebook input[type=file]');
    await take(page, notebookOf(runs(1)));
    await page.waitForSelector('.notebook-runs li');
    await page.evaluate(
      (entries) =>
        new Promise((done, failed) => {
          const request = indexedDB.open('attnlab', 1);
          request.onsuccess = () => {
            const transaction = request.result.transaction('runs', 'readwrite');
            for (const entry of entries) transaction.objectStore('runs').put(entry);
            transaction.oncomplete = () => done(request.result.close());
            transaction.onerror = failed;
          };
        }),
      [
        { key: 'a' },
        { key: 'b', savedAt: 5, experiment: 7, name: {}, params: 'x', tables: null },
        { ...runs(1, { tables: { points: { columns: { rms: ['<b>', null] } } } })[0], key: 'c' },
        { ...runs(1, { params: null })[0], key: 'd' },
      ],
    );
    await open(page, here.site.url, '#/notebook');
    await page.waitForFunction(() => document.querySelectorAll('.notebook-runs li').length === 5);
    await open(page, here.site.url, `${place}?kept=c&magnitudes=1&largestCount=256`);
    assert.equal(await atRest(page), 'done');
    assert.match(await page.$eval('.notice', (each) => each.textContent), /not in this browser/);
    await open(page, here.site.url, '#/notebook');
    for (let left = 5; left > 0; left -= 1) {
      await page.waitForFunction(
        (left) => document.querySelectorAll('.notebook-runs li').length === left,
        {},
        left,
      );
      await page.$eval('.notebook-runs button', (button) => button.click());
    }
    await page.waitForFunction(() => !document.querySelector('.notebook-runs li'));
    assert.deepEqual(await faultsOf(page, here.site.url), []);
    await context.close();
  });

  test('its answers, title and message follow the language; its input is ready for the same file', async () => {
    const context = await here.browser.createBrowserContext();
    const page = await openPage(context);
    await open(page, here.site.url, '#/notebook');
    await page.waitForSelector('.notebook input[type=file]');
    await take(page, toJson(result));
    await page.waitForSelector('.notebook-runs p');
    assert.equal(await page.$eval('.notebook input[type=file]', (input) => input.files.length), 0);
    await page.select('[data-setting="language"]', 'ja');
    await page.waitForFunction(
      () =>
        /[ぁ-ん]/.test(document.querySelector('.notebook-runs p').textContent) &&
        /[ぁ-んァ-ヶ]/.test(document.title) &&
        /[ぁ-ん]/.test(document.querySelector('.notebook [role=status]').textContent),
    );
    await take(page, '{"format": 5}');
    await said(page, /^file\.json: 読み取れません。 \(json: /);
    await page.select('[data-setting="language"]', 'ko');
    await said(page, /^file\.json: 읽을 수 없습니다\. \(json: /);
    assert.deepEqual(await faultsOf(page, here.site.url), []);
    await context.close();
  });
});
