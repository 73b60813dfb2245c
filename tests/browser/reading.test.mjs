// The reading of a point: it follows the chart, and a tap gives one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atRest, faultsOf, inEachBrowser, open, openPage } from './drive.mjs';

// The reading, its ring and whether they belong to the chart that is shown.
const look = (page) =>
  page.evaluate(() => {
    const figure = document.querySelector('al-figure');
    const { found, chart, shownCurves } = figure;
    const [tip, ring, frame] = ['.reading', '.ring', '.canvas'].map((each) =>
      figure.querySelector(each),
    );
    const box = frame.getBoundingClientRect();
    const shown = tip?.getBoundingClientRect();
    return {
      text: tip?.textContent.replace(/\s+/g, ' ').trim(),
      ring: ring ? [Number(ring.getAttribute('cx')), Number(ring.getAttribute('cy'))] : null,
      place: found ? Object.values(chart.place(found.curve, found.index)) : null,
      current: found ? shownCurves.includes(found.curve) : null,
      inside: shown ? shown.bottom <= box.bottom + 1 && shown.top >= box.top - 1 : null,
    };
  });

function belongs({ text, ring, place, current, inside }) {
  assert.equal(text === undefined, ring === null);
  if (!ring) return;
  assert.equal(current, true);
  assert.deepEqual(ring, place);
  assert.equal(inside, true);
}

// A pointer of a finger, as browsers send it for a tap.
const tap = (page, selector, at) =>
  page.evaluate(
    (selector, at) => {
      const target = document.querySelector(selector);
      const box = target.getBoundingClientRect();
      const [x, y] = at ?? [0.5, 0.5];
      const init = {
        pointerType: 'touch',
        pointerId: 7,
        isPrimary: true,
        bubbles: true,
        composed: true,
        clientX: box.x + box.width * x,
        clientY: box.y + box.height * y,
      };
      for (const type of ['pointerover', 'pointerdown', 'pointerup', 'pointerout'])
        target.dispatchEvent(new PointerEvent(type, init));
      target.dispatchEvent(new PointerEvent('pointerleave', { ...init, bubbles: false }));
    },
    selector,
    at,
  );

inEachBrowser('readings', (here) => {
  test('a reading follows the run and the width of its chart, or goes', async () => {
    const page = await openPage(here.browser);
    await open(page, here.site.url, '#/needle.population-risk');
    await atRest(page);
    await page.focus('al-figure .canvas');
    for (let i = 0; i < 6; i += 1) await page.keyboard.press('ArrowRight');
    await page.waitForSelector('.reading');
    belongs(await look(page));
    const presets = await page.$$eval('[data-preset]', (all) =>
      all.map((each) => each.dataset.preset),
    );
    for (const preset of presets) {
      await page.focus('al-figure .canvas');
      await page.keyboard.press('ArrowRight');
      await page.evaluate(
        (name) => document.querySelector(`[data-preset="${name}"]`).click(),
        preset,
      );
      await page.waitForSelector(`[data-preset="${preset}"][aria-pressed=true]`);
      await page.waitForFunction(() => !document.querySelector('al-experiment').session.busy);
      await atRest(page);
      belongs(await look(page));
    }
    await page.focus('al-figure .canvas');
    for (let i = 0; i < 30; i += 1) await page.keyboard.press('ArrowRight');
    await page.waitForSelector('.reading');
    for (const width of [700, 360, 1280]) {
      await page.setViewport({ width, height: 900 });
      await page.waitForFunction(
        () =>
          Number(document.querySelector('.chart').getAttribute('width')) ===
          Math.round(document.querySelector('.canvas').clientWidth),
      );
      await atRest(page);
      const seen = await look(page);
      assert.ok(seen.ring, `at ${width} pixels`);
      belongs(seen);
    }
    assert.deepEqual(await faultsOf(page, here.site.url), []);
    await page.close();
  });

  test('a chart grows with the text of the page, and is read where it is touched', async () => {
    const page = await openPage(here.browser);
    await open(page, here.site.url, '#/large-prompt.output');
    await atRest(page);
    const sizes = () =>
      page.evaluate(() => ({
        text: document.querySelector('.chart text').getBoundingClientRect().height,
        chart: document.querySelector('.chart').getBoundingClientRect().height,
        room: document.querySelector('.canvas').getBoundingClientRect().height,
      }));
    const usual = await sizes();
    // As if the reader had chosen this as the size of text.
    await page.evaluate(() => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync('.canvas, .text-probe { font-size: 24px !important }');
      document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
    });
    await page.waitForFunction(() => document.querySelector('al-figure').scale === 1.5, {
      timeout: 20_000,
    });
    await atRest(page);
    const large = await sizes();
    assert.ok(Math.abs(large.text / usual.text - 1.5) < 0.1, `${usual.text}, ${large.text}`);
    assert.ok(Math.abs(large.chart - large.room) < 2, 'no gap below the chart');
    await page.focus('al-figure .canvas');
    await page.keyboard.press('End');
    await page.waitForSelector('.reading');
    belongs(await look(page));
    const [ring, tip] = await page.evaluate(() =>
      ['.ring', '.reading'].map((each) =>
        document.querySelector(each).getBoundingClientRect().toJSON(),
      ),
    );
    const beside = Math.min(Math.abs(tip.left - ring.right), Math.abs(ring.left - tip.right));
    assert.ok(beside < 40, `the reading stands ${beside} pixels from its point`);
    await page.close();
  });

  test('a tap reads the nearest point until a tap elsewhere', async () => {
    const page = await openPage(here.browser);
    await open(page, here.site.url, '#/large-prompt.output');
    await atRest(page);
    const at = await page.evaluate(() => {
      const { chart, shownCurves } = document.querySelector('al-figure');
      const curve = shownCurves.find((each) => each.mark.kind !== 'band');
      const { x, y } = chart.place(curve, Math.floor(curve.points.length / 2));
      const svg = chart.svg;
      return [x / Number(svg.getAttribute('width')), y / Number(svg.getAttribute('height'))];
    });
    await tap(page, 'al-figure .canvas', at);
    await page.waitForSelector('.reading');
    await new Promise((wait) => setTimeout(wait, 300));
    belongs(await look(page));
    await tap(page, 'h1');
    await page.waitForFunction(() => !document.querySelector('.reading, .ring'));
    await page.close();
  });
});
