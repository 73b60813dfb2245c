// The language of an embed: of its attribute, else of where it stands; one that fails costs nothing.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serveBadly } from './bad_site.mjs';
import { atRest, inEachBrowser, openPage } from './drive.mjs';
import { hostPage, serveFolder, tag } from './host_page.mjs';

const small = 'magnitudes="1" largest-count="256" replicates="4"';
const done = (page) =>
  page.waitForFunction(() => document.querySelector('attention-lab').status === 'done', {
    polling: 100,
  });
const speaks = (page, language) =>
  page.waitForFunction(
    (language) => {
      const view = document
        .querySelector('attention-lab')
        .shadowRoot.querySelector('al-experiment');
      return view?.texts.language === language && view.lang === language;
    },
    { polling: 50 },
    language,
  );
const change = (page, act) =>
  page.evaluate(
    (source) =>
      new Function('element', `(${source})(element)`)(document.querySelector('attention-lab')),
    act.toString(),
  );

inEachBrowser(
  'languages of embeds',
  (here) => {
    test('an element without the attribute speaks the language of its place again', async () => {
      const page = await hostPage(here, 'again.html', `<p lang="ko-KR">${tag(small)}</p>`);
      await done(page);
      await speaks(page, 'ko');
      await change(page, (element) => element.setAttribute('language', 'ja'));
      await speaks(page, 'ja');
      await change(page, (element) => element.removeAttribute('language'));
      await speaks(page, 'ko');
      assert.equal(await page.$eval('attention-lab', (each) => each.getAttribute('lang')), null);
      await page.close();
    });

    test('an element that moves follows the language of its new place and keeps its state', async () => {
      const body = `<p lang="ko">${tag(small)}</p><section lang="en"></section>`;
      const page = await hostPage(here, 'moves.html', body);
      await done(page);
      await speaks(page, 'ko');
      const notice = () =>
        page.$eval('attention-lab', (each) =>
          each.shadowRoot.querySelector('.notice')?.textContent.trim(),
        );
      await change(page, (element) => {
        globalThis.before = element.result;
        document.querySelector('section').append(element);
      });
      await speaks(page, 'en');
      assert.ok(
        await page.evaluate(
          () => document.querySelector('attention-lab').result.tables === globalThis.before.tables,
        ),
      );
      assert.equal(await notice(), undefined);
      await page.close();
    });

    test('inside a shadow root an element speaks the language of the page around it', async () => {
      const page = await hostPage(here, 'inside.html', '<p lang="ja"></p>');
      await page.evaluate((tag) => {
        const root = document.querySelector('p').attachShadow({ mode: 'open' });
        root.innerHTML = tag;
        const view = () => root.firstElementChild.shadowRoot?.querySelector('al-experiment');
        globalThis.spoken = () => view()?.texts.language;
      }, tag(small));
      await page.waitForFunction(() => globalThis.spoken(), { polling: 100 });
      assert.equal(await page.evaluate(() => globalThis.spoken()), 'ja');
      await page.close();
    });

    test('what was said of attributes follows the language', async () => {
      const page = await hostPage(here, 'said.html', tag('magnitudes="1" largest-count="1e9"'));
      const says = (pattern) =>
        page.waitForFunction(
          (source) =>
            new RegExp(source).test(
              document.querySelector('attention-lab').shadowRoot?.querySelector('.notice')
                ?.textContent,
            ),
          { polling: 100 },
          pattern.source,
        );
      await says(/is allowed, so it is/);
      await change(page, (element) => element.setAttribute('language', 'ko'));
      await says(/[가-힣]/);
      await change(page, (element) => element.setAttribute('seed', '-1'));
      await says(/“-1”.*[가-힣]/);
      await change(page, (element) => element.setAttribute('language', 'en'));
      await says(/“-1” is not a seed/);
      await page.close();
    });

    test('a language that does not come leaves the old one and the reader’s work', async () => {
      const page = await hostPage(here, 'fails.html', tag(small));
      await done(page);
      Object.assign(here.site.target, { pattern: /\/experiment-ko-/, way: '404' });
      await change(page, (element) => {
        globalThis.before = element.result;
        element.setAttribute('language', 'ko');
      });
      const notice = await page.waitForSelector('attention-lab >>> .load-failure');
      assert.match(
        await notice.evaluate((each) => each.textContent),
        /This part of the page could not be loaded: .*Try again/s,
      );
      await speaks(page, 'en');
      assert.equal(await page.$eval('attention-lab', (each) => each.status), 'done');
      here.site.target.pattern = undefined;
      await (await page.$('attention-lab >>> .load-failure button')).click();
      await speaks(page, 'ko');
      const kept = await page.evaluate(() => {
        const element = document.querySelector('attention-lab');
        const failure = element.shadowRoot.querySelector('.load-failure');
        return element.result.tables === globalThis.before.tables && failure === null;
      });
      assert.ok(kept);
      await page.close();
    });

    for (const [what, show, found] of [
      [
        'an element',
        (page) => page.goto(`${here.site.url}failing.html`),
        (page, css) => page.waitForSelector(`attention-lab >>> ${css}`),
      ],
      [
        'a frame',
        (page) =>
          page.goto(`${here.site.url}site/embed.html?experiment=large-prompt.output&language=ko`),
        (page, css) => page.waitForSelector(css),
      ],
    ]) {
      test(`${what} whose experiment does not come says so in its language, and a second try works`, async () => {
        await (await hostPage(here, 'failing.html', tag(`${small} language="ko"`))).close();
        const page = await openPage(here.browser, { quiet: [/404|Failed to load/] });
        Object.assign(here.site.target, { pattern: /\/experiment-ko-/, way: '404' });
        await show(page);
        const said = await (
          await found(page, '.load-failure')
        ).evaluate((each) => each.textContent);
        assert.match(said, /실험.*experiment-ko-.*다시/s);
        here.site.target.pattern = undefined;
        await (await found(page, '.load-failure button')).click();
        await found(page, 'al-experiment .chip');
        if (what === 'a frame') await atRest(page);
        await page.close();
      });
    }
  },
  () => serveBadly(serveFolder),
);
