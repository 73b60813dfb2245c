// What does not come is named, nothing waits for ever, and "Try again" works.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serveBadly } from './bad_site.mjs';
import { atRest, faultsOf, inEachBrowser, open, openPage } from './drive.mjs';

const experiment = '#/large-prompt.output';
const standing = async (page) => {
  await atRest(page);
  assert.ok(await page.$('.canvas svg'));
};
const cases = [
  ['the view', /\/place-[\w-]+\.js/, experiment, /part of the page/, standing],
  ['a script of the view', /\/experiment-[\w-]{8}\.js/, experiment, /part of the page/, standing],
  ['the chart', /\/chart-[\w-]+\.js/, experiment, /^The chart/, standing],
  [
    'the text',
    /\/large-prompt\.output-[\w-]{8}\.js/,
    experiment,
    /^The text of the experiment/,
    (page) => page.waitForSelector('.experiment-prose p'),
  ],
  [
    'the experiment',
    /\/experiment-en-large-prompt\.output-\w+\.json/,
    experiment,
    /^The experiment could not be loaded: .*experiment-en-large-prompt\.output/,
    standing,
  ],
  [
    'the experiment of a wing',
    /\/experiment-en-large-prompt\.output-\w+\.json/,
    '#/',
    /^The experiment could not be loaded: .*experiment-en-large-prompt\.output/,
    (page) => page.waitForSelector('[data-wing="large-prompt"] .canvas svg'),
  ],
  [
    'the list',
    /\/index-en-\w+\.json/,
    '#/',
    /^The list of experiments could not be loaded: .*index-en/,
    (page) => page.waitForSelector('al-wing'),
  ],
  [
    'the sweeps',
    /\/sweeps-view-[\w-]+\.js/,
    '#/sweep',
    /part of the page/,
    (page) => page.waitForSelector('.sweeps'),
  ],
  [
    'the notebook',
    /\/notebook-[\w-]{8}\.js/,
    '#/notebook',
    /part of the page/,
    (page) => page.waitForSelector('.notebook'),
  ],
  [
    'a language',
    /\/page-[\w-]+\.js/,
    '#/?lang=ko',
    /part of the page/,
    (page) => page.waitForSelector('html[lang="ko"] al-wing'),
  ],
];

inEachBrowser(
  'what does not come',
  (here) => {
    for (const [what, pattern, link, sentence, whole] of cases) {
      for (const way of ['404', 'HTML', 'cut off']) {
        test(`${what}, ${way}: a sentence, and "Try again" that works`, async () => {
          const page = await openPage(here.browser);
          page.setDefaultTimeout(60_000);
          await page.evaluateOnNewDocument(() => {
            globalThis.rejected = [];
            addEventListener('unhandledrejection', ({ reason }) =>
              globalThis.rejected.push(String(reason)),
            );
          });
          Object.assign(here.site.target, { pattern, way });
          await open(page, here.site.url, link);
          await page.waitForSelector('.load-failure');
          const said = await page.$eval('.load-failure p', (each) => each.textContent.trim());
          assert.match(said, sentence);
          assert.doesNotMatch(said, /\{message\}|: $/);
          assert.deepEqual(await page.evaluate(() => globalThis.rejected), []);
          here.site.target.pattern = undefined;
          await page.click('.load-failure button');
          await whole(page);
          assert.equal(await page.$('.load-failure'), null);
          await page.close();
        });
      }
    }
    for (const way of ['404', 'HTML', 'cut off']) {
      test(`the laboratory, ${way}: it is no run that failed, and "Try again" works`, async () => {
        const page = await openPage(here.browser, { quiet: [/Failed to load|MIME|rror/] });
        page.setDefaultTimeout(60_000);
        Object.assign(here.site.target, { pattern: /\/lib-[\w-]{8}\.js/, way });
        await open(page, here.site.url, `${experiment}?largestCount=512`);
        await page.waitForSelector('.run-status .failure');
        const said = await page.$eval('.run-status .failure', (each) => each.textContent);
        assert.match(said, /^The laboratory did not load: ./);
        here.site.target.pattern = undefined;
        await page.click('.run-status button');
        assert.equal(await atRest(page), 'done');
        assert.equal(await page.$('.run-status .failure'), null);
        await page.close();
      });
    }

    test('a step of a run that fails is told once, in its place', async () => {
      const page = await openPage(here.browser);
      here.site.target.pattern = undefined;
      await open(page, here.site.url, `${experiment}?source=matrix`);
      await page.waitForSelector('.run-status .failure');
      await page.click('[data-action="step"]');
      await page.waitForFunction(
        () => document.querySelector('al-experiment').session.status === 'failed',
      );
      assert.deepEqual(await faultsOf(page, here.site.url), []);
      await page.close();
    });

    test('a kept run whose script does not come is not called missing', async () => {
      const page = await openPage(here.browser);
      Object.assign(here.site.target, { pattern: /\/open-kept-[\w-]+\.js/, way: '404' });
      await open(page, here.site.url, `${experiment}?kept=1`);
      await standing(page);
      const said = await page.$eval('.notice', (each) => each.textContent);
      assert.match(said, /part of the page could not be loaded: ./);
      here.site.target.pattern = undefined;
      await page.close();
    });

    test('a run that fails says why in the language of the page', async () => {
      const page = await openPage(here.browser);
      here.site.target.pattern = undefined;
      await open(page, here.site.url, `${experiment}?source=matrix&lang=ko`);
      await page.waitForSelector('.run-status .failure');
      const said = await page.$eval('.run-status .failure', (each) => each.textContent);
      assert.match(said, /^실행하지 못했습니다: \S.*[가-힣].* \(tokens: .+\)$/);
      assert.equal(await page.$('.run-status button'), null);
      await page.close();
    });

    test('a file that was cut off is not kept for the time without a network', async () => {
      const page = await openPage(here.browser, { quiet: [/Failed to load|integrity|sw\.js/] });
      const { target } = here.site;
      Object.assign(target, { pattern: /\/sweeps-view-[\w-]+\.js/, way: 'cut off', offline: true });
      await open(page, here.site.url, experiment);
      await atRest(page);
      const install = () =>
        page.evaluate(async () => {
          const registration = await navigator.serviceWorker.register('./sw.js');
          const worker = registration.installing ?? registration.waiting ?? registration.active;
          await new Promise((told) => {
            const tell = () => /activated|redundant/.test(worker.state) && told();
            worker.addEventListener('statechange', tell);
            tell();
          });
          return worker.state;
        });
      assert.equal(await install(), 'redundant');
      target.pattern = undefined;
      assert.equal(await install(), 'activated');
      target.offline = false;
      await page.close();
    });
  },
  () => serveBadly(),
);
