// Each example of web/embed/examples does what it says, opened as its kind of page would open it.
import assert from 'node:assert/strict';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import esbuild from 'esbuild';
import { serve } from '../../tools/serve.mjs';
import { inEachBrowser, openPage, siteFolder } from './drive.mjs';

const policy = { 'Content-Security-Policy': null };

const hasRun = (page) =>
  page.waitForFunction(
    () => ['built', 'done'].includes(document.querySelector('attention-lab')?.status),
    { polling: 100 },
  );

async function frameHasRun(page) {
  const handle = await page.waitForSelector('iframe');
  await handle.evaluate((each) => each.scrollIntoView());
  const frame = await handle.contentFrame();
  await frame.waitForFunction(
    () => ['built', 'done'].includes(document.querySelector('.experiment')?.dataset.status),
    { polling: 100 },
  );
}

async function serveFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'attnlab-examples-'));
  await cp(siteFolder, folder, { recursive: true });
  const site = await serve({ root: folder, port: 0, headers: policy });
  const close = async () => {
    await site.close();
    await rm(folder, { recursive: true });
  };
  return { ...site, folder, close };
}

inEachBrowser(
  'examples',
  (here) => {
    const example = (name) => readFile(join(here.site.folder, 'examples', name), 'utf8');
    const show = async (name, body) => {
      await writeFile(
        join(here.site.folder, 'examples', name),
        `<!doctype html><html lang="en"><head><title>x</title><link rel="icon" href="data:,"></head><body>${body}</body></html>`,
      );
      const page = await openPage(here.browser);
      await page.goto(`${here.site.url}examples/${name}`, { waitUntil: 'load' });
      return page;
    };

    test('plain HTML', async () => {
      const page = await openPage(here.browser);
      await page.goto(`${here.site.url}examples/plain.html`, { waitUntil: 'load' });
      await hasRun(page);
      await frameHasRun(page);
      await page.close();
    });

    test('Markdown, whose HTML is let through', async () => {
      const html = (await example('markdown.md'))
        .split('\n')
        .filter((line) => line.startsWith('<'))
        .join('\n');
      const page = await show('markdown.html', html);
      await hasRun(page);
      await frameHasRun(page);
      assert.deepEqual(page.faults, []);
      await page.close();
    });

    test('Quarto', async () => {
      const html = /```\{=html\}\n([^]*?)```/.exec(await example('quarto.qmd'))[1];
      const page = await show('quarto.html', html);
      await frameHasRun(page);
      await page.close();
    });

    test('Jupyter', async () => {
      const { cells } = JSON.parse(await example('jupyter.ipynb'));
      const code = cells.at(-1).source.join('');
      const pairs = [...code.matchAll(/"([\w-]+)": ("?)([\w.-]+)\2/g)].map(([, name, , value]) => [
        name,
        value,
      ]);
      assert.match(code, /"embed.html\?" \+ urlencode\(query\)/);
      const page = await show(
        'jupyter.html',
        `<iframe title="x" src="${here.site.url}embed.html?${new URLSearchParams(pairs)}"></iframe>`,
      );
      await frameHasRun(page);
      await page.close();
    });

    test('Observable', async () => {
      const page = await show('observable.html', '');
      await page.evaluate(async (url) => {
        const { lab } = await import(`${url}examples/observable.js`);
        document.body.append(
          await lab(url, {
            experiment: 'large-prompt.output',
            magnitudes: '1',
            'largest-count': '256',
          }),
        );
      }, here.site.url);
      await hasRun(page);
      await page.close();
    });

    test('React, by a stand-in for its JSX', async () => {
      const { code } = await esbuild.transform(await example('react.jsx'), {
        loader: 'jsx',
        jsxFactory: 'h',
      });
      const stand = `function h(type, props, ...children) {
        const element = document.createElement(type);
        for (const [name, value] of Object.entries(props ?? {})) element.setAttribute(name, value);
        element.append(...children);
        return element;
      }`;
      await writeFile(
        join(here.site.folder, 'examples/react.js'),
        `${code}\n${stand}\ndocument.body.append(Experiment({}));`,
      );
      const page = await show('react.html', '<script type="module" src="./react.js"></script>');
      await hasRun(page);
      await page.close();
    });
  },
  serveFolder,
);
