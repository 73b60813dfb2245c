// The reader's own files: what cannot be read, what comes late, what comes too late.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atRest, faultsOf, inEachBrowser, open, openPage } from './drive.mjs';

const SOLVER = '#/mhla.fit';

// Drops files on the box for tokens; each is given as its rows, or as an error that reading ends with.
const drop = (page, ...files) =>
  page.evaluate((files) => {
    for (const given of files) {
      const file = new File([typeof given === 'number' ? '1,2\n'.repeat(given) : ''], 'own.csv');
      if (typeof given !== 'number')
        file.arrayBuffer = () => Promise.reject(new DOMException('Not there.', given));
      const event = new DragEvent('drop', { bubbles: true, cancelable: true });
      const dataTransfer = { files: [file], types: ['Files'], getData: () => '' };
      Object.defineProperty(event, 'dataTransfer', { value: dataTransfer });
      document.querySelector('[data-parameter="tokens"] fieldset').dispatchEvent(event);
    }
  }, files);

async function solver(here, query = '') {
  const page = await openPage(here.browser);
  await open(page, here.site.url, SOLVER + query);
  await atRest(page);
  await page.waitForSelector('[data-parameter="tokens"] fieldset');
  return page;
}

inEachBrowser('own data', (here) => {
  for (const [language, said] of [
    ['en', /cannot be read.*folder/],
    ['ko', /폴더/],
    ['ja', /フォルダー/],
  ]) {
    test(`a folder in the place of a file is refused in words, ${language}`, async () => {
      const page = await solver(here, `?lang=${language}`);
      await drop(page, 'NotFoundError');
      const failure = await page.waitForSelector('[data-parameter="tokens"] .failure');
      assert.match(await failure.evaluate((each) => each.textContent), said);
      assert.deepEqual(await faultsOf(page, here.site.url), []);
      await page.close();
    });
  }

  test('of two files the one that was given last counts, however long the other takes', async () => {
    const page = await solver(here);
    await drop(page, 1_000_000, 3);
    await page.waitForFunction(
      () => document.querySelector('al-experiment').session.values.tokens.rows > 0,
    );
    await page.evaluate(() => new Promise((done) => setTimeout(done, 2000)));
    const rows = await page.evaluate(
      () => document.querySelector('al-experiment').session.values.tokens.rows,
    );
    assert.equal(rows, 3);
    await page.close();
  });

  test('a file that is read after its experiment was left begins nothing', async () => {
    const page = await solver(here);
    await page.evaluate(() => (globalThis.left = document.querySelector('al-experiment').session));
    const before = await page.evaluate(() => globalThis.left.status);
    await drop(page, 100_000);
    await page.evaluate(() => (location.hash = '#/needle.haystack'));
    await page.waitForFunction(
      () => document.querySelector('.experiment')?.dataset.experiment === 'needle.haystack',
    );
    await page.evaluate(() => new Promise((done) => setTimeout(done, 1500)));
    assert.equal(await page.evaluate(() => globalThis.left.status), before);
    await page.close();
  });
});
