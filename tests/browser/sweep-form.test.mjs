// What is wrong in the form of a sweep is said in the words of the form, in the reader's language.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultsOf, inEachBrowser, open, openPage } from './drive.mjs';

const place = '#/large-prompt.output?magnitudes=1&largestCount=256&replicates=4';
const faults = [
  // box, what is written there, its name, the sentence about it
  [
    'seeds',
    'abc',
    ['Seeds a point', '점마다 시드 수'],
    /is "abc"; a number is expected/,
    /형식이 맞지 않/,
  ],
  ['seeds', '0', ['Seeds a point', '점마다 시드 수'], /is 0; /, /허용 범위/],
  ['count', '1', ['LABEL, Count', 'LABEL, '], /is 1; /, /허용 범위/],
  ['from', 'x', ['LABEL, From', 'LABEL, '], /is "x"; a whole number is expected/, /형식이 맞지 않/],
];

inEachBrowser('the form of a sweep', (here) => {
  for (const [number, language] of ['en', 'ko'].entries()) {
    test(`in ${language} names the box, the value and the reason`, async () => {
      const page = await openPage(here.browser);
      for (const [box, text, names, english, korean] of faults) {
        await open(page, here.site.url, `${place}&lang=${language}`);
        await page.waitForSelector(`html[lang="${language}"] [data-fold="sweep"] summary`);
        await page.click('[data-fold="sweep"] summary');
        await page.waitForSelector(`[data-sweep="${box}"]`);
        const label = await page.evaluate(
          (box, text) => {
            const input = document.querySelector(`[data-sweep="${box}"]`);
            input.value = text;
            input.dispatchEvent(new Event('input', { bubbles: true }));
            const { descriptor, form } = document.querySelector('al-sweep-fold');
            return descriptor.parameters.find(({ name }) => name === form.axes[0].name).label;
          },
          box,
          text,
        );
        const failure = await page.waitForSelector('.sweep-status .failure');
        const said = await failure.evaluate((each) => each.textContent);
        assert.ok(said.startsWith(names[number].replace('LABEL', label)), said);
        assert.doesNotMatch(said, /seeds\.|vary\.|\.count|\.from/);
        assert.match(said, english);
        if (language === 'ko') assert.match(said, korean);
      }
      await page.close();
    });
  }

  test('a form that has not been drawn yet bears a change of the values', async () => {
    const page = await openPage(here.browser);
    await open(page, here.site.url, place);
    await page.waitForSelector('[data-fold="sweep"] summary');
    await page.click('[data-fold="sweep"] summary');
    await page.waitForSelector('al-sweep-fold form');
    await page.evaluate(() => {
      const drawn = document.querySelector('al-sweep-fold');
      const { session, descriptor, texts } = drawn;
      const fresh = Object.assign(document.createElement('al-sweep-fold'), {
        session,
        descriptor,
        texts,
      });
      drawn.parentNode.append(fresh);
      session.dispatchEvent(new Event('values'));
      fresh.remove();
    });
    assert.deepEqual(await faultsOf(page, here.site.url), []);
    await page.close();
  });
});
