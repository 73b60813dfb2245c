// A link is input from a stranger: whatever it says, the page clamps it, says so, and runs nothing.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atRest, faultsOf, inEachBrowser, open, openPage } from './drive.mjs';

const place = '#/large-prompt.output';

const hostile = [
  ['a count of a billion', `${place}?largestCount=1000000000`],
  ['NaN', `${place}?largestCount=NaN`],
  ['minus one', `${place}?largestCount=-1`],
  ['nothing', `${place}?largestCount=`],
  ['a script', `${place}?largestCount=<script>globalThis.pwned=1</script>`],
  [
    'a script as a preset',
    `${place}?preset=%3Cimg%20src%3Dx%20onerror%3D%22globalThis.pwned%3D1%22%3E`,
  ],
  ['a bad seed', `${place}?seed=-5`],
  ['a seed beyond 64 bits', `${place}?seed=18446744073709551616`],
  ['an unknown parameter', `${place}?__proto__=1&constructor=2`],
  ['a later version', `${place}?v=99`],
  ['a list of ten thousand', `${place}?magnitudes=${Array(5000).fill('1').join(',')}`],
  ['a matrix of a trillion entries', `${place}?tokens=999999:999999:1,2,3`],
  ['broken escapes', `${place}?seed=%E0%A4%A`],
];

inEachBrowser('links', (here) => {
  for (const [what, link] of hostile) {
    test(`${what} in a link is clamped or refused in words`, async () => {
      const page = await openPage(here.browser);
      await open(page, here.site.url, link);
      await page.waitForSelector('.experiment .notice');
      const said = await page.$eval('.experiment .notice', (each) => each.textContent.trim());
      assert.ok(said.length > 10);
      const state = await page.evaluate(() => {
        const { session, descriptor } = document.querySelector('al-experiment');
        return {
          pwned: globalThis.pwned ?? false,
          inside: descriptor.parameters.every((each) => {
            const value = session.values[each.name];
            if (typeof value === 'number') return value >= each.minimum && value <= each.maximum;
            if (Array.isArray(value)) return value.length <= each.maximumCount;
            return true;
          }),
        };
      });
      assert.deepEqual(state, { pwned: false, inside: true });
      await page.evaluate(() => document.querySelector('al-experiment').session.cancel());
      assert.deepEqual(await faultsOf(page, here.site.url), []);
      await page.close();
    });
  }

  for (const [given, reason] of [
    ['256.7', /was given as 256\.7; it must be a whole number, so it is 257\./],
    ['1e9', /is allowed, so it is/],
  ]) {
    test(`the notice about ${given} gives the reason`, async () => {
      const page = await openPage(here.browser);
      await open(page, here.site.url, `${place}?largestCount=${given}&magnitudes=1`);
      await page.waitForSelector('.experiment .notice');
      assert.match(await page.$eval('.experiment .notice', (each) => each.textContent), reason);
      await page.close();
    });
  }

  test('a link of 100 kB is not read, and the page says so', async () => {
    const page = await openPage(here.browser);
    await open(page, here.site.url, `${place}?seed=7&magnitudes=${'1,'.repeat(50_000)}`);
    await page.waitForSelector('.notice');
    assert.deepEqual(await faultsOf(page, here.site.url), []);
    await page.close();
  });

  test('a link to no experiment offers the nearest one', async () => {
    const page = await openPage(here.browser);
    await open(page, here.site.url, '#/large-prompt.outptu');
    await page.waitForSelector('.nowhere a');
    const offered = await page.$$eval('.nowhere a', (all) =>
      all.map((each) => each.getAttribute('href')),
    );
    assert.ok(offered.includes(place));
    await page.close();
  });

  test('back leads to where the reader was in the list, a link to the top', async () => {
    const page = await openPage(here.browser);
    await open(page, here.site.url, '#/');
    await page.waitForFunction(() => document.querySelector('al-front:not([data-coming])'));
    const top = () => page.evaluate(() => scrollY);
    await page.$eval('.index-list li:last-child a', (each) => each.scrollIntoView());
    const before = await top();
    assert.ok(before > 1000, String(before));
    // A reader looks before she clicks; the browser tells of a scroll with its next frame.
    await page.evaluate(() => new Promise((done) => setTimeout(done, 200)));
    await page.$eval('.index-list li:last-child a', (each) => each.click());
    await atRest(page);
    assert.equal(await top(), 0);
    await page.goBack();
    await page.waitForFunction(
      (before) => Math.abs(scrollY - before) < 50,
      { timeout: 20_000 },
      before,
    );
    await page.$eval('.index-list li:last-child a', (each) => each.click());
    await atRest(page);
    await page.$eval('.mark', (each) => each.click());
    await page.waitForFunction(() => document.querySelector('al-front:not([data-coming])'));
    assert.equal(await top(), 0);
    assert.deepEqual(await faultsOf(page, here.site.url), []);
    await page.close();
  });

  test('back and forward lead through experiments and their presets', async () => {
    const page = await openPage(here.browser);
    await open(page, here.site.url, '#/');
    await page.waitForSelector('.index-list a');
    await page.evaluate((place) => (location.hash = place), place);
    await atRest(page);
    await page.evaluate((place) => (location.hash = `${place}?seed=9&magnitudes=1`), place);
    await page.waitForFunction(() => document.querySelector('al-experiment').session.seed === '9');
    await page.goBack();
    await page.waitForFunction(() => document.querySelector('al-experiment').session.seed === '1');
    await page.goBack();
    await page.waitForSelector('.index-list');
    assert.deepEqual(await faultsOf(page, here.site.url), []);
    await page.close();
  });
});
