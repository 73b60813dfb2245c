// The element and the frame on other people's pages.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { load } from '../../dist/lib/index.js';
import { faultsOf, inEachBrowser, openPage } from './drive.mjs';
import { host, hostPage, serveFolder, tag } from './host_page.mjs';

const elements = (page, read) =>
  page.evaluate(
    (source) =>
      [...document.querySelectorAll('attention-lab')].map((each) =>
        new Function(`return (${source})`)()(each),
      ),
    read.toString(),
  );

inEachBrowser(
  'embeds',
  (here) => {
    test('five elements share one request for the module and keep their own state', async () => {
      const page = await hostPage(
        here,
        'five.html',
        [1, 2, 3, 4, 5]
          .map((seed) => tag(`seed="${seed + 10}" magnitudes="1" largest-count="256"`))
          .join(''),
      );
      for (let i = 0; i < 5; i += 1) {
        await page.evaluate(
          (i) => document.querySelectorAll('attention-lab')[i].scrollIntoView(),
          i,
        );
        await page.waitForFunction(
          (i) => document.querySelectorAll('attention-lab')[i].status === 'done',
          { polling: 100 },
          i,
        );
      }
      const seeds = await elements(page, (each) => each.result.seed);
      assert.deepEqual(seeds, ['11', '12', '13', '14', '15']);
      assert.equal(page.urls.filter((url) => url.endsWith('.wasm')).length, 1);
      assert.deepEqual(await faultsOf(page, here.site.url), []);
      await page.close();
    });

    test('keys that a part of the element takes are no shortcuts of the page around it', async () => {
      const page = await hostPage(here, 'keys.html', tag());
      await page.evaluate(() => {
        globalThis.keys = [];
        for (const type of ['keydown', 'keyup'])
          addEventListener(type, ({ key }) => globalThis.keys.push(key));
      });
      const focus = async (selector) => {
        await page.waitForFunction(
          (selector) => document.querySelector('attention-lab').shadowRoot?.querySelector(selector),
          {},
          selector,
        );
        await page.evaluate(
          (selector) =>
            document.querySelector('attention-lab').shadowRoot.querySelector(selector).focus(),
          selector,
        );
      };
      await focus('.number-box');
      for (const key of ['5', 'd', 'ArrowRight', ' ']) await page.keyboard.press(key);
      await focus('input[type=range]');
      await page.keyboard.press('ArrowRight');
      await focus('summary');
      for (const key of [' ', 'Enter']) await page.keyboard.press(key);
      assert.deepEqual(await page.evaluate(() => globalThis.keys), []);
      // What it has no use for goes on to the page.
      for (const key of ['s', 'Escape']) await page.keyboard.press(key);
      assert.deepEqual(await page.evaluate(() => [...new Set(globalThis.keys)]), ['s', 'Escape']);
      await page.close();
    });

    test('an element that was never seen is named on paper, and opens for the next one', async () => {
      const far = '<div style="height: 6000px"></div>';
      const page = await hostPage(here, 'paper.html', far + tag('preset="laplace"'));
      await page.waitForFunction(() => document.querySelector('attention-lab').shadowRoot);
      const before = await elements(page, (each) => each.shadowRoot.textContent);
      await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
      const shown = await elements(page, (each) => each.shadowRoot.querySelector('a').href);
      assert.deepEqual(before, ['']);
      assert.match(shown[0], /\/site\/#\/large-prompt\.output\?preset=laplace$/);
      await page.waitForFunction(
        () => document.querySelector('attention-lab').shadowRoot.querySelector('svg'),
        { timeout: 60_000 },
      );
      assert.deepEqual(await faultsOf(page, here.site.url), []);
      await page.close();
    });

    test('the script included twice is harmless, and removal ends the run', async () => {
      const script = '<script type="module" src="./site/embed/attention-lab.js"></script>';
      const again = '<script type="module" src="./site/embed/attention-lab.js?again"></script>';
      const page = await hostPage(here, 'twice.html', tag(), script + again);
      await page.waitForFunction(() => document.querySelector('attention-lab').status === 'built', {
        timeout: 60_000,
      });
      await page.evaluate(() => {
        const element = document.querySelector('attention-lab');
        element.newDraw();
        element.remove();
      });
      assert.deepEqual(await faultsOf(page, here.site.url), []);
      await page.close();
    });

    test('attributes, methods and events follow one another', async () => {
      const page = await hostPage(
        here,
        'api.html',
        tag('magnitudes="1" largest-count="99999999" theme="dark" hide="details presets"'),
      );
      await page.evaluate(() => {
        globalThis.told = [];
        for (const type of ['ready', 'change', 'done', 'error']) {
          document.addEventListener(`attention-lab-${type}`, () => globalThis.told.push(type));
        }
      });
      await page.waitForFunction(() => document.querySelector('attention-lab').values);
      const before = await page.evaluate(() => {
        const element = document.querySelector('attention-lab');
        return {
          values: element.values,
          notice: element.shadowRoot.querySelector('.notice')?.textContent ?? '',
          folds: element.shadowRoot.querySelector('.folds'),
          presets: element.shadowRoot.querySelector('.presets'),
          ground: getComputedStyle(element).backgroundColor,
        };
      });
      assert.deepEqual(before.values.magnitudes, [1]);
      assert.ok(before.notice.length > 10, 'a value outside its limits is clamped and said');
      assert.equal(before.folds, null);
      assert.equal(before.presets, null);
      assert.equal(before.ground, 'rgb(17, 19, 21)');
      await page.evaluate(() =>
        document.querySelector('attention-lab').setAttribute('largest-count', '256'),
      );
      await page.waitForFunction(
        () =>
          document.querySelector('attention-lab').values.largestCount === 256 &&
          document.querySelector('attention-lab').status === 'done',
        { polling: 100 },
      );
      assert.ok((await page.evaluate(() => globalThis.told)).includes('done'));
      assert.deepEqual(await faultsOf(page, here.site.url), []);
      await page.close();
    });

    test('out of sight a run rests, back in sight it goes on without a jump, to the same bits', async () => {
      const page = await hostPage(
        here,
        'tall.html',
        `${tag('magnitudes="1" largest-count="16384" replicates="400"')}
         <div style="height: 9000px"></div>`,
      );
      const sessionOf = (read) =>
        page.evaluate(
          (source) =>
            new Function('session', `return (${source})(session)`)(
              document.querySelector('attention-lab').shadowRoot.querySelector('al-experiment')
                .session,
            ),
          read.toString(),
        );
      await page.waitForFunction(
        () =>
          document.querySelector('attention-lab').shadowRoot?.querySelector('al-experiment')
            ?.session.progress > 0.02,
        { timeout: 60_000, polling: 50 },
      );
      await page.evaluate(() => scrollTo(0, 9000));
      // The observer tells, and the last frames arrive.
      await new Promise((wait) => setTimeout(wait, 2000));
      const left = await sessionOf((session) => session.progress);
      assert.ok(left < 1, `the run is still going: ${left}`);
      await new Promise((wait) => setTimeout(wait, 2000));
      assert.equal(await sessionOf((session) => session.progress), left);
      await page.evaluate(() => scrollTo(0, 0));
      await page.waitForFunction(() => document.querySelector('attention-lab').status === 'done', {
        timeout: 120_000,
        polling: 100,
      });
      const rested = await sessionOf((session) => Array.from(session.tables.points.columns.rms));
      await page.close();
      const lab = await load({ variant: 'simd' });
      const settings = { magnitudes: [1], largestCount: 16384, replicates: 400 };
      const whole = await lab.run('large-prompt.output', settings).result;
      lab.dispose();
      assert.deepEqual(rested, Array.from(whole.tables.points.columns.rms));
    });

    test('set takes values, matrices too, and no handlers', async () => {
      const page = await hostPage(here, 'set.html', tag('magnitudes="1" largest-count="64"'));
      await page.waitForFunction(() => document.querySelector('attention-lab').values);
      const found = await page.evaluate(() => {
        const element = document.querySelector('attention-lab');
        const tokens = { rows: 3, columns: 2, data: [1, 2, 3, 4, 5, 7] };
        element.set({ source: 'matrix', tokens, onclick: 'globalThis.hit = 1' });
        element.click();
        return { hit: globalThis.hit ?? null, handler: element.hasAttribute('onclick') };
      });
      assert.deepEqual(found, { hit: null, handler: false });
      await page.waitForFunction(
        () => document.querySelector('attention-lab').values?.tokens?.rows === 3,
      );
      await page.close();
    });

    test('an attribute acts on what it names; what the reader set, and other attributes, stay out of it', async () => {
      const page = await hostPage(
        here,
        'stays.html',
        tag(
          'magnitudes="1" largest-count="256" replicates="4" inert data-x="0" onclick="" _ng="1"',
        ),
      );
      const settled = () =>
        page.waitForFunction(() => document.querySelector('attention-lab').status === 'done', {
          polling: 100,
        });
      // Acts on the element; then what it holds, once all has settled.
      const after = async (act) => {
        await page.evaluate(
          (source) => new Function(`return (${source})`)()(document.querySelector('attention-lab')),
          act.toString(),
        );
        await new Promise((wait) => setTimeout(wait, 300));
        await settled();
        return page.evaluate(() => {
          const element = document.querySelector('attention-lab');
          const { seed, params } = element.result;
          return {
            seed,
            replicates: params.replicates,
            count: params.largestCount,
            said: element.shadowRoot.querySelector('.notice')?.textContent.trim() ?? '',
          };
        });
      };
      await settled();
      const start = { seed: '1', replicates: 4, count: 256, said: '' };
      assert.deepEqual(await after(() => undefined), start);
      const typed = { ...start, replicates: 9 };
      assert.deepEqual(
        await after((element) =>
          element.shadowRoot.querySelector('al-experiment').session.set('replicates', 9),
        ),
        typed,
      );
      assert.deepEqual(
        await after((element) => {
          for (const name of ['data-x', 'title', 'tabindex', 'aria-busy', 'hide', 'translate']) {
            element.setAttribute(name, 'no');
          }
          element.setAttribute('language', 'ko');
        }),
        typed,
      );
      assert.equal((await after((element) => element.set({ largestCount: 512 }))).count, 512);
      const drawn = await after((element) => element.newDraw());
      assert.notEqual(drawn.seed, '1');
      assert.deepEqual(await after((element) => element.setAttribute('largest-count', '1024')), {
        ...drawn,
        count: 1024,
      });
      assert.equal((await after((element) => element.set({ seed: 8 }))).seed, '8');
      await after((element) => element.setAttribute('language', 'en'));
      const { said, ...kept } = await after((element) => {
        element.set({ seed: -1, preset: 'nope', magnitude: 3 });
      });
      assert.deepEqual(kept, { seed: '8', replicates: 9, count: 1024 });
      assert.match(said, /no preset “nope”.*“-1” is not a seed.*no parameter “magnitude”/s);
      const attributes = await page.$eval('attention-lab', (each) => each.getAttributeNames());
      assert.equal(attributes.filter((each) => /largest/.test(each)).length, 1);
      await page.close();
    });

    test('moved within its page it keeps what the reader set and has computed', async () => {
      const page = await hostPage(
        here,
        'place.html',
        `${tag('magnitudes="1" largest-count="256"')}<section></section>`,
      );
      await page.waitForFunction(() => document.querySelector('attention-lab').status === 'done', {
        polling: 100,
      });
      const kept = await page.evaluate(async () => {
        const element = document.querySelector('attention-lab');
        element.shadowRoot.querySelector('al-experiment').session.set('replicates', 7);
        while (element.status !== 'done') await new Promise((wait) => setTimeout(wait, 50));
        const { result } = element;
        globalThis.told = 0;
        element.addEventListener('attention-lab-ready', () => (globalThis.told += 1));
        document.querySelector('section').append(element);
        await new Promise((wait) => setTimeout(wait, 500));
        return element.result?.tables === result.tables && element.values.replicates;
      });
      assert.equal(kept, 7);
      assert.equal(await page.evaluate(() => globalThis.told), 0);
      // It still follows its attributes, and is closed when it goes.
      await page.evaluate(() =>
        document.querySelector('attention-lab').setAttribute('largest-count', '512'),
      );
      await page.waitForFunction(
        () => document.querySelector('attention-lab').result?.params.largestCount === 512,
        { polling: 100 },
      );
      const left = await page.evaluate(async () => {
        const element = document.querySelector('attention-lab');
        element.remove();
        await new Promise((wait) => setTimeout(wait, 0));
        return element.status;
      });
      assert.equal(left, 'empty');
      assert.deepEqual(await faultsOf(page, here.site.url), []);
      await page.close();
    });

    for (const where of ['a frame', 'a window']) {
      test(`moved into ${where} it keeps its looks and computes`, async () => {
        const page = await hostPage(here, 'moved.html', `${tag('theme="dark"')}<iframe></iframe>`);
        await page.waitForFunction(() => document.querySelector('attention-lab').values);
        const ground = await page.evaluate(async (where) => {
          const frame = document.querySelector('iframe');
          frame.style.height = '600px';
          const other = where === 'a frame' ? frame.contentWindow : open('', '_blank', 'popup');
          // Firefox puts the new window's document in place a little later.
          await new Promise((wait) => setTimeout(wait, 1000));
          globalThis.moved = document.querySelector('attention-lab');
          other.document.body.append(globalThis.moved);
          return other.getComputedStyle(globalThis.moved).backgroundColor;
        }, where);
        assert.equal(ground, 'rgb(17, 19, 21)');
        await page.waitForFunction(() => globalThis.moved.status === 'built', { polling: 100 });
        await page.evaluate(() => {
          const { defaultView } = globalThis.moved.ownerDocument;
          if (defaultView !== frames[0]) defaultView.close();
        });
        await page.close();
      });
    }

    test('attributes that change while it opens, and after a failure, are followed', async () => {
      const page = await hostPage(here, 'early.html', tag('magnitudes="1" largest-count="128"'));
      await page.evaluate(() =>
        document.querySelector('attention-lab').setAttribute('largest-count', '64'),
      );
      const settled = (count) =>
        page.waitForFunction(
          (count) => {
            const element = document.querySelector('attention-lab');
            return element.values?.largestCount === count && element.status === 'done';
          },
          { polling: 100 },
          count,
        );
      await settled(64);
      await page.evaluate(() =>
        document.querySelector('attention-lab').setAttribute('experiment', 'nope'),
      );
      await page.waitForFunction(() =>
        document.querySelector('attention-lab').shadowRoot.querySelector('[role=alert]'),
      );
      assert.equal(await page.$eval('attention-lab', (element) => element.values), undefined);
      await page.evaluate(() =>
        document.querySelector('attention-lab').setAttribute('experiment', 'large-prompt.output'),
      );
      await settled(64);
      await page.close();
    });

    test('a frame follows the height of its content and settles', async () => {
      const page = await openPage(here.browser);
      await page.goto(`${here.site.url}site/examples/plain.html`, { waitUntil: 'load' });
      await page.evaluate(() => {
        globalThis.heights = [];
        addEventListener('message', (event) => globalThis.heights.push(event.data.height));
        document.querySelector('iframe').scrollIntoView();
      });
      await page.waitForFunction(
        () => globalThis.heights.length > 0 && document.querySelector('iframe').style.height,
        { timeout: 60_000 },
      );
      await new Promise((wait) => setTimeout(wait, 3000));
      const first = await page.evaluate(() => globalThis.heights.length);
      await new Promise((wait) => setTimeout(wait, 2000));
      const state = await page.evaluate(() => ({
        told: globalThis.heights.length,
        last: globalThis.heights.at(-1),
        height: document.querySelector('iframe').getBoundingClientRect().height,
      }));
      assert.ok(state.told - first <= 2, 'no loop');
      assert.ok(Math.abs(state.height - state.last) <= 2);
      const capped = await page.evaluate(async () => {
        const frame = document.querySelector('iframe');
        const data = { type: 'attention-lab:height', height: 1e9 };
        dispatchEvent(new MessageEvent('message', { data, source: frame.contentWindow }));
        return frame.style.height;
      });
      assert.equal(capped, '20000px');
      await page.close();
    });

    test('a frame whose sandbox is too narrow says so; a wide enough one and the one-file page run', async () => {
      const source = 'src="./site/embed.html?experiment=large-prompt.output"';
      const frames = `<iframe sandbox="allow-scripts" ${source}></iframe>
        <iframe sandbox="allow-scripts allow-same-origin" ${source}></iframe>
        <iframe sandbox="allow-scripts" src="./site/standalone.html#/large-prompt.output"></iframe>`;
      await writeFile(join(here.site.folder, 'sandbox.html'), host(frames, ''));
      // The browser itself says on the console what it forbids.
      const page = await openPage(here.browser, { quiet: [/.*/] });
      await page.goto(`${here.site.url}sandbox.html`, { waitUntil: 'load' });
      const [narrow, wide, alone] = page.frames().slice(1);
      await alone.waitForSelector('.experiment[data-status="built"]', { timeout: 60_000 });
      await wide.waitForSelector('.experiment[data-status="built"]', { timeout: 60_000 });
      assert.equal(await wide.$('.late'), null);
      await narrow.waitForFunction(
        () => getComputedStyle(document.querySelector('.late')).visibility === 'visible',
        { timeout: 30_000 },
      );
      await page.close();
    });
  },
  serveFolder,
);
