// What the notebook keeps: only what was stored, under the right preset, and not what was deleted.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atRest, inEachBrowser, open, openPage } from './drive.mjs';

const place = '#/large-prompt.output';

const keep = async (page) => {
  await page.click('[data-action="keep"]');
  await page.waitForFunction(() => document.querySelector('al-run-bar').kept);
  return page.$eval('.run-status', (each) => each.textContent.trim());
};
const toNotebook = async (page) => {
  await page.evaluate(() => (location.hash = '#/notebook'));
  await page.waitForSelector('.notebook-runs a.button');
};
const pressed = (page) =>
  page.$$eval('.chip[data-preset][aria-pressed="true"]', (all) =>
    all.map((each) => each.dataset.preset),
  );

inEachBrowser('keeping runs', (here) => {
  test('nothing is said to be kept that the browser took back', async () => {
    const context = await here.browser.createBrowserContext();
    const page = await openPage(context);
    await page.evaluateOnNewDocument(() => {
      // As where the disk is full: the request succeeds, its transaction does not.
      const { put } = IDBObjectStore.prototype;
      IDBObjectStore.prototype.put = function (value) {
        const request = put.call(this, value);
        request.addEventListener('success', () => this.transaction.abort());
        return request;
      };
    });
    await open(page, here.site.url, place);
    await atRest(page);
    assert.match(await keep(page), /^IndexedDB refused/);
    await context.close();
  });

  test('a kept run presses the preset that has its values, or none', async () => {
    const context = await here.browser.createBrowserContext();
    const page = await openPage(context);
    await open(page, here.site.url, place);
    await atRest(page);
    const second = await page.$$eval('.chip[data-preset]', (all) => all[1].dataset.preset);
    await page.evaluate(
      (second) => document.querySelector('al-experiment').session.choosePreset(second),
      second,
    );
    await atRest(page);
    await keep(page);
    await page.evaluate(() => document.querySelector('al-experiment').session.set('replicates', 5));
    await page.waitForFunction(
      () => document.querySelector('al-experiment').session.found.values.replicates === 5,
    );
    await atRest(page);
    await page.evaluate(() => (document.querySelector('al-run-bar').kept = ''));
    await keep(page);
    await toNotebook(page);
    const links = await page.$$eval('.notebook-runs a.button', (all) =>
      all.map(({ hash }) => hash),
    );
    assert.equal(links.length, 2);
    for (const [link, chips] of [
      [links[1], [second]],
      [links[0], []],
    ]) {
      await open(page, here.site.url, link);
      assert.equal(await atRest(page), 'kept');
      assert.deepEqual(await pressed(page), chips);
      // The address that the next touch writes says the same.
      await page.evaluate(() => document.querySelector('al-experiment').session.setSeed('5'));
      const { hash, values } = await page.evaluate(() => ({
        hash: location.hash,
        values: document.querySelector('al-experiment').session.values,
      }));
      await page.evaluate(() => document.querySelector('al-experiment').session.cancel());
      await open(page, here.site.url, hash);
      await page.waitForSelector('al-experiment .chip');
      assert.deepEqual(await pressed(page), chips);
      assert.deepEqual(
        await page.evaluate(() => document.querySelector('al-experiment').session.values),
        values,
      );
    }
    await context.close();
  });

  test('a run that was deleted elsewhere is not brought back by its name', async () => {
    const context = await here.browser.createBrowserContext();
    const page = await openPage(context);
    await open(page, here.site.url, place);
    await atRest(page);
    await keep(page);
    await toNotebook(page);
    const other = await openPage(context);
    await open(other, here.site.url, '#/notebook');
    await other.waitForSelector('.notebook-runs button');
    await other.$eval('.notebook-runs button', (button) => button.click());
    await other.waitForFunction(() => !document.querySelector('.notebook-runs li'));
    await page.bringToFront();
    await page.$eval('.notebook-runs input', (input) => {
      input.value = 'again';
      input.dispatchEvent(new Event('change', { bubbles: true }));
    });
    await page.waitForFunction(() => !document.querySelector('.notebook-runs li'));
    await open(page, here.site.url, '#/notebook');
    await page.waitForSelector('.notebook .quiet');
    assert.equal(await page.$('.notebook-runs li'), null);
    await context.close();
  });
});
