// How a host sets its text, and what ground it has, is its own affair; forced colours are the reader's.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import puppeteer from 'puppeteer-core';
import { findBrowsers } from '../../tools/browsers.mjs';
import { atRest, inEachBrowser, open, openPage } from './drive.mjs';
import { hostPage, serveFolder, tag } from './host_page.mjs';

const TEXT = [
  ...['white-space', 'text-align', 'letter-spacing', 'word-spacing', 'text-transform'],
  ...['text-indent', 'line-height', 'font-style', 'font-weight', 'font-variant', 'direction'],
  ...['text-shadow', 'hyphens', 'word-break', 'line-break', 'list-style-type', 'writing-mode'],
  ...['font-feature-settings', 'border-collapse', '-webkit-text-fill-color', 'quotes'],
];
const SET = `white-space: pre-wrap; text-align: center; letter-spacing: 3px; word-spacing: 9px;
  text-transform: uppercase; text-indent: 40px; line-height: 3; font-style: italic;
  font-weight: 900; font-variant: small-caps; direction: rtl; text-shadow: 1px 1px red;
  hyphens: auto; word-break: break-all; line-break: anywhere; list-style-type: square;
  font-feature-settings: 'smcp'; border-collapse: collapse; quotes: none`;

const stands = (page) =>
  page.waitForFunction(() => {
    const root = document.querySelector('attention-lab').shadowRoot;
    return root?.querySelector('.canvas svg') && root.querySelector('al-folds details');
  });

// Of each part, the text properties that it has in this host.
const styleOf = (page) =>
  page.evaluate((names) => {
    const root = document.querySelector('attention-lab').shadowRoot;
    const parts = [
      '.question',
      '.answer p',
      '.legend li',
      '.caption',
      '.help',
      '.run-bar',
      'table',
    ];
    return parts.map((part) => {
      const style = getComputedStyle(root.querySelector(part) ?? root.querySelector('article'));
      return [part, ...names.map((name) => `${name}: ${style.getPropertyValue(name)}`)];
    });
  }, TEXT);

inEachBrowser(
  'style of the host',
  (here) => {
    test('what the host says of its text does not reach into the element', async () => {
      const plain = await hostPage(here, 'plain.html', tag());
      await stands(plain);
      const wanted = await styleOf(plain);
      await plain.close();
      const set = await hostPage(here, 'set.html', `<div style="${SET}">${tag()}</div>`);
      await stands(set);
      assert.deepEqual(await styleOf(set), wanted);
      await set.close();
    });

    test('names at the ends of curves have the room that the fonts of the element need', async () => {
      // As fonts of the host this is none, and the browser's smallest would be measured.
      const page = await hostPage(
        here,
        'fonts.html',
        `<style>body { --sans: 0 }</style>${tag().replace('large-prompt.output', 'needle.haystack')}`,
      );
      await page.setViewport({ width: 1000, height: 900 });
      await stands(page);
      await page.waitForFunction(() => {
        const root = document.querySelector('attention-lab').shadowRoot;
        const figures = [...root.querySelectorAll('al-figure')];
        return figures.every((each) => each.settled) && root.querySelector('.end-label');
      });
      const over = await page.evaluate(() => {
        const root = document.querySelector('attention-lab').shadowRoot;
        return [...root.querySelectorAll('.end-label')].map(
          (each) =>
            each.getBoundingClientRect().right - each.closest('svg').getBoundingClientRect().right,
        );
      });
      assert.ok(Math.max(...over) < 1, String(over));
      await page.close();
    });

    test('on a ground of its own the element keeps its parts from the edge', async () => {
      for (const [name, body] of [
        ['dark.html', tag('theme="dark"')],
        ['system.html', tag()],
      ]) {
        const page = await hostPage(here, name, body);
        await page
          .emulateMediaFeatures?.([
            { name: 'prefers-color-scheme', value: name === 'system.html' ? 'dark' : 'light' },
          ])
          .catch(() => undefined);
        const isDark = await page.evaluate(
          () =>
            document.querySelector('attention-lab').hasAttribute('theme') ||
            matchMedia('(prefers-color-scheme: dark)').matches,
        );
        if (!isDark) {
          await page.close();
          continue;
        }
        await stands(page);
        const gaps = await page.evaluate(() => {
          const element = document.querySelector('attention-lab');
          const edge = element.getBoundingClientRect();
          const parts = element.shadowRoot.querySelectorAll('.question, .run-bar, input, .fold');
          return [...parts]
            .map((each) => each.getBoundingClientRect())
            .filter((box) => box.width > 1)
            .map((box) => Math.min(box.left - edge.left, edge.right - box.right));
        });
        assert.ok(gaps.length > 4);
        for (const gap of gaps) assert.ok(gap >= 8, `${name}: ${gap}`);
        await page.close();
      }
    });
  },
  serveFolder,
);

// Only Chromium can be told to force colours while it runs; Firefox is started so.
const forced = {
  Chromium: async (page) => {
    const client = await page.createCDPSession();
    const features = [{ name: 'forced-colors', value: 'active' }];
    await client.send('Emulation.setEmulatedMedia', { features });
  },
  Firefox: async () => undefined,
};

inEachBrowser('forced colours', (here) => {
  test('the pressed chip and the progress are seen where the system forces its colours', async () => {
    const { name } = here.engine;
    const browser =
      name === 'Chromium'
        ? here.browser
        : await puppeteer.launch({
            browser: 'firefox',
            executablePath: findBrowsers().firefox,
            extraPrefsFirefox: { 'browser.display.document_color_use': 2 },
          });
    const page = await openPage(browser);
    await open(page, here.site.url, '#/large-prompt.output');
    await atRest(page);
    await forced[name](page);
    const seen = await page.evaluate(() => {
      const groundOf = (selector) => {
        const style = getComputedStyle(document.querySelector(selector));
        return [style.backgroundColor, style.color].join();
      };
      return {
        active: matchMedia('(forced-colors: active)').matches,
        pressed: groundOf('.chip[aria-pressed=true]'),
        other: groundOf('.chip[aria-pressed=false]'),
        progress: getComputedStyle(document.querySelector('progress')).borderTopWidth,
      };
    });
    assert.equal(seen.active, true);
    assert.notEqual(seen.pressed, seen.other);
    assert.equal(seen.progress, '1px');
    await page.close();
    if (browser !== here.browser) await browser.close();
  });
});
