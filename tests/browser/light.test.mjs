// The page is light: what the first view loads, what moves, what a change of view leaves behind, and
// that it works without a network after the first visit.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { after, before, describe, test } from 'node:test';
import {
  atRest,
  engines,
  faultsOf,
  inEachBrowser,
  open,
  openPage,
  serveSite,
  siteFolder,
} from './drive.mjs';

const place = '#/large-prompt.output';

inEachBrowser('lightness', (here) => {
  for (const [hash, there] of [
    ['#/', '.canvas svg'],
    [place, '.canvas svg'],
    ['#/sweep', '.sweeps h1'],
  ]) {
    test(`the first view of ${hash} loads less than 150 kB, compressed, and no module`, async () => {
      const context = await here.browser.createBrowserContext();
      const page = await openPage(context);
      await page.evaluateOnNewDocument(() => delete Navigator.prototype.serviceWorker);
      await open(page, here.site.url, hash);
      await page.waitForSelector(there);
      let bytes = 0;
      const files = new Set(page.urls.map((url) => new URL(url).pathname));
      for (const path of files) {
        assert.ok(!path.endsWith('.wasm'), path);
        if (!path.startsWith('/') || path === 'blank') continue;
        bytes += gzipSync(
          await readFile(join(siteFolder, path === '/' ? 'index.html' : path)),
        ).length;
      }
      assert.ok(bytes > 20_000 && bytes < 150_000, `${bytes} bytes`);
      await context.close();
    });
  }

  test('a hundred changes of view leave no nodes, workers or addresses behind', async () => {
    const page = await openPage(here.browser);
    await page.evaluateOnNewDocument(() => {
      globalThis.openUrls = 0;
      const make = URL.createObjectURL.bind(URL);
      const end = URL.revokeObjectURL.bind(URL);
      URL.createObjectURL = (blob) => ((globalThis.openUrls += 1), make(blob));
      URL.revokeObjectURL = (url) => ((globalThis.openUrls -= 1), end(url));
    });
    await open(page, here.site.url, '#/');
    const turn = async () => {
      await page.evaluate((place) => (location.hash = place), place);
      await page.waitForSelector('.experiment');
      await page.evaluate(() => (location.hash = '#/'));
      await page.waitForSelector('.front');
    };
    await turn();
    const count = () => page.evaluate(() => document.querySelectorAll('*').length);
    const first = await count();
    for (let i = 0; i < 100; i += 1) await turn();
    await page.waitForSelector('.canvas svg');
    assert.ok((await count()) < first * 2 + 400);
    assert.equal(await page.evaluate(() => globalThis.openUrls), 0);
    assert.deepEqual(await faultsOf(page, here.site.url), []);
    await page.close();
  });

  test('a pause before the run has begun holds, and the workers end with the view', async () => {
    const page = await openPage(here.browser);
    await open(page, here.site.url, `${place}?magnitudes=1&largestCount=512`);
    await atRest(page);
    const status = () =>
      page.evaluate(() => document.querySelector('al-experiment').session.status);
    await page.evaluate(() => {
      const { session } = document.querySelector('al-experiment');
      session.set('largestCount', 256);
      session.pause();
    });
    await new Promise((wait) => setTimeout(wait, 500));
    assert.equal(await status(), 'paused');
    await page.click('[data-action="run"]');
    assert.equal(await atRest(page), 'done');
    await page.evaluate(() => (location.hash = '#/notebook'));
    await page.waitForSelector('.notebook');
    // The laboratory is kept for a moment, for the next view.
    for (let i = 0; i < 60 && page.workers().length > 0; i += 1)
      await new Promise((wait) => setTimeout(wait, 500));
    assert.equal(page.workers().length, 0);
    assert.deepEqual(await faultsOf(page, here.site.url), []);
    await page.close();
  });

  test('reset and run again gives the same bytes', async () => {
    const page = await openPage(here.browser);
    await open(page, here.site.url, `${place}?magnitudes=1&largestCount=256&seed=5`);
    assert.equal(await atRest(page), 'done');
    const read = () =>
      page.evaluate(() =>
        JSON.stringify(
          Object.values(document.querySelector('al-experiment').session.tables).map((table) =>
            Object.values(table.columns).map((column) => Array.from(column, String)),
          ),
        ),
      );
    const first = await read();
    await page.click('[data-action="reset"]');
    await page.waitForFunction(
      () => document.querySelector('.experiment').dataset.status === 'empty',
    );
    await page.click('[data-action="step"]');
    await page.waitForFunction(
      () => document.querySelector('.experiment').dataset.status === 'paused',
    );
    await page.click('[data-action="run"]');
    assert.equal(await atRest(page), 'done');
    assert.equal(await read(), first);
    await page.close();
  });

  for (const width of [1280, 360]) {
    test(`the run bar stays where it is from the first curves to the last, ${width} px`, async () => {
      const page = await openPage(here.browser, { width });
      await page.evaluateOnNewDocument(() => {
        globalThis.tops = new Set();
        const look = () => {
          const bar = document.querySelector('al-run-bar');
          if (bar) globalThis.tops.add(Math.round(bar.getBoundingClientRect().top + scrollY));
          requestAnimationFrame(look);
        };
        requestAnimationFrame(look);
      });
      await open(page, here.site.url, `${place}?magnitudes=0.5,1&largestCount=2048&seed=3`);
      assert.equal(await atRest(page), 'done');
      const tops = await page.evaluate(() => [...globalThis.tops]);
      assert.ok(Math.max(...tops) - Math.min(...tops) <= 2, String(tops));
      await page.close();
    });
  }

  test('pause answers at once and the run goes on where it stood', async () => {
    const page = await openPage(here.browser);
    await open(page, here.site.url, `${place}?magnitudes=1&largestCount=131072`);
    await page.waitForFunction(() => document.querySelector('al-experiment')?.session.progress > 0);
    await page.click('[data-action="pause"]');
    await page.waitForFunction(
      () => document.querySelector('.experiment').dataset.status === 'paused',
    );
    const held = await page.evaluate(
      () => document.querySelector('al-experiment').session.progress,
    );
    await new Promise((wait) => setTimeout(wait, 1000));
    const later = await page.evaluate(
      () => document.querySelector('al-experiment').session.progress,
    );
    assert.ok(later - held < 0.05);
    await page.click('[data-action="run"]');
    await page.waitForFunction(
      (held) => document.querySelector('al-experiment').session.progress > held,
      {},
      later,
    );
    await page.evaluate(() => document.querySelector('al-experiment').session.cancel());
    await page.close();
  });
});

describe('Chromium alone can tell', () => {
  let browser;
  before(async () => (browser = await engines[0].launch()));
  after(() => browser?.close());

  test('nothing moves while an experiment opens', async () => {
    const site = await serveSite();
    const page = await openPage(browser);
    await page.evaluateOnNewDocument(() => {
      globalThis.shift = 0;
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries())
          if (!entry.hadRecentInput) globalThis.shift += entry.value;
      }).observe({ type: 'layout-shift', buffered: true });
    });
    await open(page, site.url, place);
    await atRest(page);
    await new Promise((wait) => setTimeout(wait, 500));
    const shift = await page.evaluate(() => globalThis.shift);
    assert.ok(shift < 0.02, String(shift));
    await page.close();
    await site.close();
  });

  test('opening and running leave the main thread to the reader', async (t) => {
    const site = await serveSite();
    const page = await openPage(browser);
    await page.evaluateOnNewDocument(() => {
      globalThis.longest = 0;
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries())
          globalThis.longest = Math.max(globalThis.longest, entry.duration);
      }).observe({ type: 'longtask', buffered: true });
    });
    await open(page, site.url, `${place}?largestCount=65536`);
    assert.equal(await atRest(page), 'done');
    const longest = await page.evaluate(() => globalThis.longest);
    t.diagnostic(`longest task: ${longest} ms`);
    // 50 ms, what the observer begins with, is the aim, and told above. On the main thread the work itself would be one task of many
    // seconds; a busy machine is no fault of the page.
    assert.ok(longest < 1000, `${longest} ms`);
    await page.close();
    await site.close();
  });

  test('after the first visit the page opens and computes without a network', async () => {
    const site = await serveSite();
    const page = await openPage(browser, { quiet: [/Failed to load|ERR_|sw\.js/] });
    await open(page, site.url, place);
    await atRest(page);
    await page.evaluate(() => navigator.serviceWorker.ready);
    await page.waitForFunction(async () => {
      const names = await caches.keys();
      return names.length === 1 && (await (await caches.open(names[0])).keys()).length > 10;
    });
    await site.close();
    await open(page, site.url, `${place}?magnitudes=1&largestCount=256`);
    assert.equal(await atRest(page), 'done');
    await page.close();
  });
});
