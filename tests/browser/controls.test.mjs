// Each experiment in both browsers opens finished, answers every control and stays silent.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from '../../dist/lib/index.js';
import { atRest, faultsOf, inEachBrowser, open, openPage } from './drive.mjs';

const lab = await load({ variant: 'simd' });
const { experiments } = lab;
lab.dispose();

// Small enough that a run ends in seconds; the first control of each kind that says how much work.
const WORK = /replicates|repeats|samples|trials|steps|iterations|epochs|seeds|largest|count/i;

const valuesOf = (page) =>
  page.evaluate(() => ({ ...document.querySelector('al-experiment').session.values }));

async function moveControl(page, parameter) {
  const handle = await page.waitForSelector(`[data-parameter="${parameter.name}"]`, {
    timeout: 10_000,
  });
  await page.evaluate((name) => {
    const fold = document.querySelector(`[data-parameter="${name}"]`).closest('details');
    if (fold) fold.open = true;
  }, parameter.name);
  switch (parameter.type) {
    case 'number':
    case 'integer': {
      const slider = await handle.$('input[type=range]');
      await slider.focus();
      const { value, maximum } = await slider.evaluate((_, name) => {
        const { session, descriptor } = document.querySelector('al-experiment');
        const own = descriptor.parameters.find((each) => each.name === name);
        return { value: session.values[name], maximum: own.maximum };
      }, parameter.name);
      await page.keyboard.press(
        WORK.test(parameter.name) || value >= maximum ? 'Home' : 'ArrowRight',
      );
      if (value === parameter.minimum) await page.keyboard.press('ArrowRight');
      break;
    }
    case 'boolean':
      await (await handle.$('input')).click();
      break;
    case 'choice':
      await page.evaluate((name) => {
        const select = document.querySelector(`[data-parameter="${name}"] select`);
        select.selectedIndex = (select.selectedIndex + 1) % select.options.length;
        select.dispatchEvent(new Event('change', { bubbles: true }));
      }, parameter.name);
      break;
    case 'numbers':
      await setBox(page, parameter.name, 'input', listText(parameter));
      break;
    case 'text':
      await setBox(
        page,
        parameter.name,
        'textarea',
        'the cat sat on the mat and the dog sat on the rug '.repeat(4),
      );
      break;
    case 'matrix':
      await page.waitForSelector(`[data-parameter="${parameter.name}"] textarea`);
      await setBox(page, parameter.name, 'textarea', matrixText());
      break;
  }
}

// Another list that is allowed: shorter, or with one more entry, or with another one.
function listText({ minimum, maximum, maximumCount, default: value }) {
  if (value.length > 1) return value.slice(0, -1).join(', ');
  const other = value[0] === maximum ? minimum : maximum;
  return (maximumCount > 1 ? [value[0], other] : [other]).join(', ');
}

const matrixText = () =>
  Array.from({ length: 24 }, (_, i) =>
    [0, 1, 2].map((j) => Math.sin(i * 3 + j).toFixed(3)).join(','),
  ).join('\n');

const setBox = (page, name, tag, text) =>
  page.evaluate(
    (name, tag, text) => {
      const box = document.querySelector(`[data-parameter="${name}"] ${tag}`);
      box.value = text;
      box.dispatchEvent(new Event('change', { bubbles: true }));
    },
    name,
    tag,
    text,
  );

// Waits until the run that a change has started shows something, or ends.
const hasAnswered = (page) =>
  page.waitForFunction(
    () => {
      const { session } = document.querySelector('al-experiment');
      return session.status !== 'loading' && (session.progress > 0 || !session.busy);
    },
    { timeout: 120_000, polling: 50 },
  );

inEachBrowser('experiments', (here) => {
  for (const experiment of experiments) {
    test(`${experiment.id} opens finished, follows every control and stays silent`, async () => {
      const page = await openPage(here.browser);
      await open(page, here.site.url, `#/${experiment.id}`);
      assert.equal(await atRest(page), 'built');
      assert.equal(await page.$eval('h1', (h1) => h1.textContent), experiment.title);
      assert.ok((await page.$$('.canvas svg')).length >= 1);

      for (const parameter of experiment.parameters) {
        const shown = await page.$(`[data-parameter="${parameter.name}"]`);
        if (!shown) continue; // Another control's value hides it; the texts' source has its own test.
        const earlier = await valuesOf(page);
        await moveControl(page, parameter);
        await page.waitForFunction(
          (name, value) =>
            JSON.stringify(document.querySelector('al-experiment').session.values[name]) !== value,
          { timeout: 10_000 },
          parameter.name,
          JSON.stringify(earlier[parameter.name]),
        );
        await hasAnswered(page);
        // Values that cannot go together are refused in words; then the control goes back.
        const failure = await page.evaluate(
          () => document.querySelector('al-experiment').session.failure?.message,
        );
        if (failure) {
          assert.match(failure, /\w+/);
          await page.evaluate(
            (name, value) => document.querySelector('al-experiment').session.set(name, value),
            parameter.name,
            earlier[parameter.name],
          );
        }
      }
      await page.evaluate(() => document.querySelector('al-experiment').session.cancel());
      assert.deepEqual(await faultsOf(page, here.site.url), []);
      await page.close();
    });
  }

  test('a seed that is none is refused until something else is done', async () => {
    const page = await openPage(here.browser);
    await open(page, here.site.url, '#/large-prompt.output');
    await atRest(page);
    const state = () =>
      page.$eval('.run-bar', (bar) => {
        const { value, ariaInvalid } = bar.querySelector('.seed input');
        const wrong = /A seed is/.test(bar.querySelector('.run-status').textContent);
        const { seed } = document.querySelector('al-experiment').session;
        return { shown: value === seed, wrong, invalid: ariaInvalid };
      });
    for (const action of ['draw', 'run']) {
      await page.$eval('.seed input', (input) => {
        input.value = 'abc';
        input.dispatchEvent(new Event('change', { bubbles: true }));
      });
      await page.waitForSelector('.seed input[aria-invalid=true]');
      assert.deepEqual(await state(), { shown: false, wrong: true, invalid: 'true' });
      await page.$eval(`[data-action=${action}]`, (button) => button.click());
      await page.waitForSelector('.seed input[aria-invalid=false]');
      assert.deepEqual(await state(), { shown: true, wrong: false, invalid: 'false' });
      await atRest(page);
    }
    assert.deepEqual(await faultsOf(page, here.site.url), []);
    await page.close();
  });

  test('own data: pasted text stays when the language changes, and what was understood follows it', async () => {
    const page = await openPage(here.browser);
    await open(page, here.site.url, '#/large-prompt.output?lang=en&source=matrix&magnitudes=1');
    await page.waitForSelector('al-data-panel textarea');
    const pasted = `x;y;z\n${matrixText().replaceAll(',', ';')}`;
    await setBox(page, 'tokens', 'textarea', pasted);
    await page.waitForSelector('al-data-panel .preview');
    const told = () => page.$eval('al-data-panel', (panel) => panel.textContent);
    assert.match(await told(), /taken as a heading\. Semicolons separate/);
    await page.select('[data-setting="language"]', 'ko');
    await page.waitForFunction(() =>
      /내 토큰/.test(document.querySelector('al-data-panel legend')?.textContent),
    );
    assert.equal(await page.$eval('al-data-panel textarea', (box) => box.value), pasted);
    assert.match(await told(), /첫 행을 제목으로 읽었습니다\. 세미콜론으로/);
    await page.evaluate(() => document.querySelector('al-experiment').session.cancel());
    assert.deepEqual(await faultsOf(page, here.site.url), []);
    await page.close();
  });

  test('own data: the same file again, an error in the language of the page, and all cleared', async () => {
    const page = await openPage(here.browser);
    await open(page, here.site.url, '#/large-prompt.output?lang=en&source=matrix&magnitudes=1');
    await page.waitForSelector('al-data-panel input[type=file]');
    const pick = (text) =>
      page.$eval(
        'al-data-panel input[type=file]',
        (input, text) => {
          const files = new DataTransfer();
          files.items.add(new File([text], 'a.csv'));
          input.files = files.files;
          input.dispatchEvent(new Event('change', { bubbles: true }));
          return input.files.length;
        },
        text,
      );
    assert.equal(await pick('1,2\n3,x\n'), 0);
    const failure = await page.waitForSelector('al-data-panel .failure');
    assert.match(await failure.evaluate((each) => each.textContent), /^csv: line 2, column 2/);
    await page.select('[data-setting="language"]', 'ko');
    await page.waitForFunction(() =>
      /내 토큰/.test(document.querySelector('al-data-panel legend')?.textContent),
    );
    assert.equal(await pick('1,2\n3,x\n'), 0);
    const inKorean = await page.waitForSelector('al-data-panel .failure');
    assert.match(
      await inKorean.evaluate((each) => each.textContent),
      /^내 토큰: 읽을 수 없습니다\. \(csv: line 2, column 2/,
    );
    await setBox(page, 'tokens', 'textarea', matrixText());
    const clear = await page.waitForSelector('al-data-panel button.button');
    await clear.evaluate((button) => button.click());
    await page.waitForFunction(() => !document.querySelector('al-data-panel button.button'));
    assert.equal(await page.$eval('al-data-panel textarea', (box) => box.value), '');
    await page.evaluate(() => document.querySelector('al-experiment').session.cancel());
    assert.deepEqual(await faultsOf(page, here.site.url), []);
    await page.close();
  });
});
