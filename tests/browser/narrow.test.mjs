// The element asks its own width, not the window's; the page looks as it does at either width.
import assert from 'node:assert/strict';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { serve } from '../../tools/serve.mjs';
import { atRest, faultsOf, inEachBrowser, open, openPage, siteFolder } from './drive.mjs';

const element = '<attention-lab experiment="large-prompt.output"></attention-lab>';
const page = (body) => `<!doctype html><html lang="en"><head><meta charset="utf-8">
  <title>Host</title><link rel="icon" href="data:,">
  <script type="module" src="./site/embed/attention-lab.js"></script></head><body>${body}</body></html>`;

async function serveFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'attnlab-narrow-'));
  await cp(siteFolder, join(folder, 'site'), { recursive: true });
  const site = await serve({ root: folder, port: 0, headers: { 'Content-Security-Policy': null } });
  const close = async () => {
    await site.close();
    await rm(folder, { recursive: true });
  };
  return { ...site, folder, close };
}

// Whether the controls stand beside the chart, and which parts stick out.
const lookAt = (browserPage, place) =>
  browserPage.evaluate((place) => {
    const host = document.querySelector(`${place} attention-lab`);
    const root = host?.shadowRoot ?? document;
    const box = (host ?? root.querySelector('al-experiment')).getBoundingClientRect();
    const [main, controls, select] = ['.bench-main', '.bench-controls', '.control select'].map(
      (each) => root.querySelector(each),
    );
    const parts = [...root.querySelectorAll('al-experiment :not(svg *, .visually-hidden)')];
    const style = getComputedStyle(select);
    return {
      width: box.width,
      beside: controls.getBoundingClientRect().left > main.getBoundingClientRect().right,
      outside: parts
        .filter((each) => each.getBoundingClientRect().right > box.right + 1)
        .map((each) => each.className || each.tagName),
      chart: root.querySelector('.canvas').getBoundingClientRect().width,
      select: [style.borderTopLeftRadius, style.paddingLeft, style.minHeight],
    };
  }, place);

inEachBrowser(
  'width',
  (here) => {
    const shown = async (name, body) => {
      await writeFile(join(here.site.folder, name), page(body));
      const opened = await openPage(here.browser);
      await opened.goto(here.site.url + name, { waitUntil: 'load' });
      await opened.waitForFunction(() => {
        const root = document.querySelector('attention-lab')?.shadowRoot;
        return root?.querySelector('.canvas svg') && root.querySelector('.control');
      });
      return opened;
    };

    for (const width of [260, 320, 600, 900]) {
      test(`an element of ${width} pixels in a wide window keeps to its own width`, async () => {
        const opened = await shown(
          `w${width}.html`,
          `<div id="here" style="width: ${width}px">${element}</div>`,
        );
        const look = await lookAt(opened, '#here');
        assert.deepEqual(look.outside, []);
        assert.equal(look.beside, width >= 900);
        assert.ok(look.chart > (width < 900 ? width * 0.95 : 480), `the chart: ${look.chart}`);
        assert.deepEqual(look.select, ['4px', '8px', '32px']);
        assert.deepEqual(await faultsOf(opened, here.site.url), []);
        await opened.close();
      });
    }

    test('in a row of boxes and in a grid it takes the room that is left', async () => {
      const opened = await shown(
        'row.html',
        `<div id="here" style="display: flex"><p style="width: 200px">Side</p>${element}</div>`,
      );
      assert.ok((await lookAt(opened, '#here')).width > 900);
      await opened.close();
    });

    test('a definition in a narrow element stays inside it', async () => {
      const opened = await shown(
        'term.html',
        `<div id="here" style="width: 320px; margin-left: 50px">${element.replace('output', 'gradient')}</div>`,
      );
      const outside = await opened.evaluate(async () => {
        const root = document.querySelector('attention-lab').shadowRoot;
        for (const each of root.querySelectorAll('.fold')) each.open = true;
        await new Promise((wait) => setTimeout(wait, 500));
        const terms = [...root.querySelectorAll('.term-definition')];
        const edge = document.querySelector('#here').getBoundingClientRect();
        const boxes = terms.map((each) => {
          each.style.display = 'block';
          const box = each.getBoundingClientRect();
          each.style.display = '';
          return box;
        });
        const out = boxes.filter((box) => box.left < edge.left - 1 || box.right > edge.right + 1);
        return { terms: terms.length, out: out.length };
      });
      assert.ok(outside.terms > 0);
      assert.equal(outside.out, 0);
      await opened.close();
    });

    test('no place of the page is wider than a phone in any language', async () => {
      const opened = await openPage(here.browser);
      await open(opened, `${here.site.url}site/`, '#/large-prompt.output?lang=en');
      await atRest(opened);
      await opened.click('[data-action=keep]');
      await opened.waitForFunction(() =>
        /notebook/.test(document.querySelector('.run-status').textContent),
      );
      for (const width of [320, 390]) {
        await opened.setViewport({ width, height: 800 });
        for (const language of ['ko', 'ja', 'en']) {
          for (const [hash, part] of [
            ['#/notebook', '.notebook-runs li'],
            ['#/', '#index'],
            ['#/sweep', '.sweeps'],
          ]) {
            await open(opened, `${here.site.url}site/`, `${hash}?lang=${language}`);
            await opened.waitForSelector(`html[lang=${language}] ${part}`);
            const wide = await opened.evaluate(() => document.documentElement.scrollWidth);
            assert.ok(wide <= width, `${hash} in ${language}: ${wide} of ${width}`);
          }
        }
      }
      await opened.close();
    });

    test('the page has two columns in a wide window and one in a narrow one', async () => {
      for (const [width, beside] of [
        [1280, true],
        [360, false],
      ]) {
        const opened = await openPage(here.browser, { width });
        await open(opened, `${here.site.url}site/`, '#/large-prompt.output');
        await atRest(opened);
        assert.equal((await lookAt(opened, 'main')).beside, beside);
        await opened.close();
      }
    });
  },
  serveFolder,
);
