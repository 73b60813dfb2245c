// Everyone can use it: axe finds nothing in either theme and any language, narrow screens do not
// scroll sideways, sliders answer the keyboard.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { violations } from './axe.mjs';
import { atRest, faultsOf, inEachBrowser, open, openPage } from './drive.mjs';

const places = ['#/', '#/large-prompt.output', '#/notebook', '#/sweep', '#/nothing-here'];

async function settled(page, place) {
  if (place.includes('.')) await atRest(page);
  else await page.waitForSelector('main h1');
}

inEachBrowser('access', (here) => {
  for (const place of places) {
    for (const theme of ['light', 'dark']) {
      test(`axe finds nothing at ${place} in the ${theme} theme`, async () => {
        const page = await openPage(here.browser);
        await open(page, here.site.url, place);
        await settled(page, place);
        await page.evaluate(
          (theme) => document.documentElement.setAttribute('data-theme', theme),
          theme,
        );
        await page.evaluate(() =>
          document.querySelectorAll('details').forEach((each) => (each.open = true)),
        );
        await page.evaluate(() => new Promise((done) => setTimeout(done, 100)));
        assert.deepEqual(await violations(page), []);
        await page.close();
      });
    }

    for (const width of [320, 360]) {
      test(`${place} does not scroll sideways at ${width} pixels`, async () => {
        const page = await openPage(here.browser, { width, height: 780 });
        await open(page, here.site.url, place);
        await settled(page, place);
        await page.evaluate(() =>
          document.querySelectorAll('details').forEach((each) => (each.open = true)),
        );
        await page.evaluate(() => new Promise((done) => setTimeout(done, 100)));
        const [content, view] = await page.evaluate(() => [
          document.documentElement.scrollWidth,
          document.documentElement.clientWidth,
        ]);
        assert.ok(content <= view, `${content} > ${view}`);
        await page.close();
      });
    }
  }

  for (const language of ['ko', 'ja']) {
    test(`axe finds nothing in ${language}, and the page says which language it is`, async () => {
      const page = await openPage(here.browser);
      await open(page, here.site.url, `#/large-prompt.output?lang=${language}`);
      await atRest(page);
      await page.waitForFunction(
        (language) => document.documentElement.lang === language,
        {},
        language,
      );
      assert.deepEqual(await violations(page), []);
      await page.close();
    });
  }

  test('printed in the dark theme it is light and has no run bar', async () => {
    const page = await openPage(here.browser);
    await open(page, here.site.url, '#/large-prompt.output');
    await atRest(page);
    const shown = await page.evaluate(() => {
      document.documentElement.dataset.theme = 'dark';
      // What holds for screens holds no more, what holds for paper does.
      const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]);
      for (const { media } of rules) {
        if (media?.mediaText.includes('print')) media.mediaText = 'all';
        else if (media?.mediaText.includes('screen')) media.mediaText = 'print';
      }
      const bar = document.querySelector('.run-bar');
      return {
        ground: getComputedStyle(document.documentElement).backgroundColor,
        bar: getComputedStyle(bar).display,
      };
    });
    assert.deepEqual(shown, { ground: 'rgb(252, 252, 250)', bar: 'none' });
    await page.close();
  });

  test('a place that is not there has its own title', async () => {
    const page = await openPage(here.browser);
    await open(page, here.site.url, '#/large-prompt.output');
    await atRest(page);
    await page.evaluate(() => (location.hash = '#/nothing'));
    await page.waitForSelector('.nowhere');
    const [title, heading] = await page.evaluate(() => [
      document.title,
      document.querySelector('h1').textContent,
    ]);
    assert.equal(title, `${heading} · AttnLab`);
    await page.close();
  });

  test('a slider answers arrows, Home and End, and its box the keyboard', async () => {
    const page = await openPage(here.browser);
    await open(page, here.site.url, '#/large-prompt.output');
    await atRest(page);
    const value = () =>
      page.evaluate(() => document.querySelector('al-experiment').session.values.largestCount);
    const start = await value();
    await page.focus('[data-parameter="largestCount"] input[type=range]');
    await page.keyboard.press('ArrowLeft');
    assert.ok((await value()) < start);
    await page.keyboard.press('Home');
    assert.equal(await value(), 64);
    await page.keyboard.press('End');
    assert.equal(await value(), 131072);
    await page.focus('[data-parameter="largestCount"] .number-box');
    await page.evaluate(() => document.activeElement.select());
    await page.keyboard.type('512');
    await page.keyboard.press('Enter');
    await page.waitForFunction(
      () => document.querySelector('al-experiment').session.values.largestCount === 512,
    );
    await page.evaluate(() => document.querySelector('al-experiment').session.cancel());
    assert.deepEqual(await faultsOf(page, here.site.url), []);
    await page.close();
  });

  test('the points of a figure can be read with the keyboard', async () => {
    const page = await openPage(here.browser);
    await open(page, here.site.url, '#/large-prompt.output');
    await atRest(page);
    await page.focus('.canvas');
    await page.keyboard.press('ArrowRight');
    await page.waitForSelector('.reading');
    const first = await page.$eval('.reading', (each) => each.textContent);
    await page.keyboard.press('ArrowRight');
    await page.waitForFunction(
      (text) => document.querySelector('.reading').textContent !== text,
      {},
      first,
    );
    await page.close();
  });

  test('the experiment view fits with its text at twice the size', async () => {
    const page = await openPage(here.browser, { width: 640, height: 480 });
    await open(page, here.site.url, '#/large-prompt.output');
    await atRest(page);
    await page.evaluate(() => document.documentElement.style.setProperty('font-size', '200%'));
    await page.evaluate(() => new Promise((done) => setTimeout(done, 200)));
    const [content, view] = await page.evaluate(() => [
      document.documentElement.scrollWidth,
      document.documentElement.clientWidth,
    ]);
    assert.ok(content <= view + 1, `${content} > ${view}`);
    await page.close();
  });
});
