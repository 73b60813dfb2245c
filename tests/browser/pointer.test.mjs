// What a mouse does to a figure: the point that may be dragged, the rectangle that zooms.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atRest, faultsOf, inEachBrowser, open, openPage } from './drive.mjs';

const boxOf = (page, selector) =>
  page.$eval(selector, (each) => {
    each.scrollIntoView({ block: 'center' });
    const { x, y, width, height } = each.getBoundingClientRect();
    return { x, y, width, height };
  });

async function drag(page, from, to) {
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move((from.x + to.x) / 2, (from.y + to.y) / 2);
  await page.mouse.move(to.x, to.y);
  await page.mouse.up();
}

inEachBrowser('the pointer', (here) => {
  test('the start of the bowl is dragged, its sliders and the run follow', async () => {
    const page = await openPage(here.browser);
    await open(page, here.site.url, '#/mhla.bowl');
    await atRest(page);
    const read = () =>
      page.evaluate(() => {
        const { values } = document.querySelector('al-experiment').session;
        return [values.startFirst, values.startSecond];
      });
    const before = await read();
    const ring = await boxOf(page, 'circle.handle');
    const from = { x: ring.x + ring.width / 2, y: ring.y + ring.height / 2 };
    await drag(page, from, { x: from.x - 90, y: from.y + 60 });
    await page.waitForFunction(
      (first) => document.querySelector('al-experiment').session.values.startFirst !== first,
      {},
      before[0],
    );
    assert.equal(await atRest(page), 'done');
    const after = await read();
    assert.ok(after[0] < before[0] && after[1] < before[1], `${before} to ${after}`);
    const shown = await page.$eval('[data-parameter="startFirst"] input:not([type=range])', (box) =>
      Number(box.value.replace('−', '-')),
    );
    assert.equal(shown, after[0]);
    assert.match(await page.evaluate(() => location.hash), /startFirst=/);
    assert.deepEqual(await faultsOf(page, here.site.url), []);
    await page.close();
  });

  test('a rectangle zooms, a double click leaves it', async () => {
    const page = await openPage(here.browser);
    await open(page, here.site.url, '#/large-prompt.output');
    await atRest(page);
    const ticks = () =>
      page.$$eval('.canvas svg text', (all) => all.map((each) => each.textContent).join(' '));
    const whole = await ticks();
    const box = await boxOf(page, '.canvas svg');
    const at = (x, y) => ({ x: box.x + box.width * x, y: box.y + box.height * y });
    await drag(page, at(0.35, 0.35), at(0.6, 0.65));
    await page.waitForFunction(() => document.querySelector('figcaption .button'));
    await atRest(page);
    assert.notEqual(await ticks(), whole);
    const middle = at(0.5, 0.5);
    await page.mouse.click(middle.x, middle.y, { count: 2 });
    await page.waitForFunction(() => !document.querySelector('figcaption .button'));
    await atRest(page);
    assert.equal(await ticks(), whole);
    assert.deepEqual(await faultsOf(page, here.site.url), []);
    await page.close();
  });

  test('however deep the zoom, ticks differ, and only curves inside have a name at their end', async () => {
    const page = await openPage(here.browser);
    await open(page, here.site.url, '#/large-prompt.output');
    await atRest(page);
    const labels = () =>
      page.$eval('al-figure', (each) => each.querySelectorAll('.end-label').length);
    assert.ok((await labels()) > 1);
    for (let turn = 0; turn < 9; turn += 1) {
      const before = await page.$eval('al-figure', (each) => JSON.stringify(each.zoomed ?? ''));
      const box = await boxOf(page, '.canvas svg');
      const at = (x, y) => ({ x: box.x + box.width * x, y: box.y + box.height * y });
      await drag(page, at(0.35, 0.35), at(0.5, 0.5));
      await page.waitForFunction(
        (before) => JSON.stringify(document.querySelector('al-figure').zoomed) !== before,
        {},
        before,
      );
      await atRest(page);
      const ticks = await page.$eval('.canvas svg', (svg) => {
        const axes = [...svg.querySelectorAll('g')].filter((each) =>
          each.querySelector(':scope > text'),
        );
        return axes.map((axis) =>
          [...axis.querySelectorAll('text')].map((each) => each.textContent),
        );
      });
      for (const axis of ticks) assert.equal(new Set(axis).size, axis.length, axis.join(' '));
    }
    assert.equal(await labels(), 0);
    assert.deepEqual(await faultsOf(page, here.site.url), []);
    await page.close();
  });

  test('the zoom ends where ticks could not be told apart', async () => {
    const page = await openPage(here.browser);
    await open(page, here.site.url, '#/large-prompt.output');
    await atRest(page);
    for (let turn = 0; turn < 9; turn += 1) {
      const box = await boxOf(page, '.canvas svg');
      const at = (x, y) => ({ x: box.x + box.width * x, y: box.y + box.height * y });
      await drag(page, at(0.45, 0.45), at(0.5, 0.52));
      await atRest(page);
    }
    const { x, y } = await page.$eval('al-figure', (each) => each.zoomed);
    for (const [low, high] of [x, y]) assert.ok((high - low) / high > 1e-4, `${low} to ${high}`);
    await page.close();
  });

  test('a rectangle that is let go outside the chart zooms, and nothing of it sticks', async () => {
    const page = await openPage(here.browser);
    await open(page, here.site.url, '#/large-prompt.output');
    await atRest(page);
    const box = await boxOf(page, '.canvas svg');
    const at = (x, y) => ({ x: box.x + box.width * x, y: box.y + box.height * y });
    await drag(page, at(0.3, 0.5), at(0.6, -0.2));
    await page.mouse.move(at(0.5, 0.5).x, at(0.5, 0.5).y);
    await page.waitForFunction(() => document.querySelector('figcaption .button'));
    assert.equal(await page.$('.zoom-frame'), null);
    const { inside, middle } = await page.$eval('al-figure', ({ zoomed, chart }) => ({
      inside: chart.invert(0, chart.frame.top - 1).y >= zoomed.y[1],
      middle: zoomed.y[0] < zoomed.y[1],
    }));
    assert.ok(inside && middle);
    await page.close();
  });

  test('in a scaled page the rectangle begins under the pointer', async () => {
    const page = await openPage(here.browser);
    await open(page, here.site.url, '#/large-prompt.output');
    await atRest(page);
    await page.evaluate(() => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync('main { transform: scale(0.6); transform-origin: 0 0; }');
      document.adoptedStyleSheets = [sheet];
    });
    const box = await boxOf(page, '.canvas svg');
    const at = (x, y) => ({ x: box.x + box.width * x, y: box.y + box.height * y });
    const [from, to] = [at(0.4, 0.4), at(0.6, 0.6)];
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(to.x, to.y, { steps: 3 });
    const frame = await page.$eval('.zoom-frame', (each) => {
      const { left, top, right, bottom } = each.getBoundingClientRect();
      return [left, top, right, bottom];
    });
    await page.mouse.up();
    const wanted = [from.x, from.y, to.x, to.y];
    frame.forEach((edge, i) => assert.ok(Math.abs(edge - wanted[i]) < 3, `${frame}: ${wanted}`));
    await page.close();
  });
});
