// The reader's language: the last one chosen counts, it lasts, and everything said follows it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serveBadly } from './bad_site.mjs';
import { atRest, inEachBrowser, open, openPage } from './drive.mjs';

const place = '#/large-prompt.output';
const choose = (page, language) => page.select('[data-setting="language"]', language);
const speaks = (page, language) => page.waitForSelector(`html[lang="${language}"]`);
const hangul = /[가-힣]/;

inEachBrowser(
  'languages',
  (here) => {
    test('of two languages chosen quickly the later one stays, in whatever order they come', async () => {
      const page = await openPage(here.browser);
      const { target } = here.site;
      await open(page, here.site.url, place);
      await atRest(page);
      Object.assign(target, { pattern: /\/page-[\w-]+\.js/, way: 'held', release: undefined });
      await choose(page, 'ko');
      while (!target.release) await new Promise((wait) => setTimeout(wait, 20));
      target.pattern = undefined;
      await choose(page, 'ja');
      await speaks(page, 'ja');
      target.release();
      await new Promise((wait) => setTimeout(wait, 1000));
      const said = await page.evaluate(() => ({
        lang: document.documentElement.lang,
        texts: document.querySelector('al-app').texts.language,
        title: document.title,
      }));
      assert.deepEqual([said.lang, said.texts], ['ja', 'ja']);
      assert.match(said.title, /[ぁ-ん]/);
      await page.close();
    });

    test('a language that is chosen takes the place of the one in the address', async () => {
      const page = await openPage(here.browser);
      await open(page, here.site.url, `${place}?seed=4&magnitudes=1&largestCount=256&lang=ko`);
      await speaks(page, 'ko');
      await atRest(page);
      await choose(page, 'en');
      await speaks(page, 'en');
      assert.equal(
        new URLSearchParams(await page.evaluate(() => location.hash.split('?')[1])).get('lang'),
        'en',
      );
      await page.reload();
      await speaks(page, 'en');
      assert.equal(await atRest(page), 'done');
      const state = await page.evaluate(() => {
        const { session, texts } = document.querySelector('al-experiment');
        return [texts.language, session.seed, session.values.largestCount];
      });
      assert.deepEqual(state, ['en', '4', 256]);
      await page.close();
    });

    test('what is said of a link follows the language', async () => {
      const page = await openPage(here.browser);
      await open(
        page,
        here.site.url,
        `${place}?replicates=1e9&largestCount=256&magnitudes=1&lang=ko`,
      );
      const notice = await page.waitForSelector('.experiment .notice');
      assert.match(await notice.evaluate((each) => each.textContent), hangul);
      await choose(page, 'en');
      await page.waitForFunction(() =>
        /was given as 1e9.* is allowed, so it is/.test(
          document.querySelector('.experiment .notice').textContent,
        ),
      );
      await open(page, here.site.url, `${place}?kept=nothing&lang=ko`);
      await page.waitForFunction(() =>
        /[가-힣]/.test(document.querySelector('.experiment .notice')?.textContent),
      );
      await choose(page, 'en');
      await page.waitForFunction(() =>
        /not in this browser/.test(document.querySelector('.experiment .notice').textContent),
      );
      await page.close();
    });

    test('the title of the front follows the language', async () => {
      const context = await here.browser.createBrowserContext();
      const page = await openPage(context);
      await open(page, here.site.url, '#/?lang=en');
      await page.waitForSelector('al-wing');
      await choose(page, 'ko');
      await page.waitForFunction(() => /[가-힣]/.test(document.title));
      await context.close();
    });

    test('the tags to embed an experiment name the language of the page', async () => {
      const page = await openPage(here.browser);
      await open(page, here.site.url, `${place}?lang=ko`);
      await speaks(page, 'ko');
      await atRest(page);
      await page.click('[data-fold="reproduce"] summary');
      await page.waitForSelector('[data-snippet="iframe"]');
      const snippet = (name) => page.$eval(`[data-snippet="${name}"]`, (each) => each.textContent);
      assert.match(await snippet('element'), /<attention-lab [^>]*language="ko"/);
      assert.match(await snippet('iframe'), /embed\.html\?[^"]*language=ko.*title="[^"]*[가-힣]/);
      await page.close();
    });
  },
  () => serveBadly(),
);
