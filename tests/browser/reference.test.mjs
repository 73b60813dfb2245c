// The description of the library beside the page: reached from its foot, under the policy, anywhere.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { test } from 'node:test';
import { faultsOf, inEachBrowser, open, openPage, serveSite, siteFolder } from './drive.mjs';

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
// A folder up, so that the site is not at the root.
const makeSite = () => serveSite({ root: dirname(siteFolder) });

async function checkPage(page, siteUrl) {
  const over = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  assert.ok(over <= 0, `${over} pixels too wide`);
  await page.evaluate(axe);
  const found = await page.evaluate(async () => {
    const { violations } = await globalThis.axe.run(document);
    return violations.map(({ id, nodes }) => `${id} ${nodes[0].html}`);
  });
  assert.deepEqual(found, []);
  assert.deepEqual(await faultsOf(page, siteUrl), []);
}

inEachBrowser(
  'reference',
  (here) => {
    test('the foot of the page leads to it', async () => {
      const page = await openPage(here.browser);
      await open(page, `${here.site.url}site/`, '#/');
      const names = ['reference/index.html', 'LICENSES.txt'];
      const links = await page.$$eval('.foot a', (all) => all.map((each) => each.href));
      assert.deepEqual(
        links,
        names.map((name) => `${here.site.url}site/${name}`),
      );
      await page.close();
    });

    for (const width of [1280, 320]) {
      test(`it obeys the policy, fits ${width} pixels and everyone can use it`, async () => {
        const page = await openPage(here.browser, { width });
        await page.goto(`${here.site.url}site/reference/index.html#Mhla`);
        assert.match(await page.$eval('#Mhla dd', (each) => each.textContent), /output/);
        const font = await page.$eval('code', (each) => getComputedStyle(each).fontFamily);
        assert.match(font, /mono/i);
        await checkPage(page, here.site.url);
        await page.close();
      });
    }
    for (const file of ['core.html', 'core-mhla.html']) {
      test(`${file}, the core's, does the same on a narrow page`, async () => {
        const page = await openPage(here.browser, { width: 320 });
        await page.goto(`${here.site.url}site/reference/${file}`);
        assert.match(await page.$eval('main', (each) => each.textContent), /certificate/);
        await checkPage(page, here.site.url);
        await page.close();
      });
    }
  },
  makeSite,
);
