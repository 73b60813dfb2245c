// The names of figures carry the run's numbers, wherever they are shown or saved.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atRest, faultsOf, inEachBrowser, open, openPage } from './drive.mjs';
import { offered } from './sweeping.mjs';

inEachBrowser('names of figures', (here) => {
  for (const [language, name] of [
    ['en', 'Head 1'],
    ['ko', '헤드 1'],
    ['ja', 'ヘッド 1'],
  ]) {
    test(`${language}: the name of a figure is filled in its title, labels, and file`, async () => {
      const page = await openPage(here.browser);
      await open(page, here.site.url, `#/mhla.heads?lang=${language}`);
      await atRest(page);
      await page.evaluate(() => (document.querySelector('[data-fold="download"]').open = true));
      await page.waitForSelector('[data-download^="svg-"]');
      const said = await page.evaluate(() => {
        const figure = [...document.querySelectorAll('al-figure')][3];
        const svg = figure.querySelector('.canvas svg');
        const file = document.querySelector(`[data-download="svg-${figure.figure.name}"]`);
        file.click();
        return {
          title: figure.querySelector('.figure-title').textContent.trim(),
          canvas: figure.querySelector('.canvas').getAttribute('aria-label'),
          svg: svg.getAttribute('aria-label'),
          description: svg.getAttribute('aria-description'),
          file: file.textContent.trim(),
        };
      });
      assert.equal(said.title, name);
      for (const text of Object.values(said)) assert.ok(text.includes(name), text);
      await page.waitForFunction(() => globalThis.downloads.some((each) => each.ready));
      const saved = await offered(page, '.svg');
      assert.ok(saved.includes(name));
      assert.doesNotMatch(saved, /\{[\w.]+\}/);
      assert.deepEqual(await faultsOf(page, here.site.url), []);
      await page.close();
    });
  }
});
