// What is said beside tables, and kept and saved with them, is what they were computed with.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fromJson } from '../../dist/lib/data.js';
import { atRest, faultsOf, inEachBrowser, open, openPage } from './drive.mjs';
import { hostPage, serveFolder, tag } from './host_page.mjs';

const place = '#/large-prompt.output';
const started = `${place}?magnitudes=0.5,1&largestCount=256&replicates=4&seed=3`;
const diverging = '#/mhla.bowl?rate=1';

const click = (page, action) => page.click(`[data-action="${action}"]`);
const act = (page, change) =>
  page.evaluate(
    (source) =>
      new Function('session', `return (${source})(session)`)(
        document.querySelector('al-experiment').session,
      ),
    change.toString(),
  );
// The run as the page's JSON has it.
async function saved(page) {
  if (!(await page.$('[data-fold="download"][open]'))) {
    await page.click('[data-fold="download"] summary');
  }
  await page.waitForSelector('[data-download="json"]');
  await page.evaluate(() => {
    globalThis.downloads.length = 0;
    document.querySelector('[data-download="json"]').click();
  });
  await page.waitForFunction(() => globalThis.downloads.some(({ text }) => text));
  const { name, text } = await page.evaluate(() => globalThis.downloads[0]);
  return { name, ...fromJson(text) };
}

inEachBrowser(
  'tables and their parameters',
  (here) => {
    test('a run that fails leaves the tables of the one before under its own parameters', async () => {
      const page = await openPage(here.browser);
      await open(page, `${here.site.url}site/`, started);
      assert.equal(await atRest(page), 'done');
      const before = await saved(page);
      const said = await page.$eval('.answer p', (each) => each.textContent);
      const caption = await page.$eval('figcaption', (each) => each.textContent);
      await act(page, (session) => {
        session.setAll({ source: 'matrix', largestCount: 512 });
        session.setSeed('8');
      });
      await page.waitForSelector('.run-status .failure');
      assert.deepEqual(await saved(page), before);
      assert.equal(before.params.largestCount, 256);
      assert.equal(before.seed, 3);
      assert.equal(before.name, 'large-prompt.output-seed-3.json');
      assert.equal(await page.$eval('.answer p', (each) => each.textContent), said);
      assert.equal(await page.$eval('figcaption', (each) => each.textContent), caption);
      await click(page, 'pin');
      const pin = await act(page, ({ pins }) => ({ ...pins[0].values, seed: pins[0].seed }));
      assert.deepEqual([pin.source, pin.largestCount, pin.seed], ['gaussian', 256, '3']);
      await click(page, 'keep');
      await page.waitForFunction(() =>
        /notebook/.test(document.querySelector('.run-status').textContent),
      );
      await page.evaluate(() => (location.hash = '#/notebook'));
      await page.waitForSelector('.notebook-runs a.button');
      assert.match(
        await page.$eval('.notebook-runs', (each) => each.textContent),
        /\b3\b.*256|256/s,
      );
      await page.click('.notebook-runs a.button');
      assert.equal(await atRest(page), 'kept');
      const kept = await act(page, ({ values, seed }) => ({ ...values, seed }));
      assert.deepEqual([kept.source, kept.largestCount, kept.seed], ['gaussian', 256, '3']);
      assert.deepEqual(await faultsOf(page, here.site.url), []);
      await page.close();
    });

    test('paused before the first frame, what is said and saved is of the tables that are shown', async () => {
      const page = await openPage(here.browser);
      await open(page, `${here.site.url}site/`, started);
      assert.equal(await atRest(page), 'done');
      const before = await saved(page);
      const texts = () =>
        page.$$eval('.answer p:first-child, figcaption', (all) => all.map((p) => p.textContent));
      const said = await texts();
      await act(page, (session) => {
        session.set('largestCount', 512);
        session.pause();
        session.pin();
      });
      await page.evaluate(() => document.querySelector('al-experiment').updateComplete);
      assert.deepEqual(await texts(), said);
      assert.deepEqual(await saved(page), before);
      assert.equal(await act(page, ({ pins }) => pins[0].values.largestCount), 256);
      await click(page, 'run');
      assert.equal(await atRest(page), 'done');
      assert.equal((await saved(page)).params.largestCount, 512);
      assert.notDeepEqual(await texts(), said);
      await page.close();
    });

    test('paused while it opens, an experiment does not run by itself', async () => {
      const page = await openPage(here.browser);
      await open(page, `${here.site.url}site/`, started);
      assert.equal(await atRest(page), 'done');
      const status = await act(page, async (session) => {
        const { preset, values } = session;
        const opened = session.open({ preset, values, seed: '77' });
        session.pause();
        await opened;
        await new Promise((wait) => setTimeout(wait, 1500));
        return session.status;
      });
      assert.equal(status, 'paused');
      await click(page, 'run');
      assert.equal(await atRest(page), 'done');
      assert.equal((await saved(page)).seed, 77);
      await page.close();
    });

    test('a run that diverged is saved and kept as one', async () => {
      const page = await openPage(here.browser);
      await open(page, `${here.site.url}site/`, diverging);
      assert.equal(await atRest(page), 'diverged');
      const { status, divergedAt } = await saved(page);
      assert.equal(status, 'diverged');
      assert.ok(divergedAt > 0);
      await click(page, 'keep');
      await page.waitForFunction(() =>
        /notebook/.test(document.querySelector('.run-status').textContent),
      );
      await page.evaluate(() => (location.hash = '#/notebook'));
      await page.waitForSelector('.notebook-runs a.button');
      await page.click('.notebook-runs a.button');
      assert.equal(await atRest(page), 'kept');
      const said = await page.$eval('.run-status', (each) => each.textContent);
      assert.match(said, new RegExp(`From your notebook.*Diverged at step ${divergedAt}`, 's'));
      const kept = await saved(page);
      assert.deepEqual([kept.status, kept.divergedAt], ['diverged', divergedAt]);
      await page.close();
    });

    test('an element’s result has the parameters of its tables', async () => {
      const page = await hostPage(here, 'result.html', tag('magnitudes="1" largest-count="256"'));
      const is = (status) =>
        page.waitForFunction(
          (status) => document.querySelector('attention-lab').status === status,
          { polling: 100 },
          status,
        );
      await is('done');
      await page.evaluate(() => {
        const element = document.querySelector('attention-lab');
        globalThis.before = element.result;
        element.set({ source: 'matrix', largestCount: 512 });
      });
      await is('failed');
      const same = await page.evaluate(() => {
        const { result } = document.querySelector('attention-lab');
        return result.tables === globalThis.before.tables && result.params.largestCount;
      });
      assert.equal(same, 256);
      await page.close();
    });
  },
  serveFolder,
);
