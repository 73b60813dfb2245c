// What the controls show is what is in use, whatever changed it; and where the keyboard goes then.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atRest, faultsOf, inEachBrowser, open, openPage } from './drive.mjs';
import { pageModules } from './page_modules.mjs';

const { clampText, parseNumber, formatNumber } = await pageModules(`
export { clampText, parseNumber } from './state/clamp.ts';
export { formatNumber } from './figure/format.ts';
`);

const valueOf = (page, name) =>
  page.evaluate((name) => document.querySelector('al-experiment').session.values[name], name);

const hasFocus = (page, selector) =>
  page.waitForFunction(
    (selector) => document.activeElement?.matches(selector),
    { timeout: 10_000 },
    selector,
  );

test('a number as the page writes it is read as that number', () => {
  for (const value of [16384, -131072, 0.00002, 3e9, -1e-7, 1e6, -2.5])
    assert.equal(parseNumber(formatNumber(value)), value, formatNumber(value));
  for (const space of ['\u202f', '\u2009', '\u00a0'])
    assert.equal(parseNumber(`1${space}016${space}384`), 1016384);
  for (const text of ['1 2', '1\u00a02', '10⁶⁻', '1 × 2', '']) assert.ok(isNaN(parseNumber(text)));
});

test('a list as the page writes it is read entry by entry', () => {
  const parameter = {
    type: 'numbers',
    name: 'sizes',
    label: 'Sizes',
    minimum: -1e9,
    maximum: 1e9,
    step: 0,
    minimumCount: 1,
    maximumCount: 9,
    default: [1],
  };
  const listOf = (text) => clampText(parameter, text, { t: (key) => key });
  const written = [16384, -131072, 512].map((each) => formatNumber(each)).join(', ');
  assert.deepEqual(listOf(written), { value: [16384, -131072, 512] });
  assert.deepEqual(listOf('16 384 1.5 × 10⁻⁵'), { value: [16, 384, 1.5e-5] });
});

inEachBrowser('values and controls', (here) => {
  test('a select shows the choice in use after keys and a preset have changed it', async () => {
    const page = await openPage(here.browser);
    await open(page, here.site.url, '#/needle.haystack');
    await atRest(page);
    const names = await page.evaluate(() => {
      const { descriptor } = document.querySelector('al-experiment');
      const choices = descriptor.parameters.filter((each) => each.type === 'choice');
      const shown = choices.map(({ name }) => name);
      return shown.filter((name) => document.querySelector(`[data-parameter="${name}"] select`));
    });
    for (const name of names) {
      await page.focus(`[data-parameter="${name}"] select`);
      for (const key of ['ArrowDown', 'ArrowUp', 'ArrowDown']) await page.keyboard.press(key);
    }
    const presets = await page.$$eval('[data-preset]', (all) =>
      all.map((each) => each.dataset.preset),
    );
    for (const preset of [...presets, ...presets]) {
      await page.click(`[data-preset="${preset}"]`);
      await page.waitForSelector(`[data-preset="${preset}"][aria-pressed=true]`);
      await page.evaluate(() => document.querySelector('al-controls').updateComplete);
      for (const name of names) {
        const select = await page.$(`[data-parameter="${name}"] select`);
        if (!select) continue;
        await page.waitForFunction(
          (select, name) =>
            select.value === document.querySelector('al-experiment').session.values[name],
          { timeout: 5000 },
          select,
          name,
        );
      }
    }
    await page.evaluate(() => document.querySelector('al-experiment').session.cancel());
    assert.deepEqual(await faultsOf(page, here.site.url), []);
    await page.close();
  });

  test('the data box empties when a preset takes its matrix away, and takes the same text again', async () => {
    const page = await openPage(here.browser);
    await open(page, here.site.url, '#/mhla.fit');
    await atRest(page);
    const box = '[data-parameter="tokens"] textarea';
    const paste = async () => {
      await page.$eval(box, (each) => each.closest('details')?.setAttribute('open', ''));
      await page.$eval(box, (each) => each.focus());
      await page.$eval(box, (each) => {
        each.value = '1,2\n3,4\n5,6\n';
        each.dispatchEvent(new Event('change', { bubbles: true }));
      });
      await page.waitForSelector('[data-parameter="tokens"] .preview');
    };
    await page.waitForSelector(box);
    await paste();
    assert.equal((await valueOf(page, 'tokens')).rows, 3);
    assert.match(await page.$eval(box, (each) => each.value), /^1,2/);
    await page.$$eval('[data-preset]', (all) => all.at(-1).click());
    await page.waitForFunction(() => !document.querySelector('[data-parameter="tokens"] .preview'));
    assert.equal((await valueOf(page, 'tokens')).rows, 0);
    assert.equal(await page.$eval(box, (each) => each.value), '');
    await paste();
    assert.equal((await valueOf(page, 'tokens')).rows, 3);
    await page.evaluate(() => document.querySelector('al-experiment').session.cancel());
    await page.close();
  });

  test('arrow keys with Alt, Ctrl or Meta are left to the browser', async () => {
    const page = await openPage(here.browser);
    await open(page, here.site.url, '#/large-prompt.output');
    await atRest(page);
    const taken = await page.evaluate(() => {
      const before = JSON.stringify(document.querySelector('al-experiment').session.values);
      const answers = [];
      for (const target of document.querySelectorAll('.canvas, .control input[type=range]'))
        for (const modifier of ['altKey', 'ctrlKey', 'metaKey'])
          for (const key of ['ArrowLeft', 'ArrowRight', 'Home', 'End']) {
            const init = { key, [modifier]: true, bubbles: true, cancelable: true };
            if (!target.dispatchEvent(new KeyboardEvent('keydown', init)))
              answers.push(`${modifier} ${key}`);
          }
      const after = JSON.stringify(document.querySelector('al-experiment').session.values);
      return { answers, moved: before !== after };
    });
    assert.deepEqual(taken, { answers: [], moved: false });
    await page.close();
  });

  test('the keyboard goes on when the button that held it is disabled or gone', async () => {
    const page = await openPage(here.browser);
    await open(page, here.site.url, '#/large-prompt.output');
    await atRest(page);
    const press = async (selector) => {
      await page.focus(selector);
      await page.keyboard.press('Enter');
    };
    await press('[data-action=pin]');
    await page.waitForSelector('.legend button');
    await press('.legend button');
    await hasFocus(page, '.canvas');
    await press('[data-action=reset]');
    await hasFocus(page, '.run-main');
    await press('.run-main');
    await atRest(page);
    const box = await page.$eval('.canvas svg', (each) => {
      const { x, y, width, height } = each.getBoundingClientRect();
      return { x, y, width, height };
    });
    await page.mouse.move(box.x + box.width * 0.35, box.y + box.height * 0.35);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.6, box.y + box.height * 0.6, { steps: 3 });
    await page.mouse.up();
    await page.waitForSelector('figcaption .button');
    await press('figcaption .button');
    await hasFocus(page, '.canvas');
    await page.close();
  });

  test('after a run is deleted from the notebook the keyboard is at the next one', async () => {
    const page = await openPage(here.browser);
    await open(page, here.site.url, '#/large-prompt.output');
    await atRest(page);
    await page.click('[data-action=keep]');
    await page.waitForFunction(() =>
      /notebook/.test(document.querySelector('.run-status').textContent),
    );
    await page.evaluate(() => document.querySelector('al-experiment').session.newDraw());
    await atRest(page);
    await page.click('[data-action=keep]');
    await page.waitForFunction(() =>
      /notebook/.test(document.querySelector('.run-status').textContent),
    );
    await page.evaluate(() => (location.hash = '#/notebook'));
    await page.waitForSelector('.notebook-runs li:nth-child(2)');
    await page.focus('.notebook-runs li:first-child button');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => !document.querySelector('.notebook-runs li:nth-child(2)'));
    await hasFocus(page, '.notebook-runs li:first-child button');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => !document.querySelector('.notebook-runs li'));
    await hasFocus(page, '.notebook .downloads input');
    await page.close();
  });

  test('a fourth run cannot be pinned, and the button says why', async () => {
    const page = await openPage(here.browser);
    await open(page, here.site.url, '#/large-prompt.output');
    await atRest(page);
    for (let turn = 0; turn < 3; turn += 1) {
      await page.click('[data-action=pin]');
      await page.waitForFunction(
        (count) => document.querySelector('al-experiment').session.pins.length === count,
        {},
        turn + 1,
      );
      if (turn === 2) break;
      const seed = await page.evaluate(() => document.querySelector('al-experiment').session.seed);
      await page.click('[data-action=draw]');
      await page.waitForFunction(
        (before) => {
          const { seed, status } = document.querySelector('al-experiment').session;
          return seed !== before && status === 'done';
        },
        {},
        seed,
      );
    }
    const pin = await page.waitForSelector('[data-action=pin][disabled]');
    assert.match(await pin.evaluate((each) => each.title), /take one away/);
    await page.click('.legend button');
    await page.waitForSelector('[data-action=pin]:not([disabled])');
    await page.close();
  });

  test('a file that is dropped beside its box does not take the page away', async () => {
    const page = await openPage(here.browser);
    await open(page, here.site.url, '#/mhla.fit');
    await atRest(page);
    const prevented = await page.evaluate(() =>
      ['dragover', 'drop'].map((type) => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File(['1,2'], 'a.csv'));
        const init = { dataTransfer, bubbles: true, cancelable: true };
        return !document.querySelector('h1').dispatchEvent(new DragEvent(type, init));
      }),
    );
    assert.deepEqual(prevented, [true, true]);
    await page.close();
  });
});
