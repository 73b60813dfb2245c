// The page under sub-paths, as one file, and behind servers that fail; the element of another origin.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { test } from 'node:test';
import { serve } from '../../tools/serve.mjs';
import { atRest, faultsOf, inEachBrowser, open, openPage } from './drive.mjs';
import { hostPage, serveFolder, tag } from './host_page.mjs';

inEachBrowser(
  'hosting',
  (here) => {
    test('the site works from a sub-path it was moved to', async () => {
      const page = await openPage(here.browser);
      await open(
        page,
        `${here.site.url}deep/er/moved/`,
        '#/large-prompt.output?magnitudes=1&largestCount=256',
      );
      assert.equal(await atRest(page), 'done');
      assert.deepEqual(await faultsOf(page, `${here.site.url}deep/er/moved/`), []);
      await page.close();
    });

    test('two copies of the site keep their files for the time without a network side by side', async () => {
      const page = await openPage(here.browser, { quiet: [/Failed to load|sw\.js/] });
      const copies = ['site/', 'deep/er/moved/'].map((path) => here.site.url + path);
      for (const copy of copies) {
        await open(page, copy, '#/notebook');
        await page.evaluate(async () => {
          const registration = await navigator.serviceWorker.register('./sw.js');
          const worker = registration.installing ?? registration.waiting ?? registration.active;
          while (worker.state !== 'activated') await new Promise((wait) => setTimeout(wait, 50));
        });
      }
      const kept = await page.evaluate(async (copies) => {
        const pages = await Promise.all(copies.map((copy) => caches.match(`${copy}index.html`)));
        return pages.map((each) => each !== undefined);
      }, copies);
      assert.deepEqual(kept, [true, true]);
      // What an earlier version of the same copy left goes.
      const old = await page.evaluate(async () => {
        const registration = await navigator.serviceWorker.getRegistration();
        const names = await caches.keys();
        const [own] = names.filter((name) => name.includes(`${registration.scope}#`));
        await caches.open(own.replace(/#.*/, '#before'));
        await registration.unregister();
        const again = await navigator.serviceWorker.register('./sw.js?again');
        const worker = again.installing ?? again.waiting ?? again.active;
        while (worker.state !== 'activated') await new Promise((wait) => setTimeout(wait, 50));
        return { before: names.sort(), after: (await caches.keys()).sort() };
      });
      assert.deepEqual(old.after, old.before);
      await page.close();
    });

    test('standalone.html runs from a file', async () => {
      const page = await openPage(here.browser);
      const file = pathToFileURL(join(here.site.folder, 'site/standalone.html')).href;
      await open(page, file, '#/large-prompt.output');
      assert.equal(await atRest(page), 'built');
      await open(page, file, '#/large-prompt.output?magnitudes=1&largestCount=256&seed=3');
      assert.equal(await atRest(page), 'done');
      assert.deepEqual(await faultsOf(page, 'file:'), []);
      await page.close();
    });

    for (const [what, answer] of [
      ['an HTML page', { status: 200, type: 'text/html', body: '<!doctype html><p>Not found' }],
      ['an error', { status: 503, type: 'text/plain', body: 'later' }],
    ]) {
      test(`${what} in the place of the module is named with its address, and a second try works`, async () => {
        const bad = await brokenServer(here.site.url, answer);
        const page = await openPage(here.browser, { quiet: [/503|wasm|MIME/i] });
        await open(page, `${bad.url}site/`, '#/large-prompt.output?magnitudes=1&largestCount=256');
        assert.equal(await atRest(page), 'failed');
        const said = await page.$eval('.run-status', (each) => each.textContent);
        assert.match(said, /\.wasm/);
        bad.mend();
        await page.click('[data-action="run"]');
        await page.waitForFunction(
          () => document.querySelector('.experiment').dataset.status !== 'failed',
        );
        assert.equal(await atRest(page), 'done');
        await page.close();
        await bad.close();
      });
    }

    test('a wrong MIME type for the module does not matter', async () => {
      const bad = await brokenServer(here.site.url, { type: 'text/plain' });
      const page = await openPage(here.browser, { quiet: [/MIME|wasm/i] });
      await open(page, `${bad.url}site/`, '#/large-prompt.output?magnitudes=1&largestCount=256');
      assert.equal(await atRest(page), 'done');
      await page.close();
      await bad.close();
    });

    test('the element runs on a page of another origin', async () => {
      const other = await serve({
        root: here.site.folder,
        port: 0,
        headers: { 'Content-Security-Policy': null, 'Access-Control-Allow-Origin': '*' },
      });
      const page = await hostPage(
        here,
        'foreign.html',
        tag('magnitudes="1" largest-count="256"'),
        `<script type="module" src="${other.url}site/embed/attention-lab.js"></script>`,
      );
      await page.waitForFunction(() => document.querySelector('attention-lab').status === 'done', {
        timeout: 60_000,
        polling: 100,
      });
      assert.deepEqual(page.faults, []);
      await page.close();
      await other.close();
    });
  },
  serveFolder,
);

// Passes everything on but the module, until it is mended.
async function brokenServer(target, { status, type, body }) {
  let broken = true;
  const server = createServer(async (request, response) => {
    const isModule = request.url.endsWith('.wasm');
    if (isModule && broken && body !== undefined) {
      response.writeHead(status, { 'Content-Type': type });
      return response.end(body);
    }
    const answer = await fetch(new URL(request.url.slice(1), target));
    const headers = {
      'Content-Type': isModule && type && broken ? type : answer.headers.get('content-type'),
    };
    response.writeHead(answer.status, headers);
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    mend: () => void (broken = false),
    close: () =>
      new Promise((done) => {
        server.close(done);
        server.closeAllConnections();
      }),
  };
}
