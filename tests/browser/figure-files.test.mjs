// A figure as a file: every text inside the image and none over another, in every language.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { atRest, inEachBrowser, open, openPage } from './drive.mjs';
import { host, serveFolder } from './host_page.mjs';
import { pageModules } from './page_modules.mjs';

const { wrap, widthOf } = await pageModules(
  `export { wrap, widthOf } from './figure/line-breaks.ts';`,
);

test('Japanese lines break between characters, and none begins with a closing one', () => {
  const text =
    '線形アテンションは、各トークンをそれぞれのスコアで（ソフトマックスとは違って）重みづけする。'.repeat(
      3,
    );
  const lines = wrap(text, 300, 12);
  assert.equal(lines.join(''), text);
  assert.ok(lines.length > 4);
  for (const line of lines) {
    assert.ok(widthOf(line, 12) <= 300, line);
    assert.doesNotMatch(line, /^[、。）ーっゃゅょッャュョ]|（$/);
  }
});

test('Korean lines break at spaces, and in a word only where it is longer than a line', () => {
  const text = '선형 어텐션은 각 토큰을 자기 점수로 가중합니다. 1\u202f016\u202f384개의 토큰';
  for (const line of wrap(text, 120, 12))
    for (const word of line.split(' ')) assert.ok(text.split(' ').includes(word), word);
  assert.equal(wrap('가'.repeat(40), 120, 12).length, 4);
});

test('a symbol with its index stays whole', () => {
  assert.deepEqual(
    wrap('大きさ m_{n} と x^2', 40, 12)
      .join('|')
      .match(/[\w{}]+[_^][{\w]+}?/g),
    ['m_{n}', 'x^2'],
  );
});

// The texts of the file that stick out of it or lie over one another.
const faultsOfFile = (page, name) =>
  page.evaluate(async (name) => {
    const file = globalThis.downloads.findLast((each) => each.name.includes(name));
    await file.ready;
    const place = document.createElement('div');
    place.setAttribute('class', 'file-under-test');
    const parsed = new DOMParser().parseFromString(file.text, 'image/svg+xml').documentElement;
    place.append(document.importNode(parsed, true));
    document.body.append(place);
    const svg = place.querySelector('svg');
    const edge = svg.getBoundingClientRect();
    const all = [...svg.querySelectorAll(':scope > text')];
    const boxes = all.map((each) => [each.getBoundingClientRect(), each.textContent]);
    const out = boxes.filter(([box]) => box.left < edge.left || box.right > edge.right);
    const over = boxes.filter(([a], i) =>
      boxes.some(
        ([b], j) =>
          j > i &&
          Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
          Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 5,
      ),
    );
    place.remove();
    return { count: all.length, out: out.map(([, t]) => t), over: over.map(([, t]) => t) };
  }, name);

inEachBrowser('figure files', (here) => {
  for (const id of ['needle.population-risk', 'large-prompt.output', 'mhla.learn'])
    test(`the images of ${id} hold their texts in each language, wide and narrow`, async () => {
      const page = await openPage(here.browser);
      for (const width of [1280, 360])
        for (const language of ['en', 'ko', 'ja']) {
          await page.setViewport({ width, height: 900 });
          await open(page, here.site.url, `#/${id}?lang=${language}`);
          await page.waitForSelector(`html[lang=${language}] .experiment`);
          await atRest(page);
          await page.$eval('[data-fold=download] summary', (each) => each.click());
          await page.waitForSelector('[data-download^=svg-]');
          const names = await page.$$eval('[data-download^=svg-]', (all) => {
            for (const each of all) each.click();
            return all.map((each) => each.dataset.download.slice(4));
          });
          await page.waitForFunction(
            (count) => globalThis.downloads.length >= count,
            {},
            names.length,
          );
          for (const name of names) {
            const { count, out, over } = await faultsOfFile(page, name);
            assert.ok(count > 3);
            const where = `${name} in ${language} at ${width}`;
            assert.deepEqual({ out, over }, { out: [], over: [] }, where);
          }
          if (process.env.FIGURES_FOLDER && here.engine.name === 'Chromium')
            for (const { name, text } of await page.evaluate(() => globalThis.downloads))
              await writeFile(
                join(process.env.FIGURES_FOLDER, `${language}-${width}-${name}`),
                text,
              );
        }
      await page.close();
    });
});

inEachBrowser('figure files of several runs', (here) => {
  test('the legend in an image names the runs that are pinned, and the one before', async () => {
    const page = await openPage(here.browser);
    const values = '?magnitudes=1&largestCount=256&replicates=20';
    await open(page, here.site.url, `#/large-prompt.output${values}`);
    await atRest(page);
    for (const seed of [7, 8]) {
      await page.click('[data-action=pin]');
      await page.evaluate(
        (seed) => document.querySelector('al-experiment').session.setSeed(String(seed)),
        seed,
      );
      await atRest(page);
    }
    await page.evaluate(() =>
      document.querySelector('al-experiment').session.set('largestCount', 512),
    );
    await atRest(page);
    await page.$eval('[data-fold=download] summary', (each) => each.click());
    await page.waitForSelector('[data-download^=svg-]');
    await page.$eval('[data-download^=svg-]', (each) => each.click());
    await page.waitForFunction(() => globalThis.downloads[0]?.text);
    const { said, drawn } = await page.evaluate(() => {
      const file = new DOMParser().parseFromString(globalThis.downloads[0].text, 'image/svg+xml');
      const words = (text) => text.replace(/\s+/g, '');
      const shown = [...document.querySelectorAll('.figure')][0].querySelectorAll('.legend .quiet');
      return {
        said: [...shown].map((each) => words(each.querySelector('span').textContent)),
        drawn: words(file.documentElement.textContent),
      };
    });
    assert.equal(said.length, 3);
    for (const each of said) assert.ok(drawn.includes(each), `${each} is not in ${drawn}`);
    await page.close();
  });
});

inEachBrowser(
  'figure files under a policy',
  (here) => {
    test('where images made in the page are forbidden, the reader is told that SVG can be saved', async () => {
      const policy = `<meta http-equiv="Content-Security-Policy" content="img-src 'self'">`;
      const script = '<script type="module" src="./site/embed/attention-lab.js"></script>';
      await writeFile(
        join(here.site.folder, 'policy.html'),
        host('<attention-lab experiment="large-prompt.output"></attention-lab>', policy + script),
      );
      const page = await openPage(here.browser);
      await page.goto(`${here.site.url}policy.html`, { waitUntil: 'load' });
      const said = await page.evaluate(async () => {
        const wait = async (find) => {
          for (;;) {
            const found = find();
            if (found) return found;
            await new Promise((next) => setTimeout(next, 50));
          }
        };
        const root = document.querySelector('attention-lab').shadowRoot;
        await wait(() => root.querySelector('.canvas svg'));
        (await wait(() => root.querySelector('[data-fold=download] summary'))).click();
        (await wait(() => root.querySelector('[data-download^=png-]:not([disabled])'))).click();
        const notice = await wait(() => root.querySelector('al-folds .notice'));
        return notice.textContent;
      });
      assert.equal(said.trim(), 'No PNG image can be made here; SVG can.');
      await page.close();
    });
  },
  serveFolder,
);
