// Pages of other people that carry the element or the frame, and a server for them.
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serve } from '../../tools/serve.mjs';
import { openPage, siteFolder } from './drive.mjs';

export const tag = (attributes = '') =>
  `<attention-lab experiment="large-prompt.output" ${attributes}></attention-lab>`;

export const host = (
  body,
  script = '<script type="module" src="./site/embed/attention-lab.js"></script>',
) =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Host</title><link rel="icon" href="data:,">${script}</head><body>${body}</body></html>`;

// The page `name` in the folder of `here`, opened.
export async function hostPage(here, name, body, script) {
  await writeFile(join(here.site.folder, name), host(body, script));
  const page = await openPage(here.browser);
  await page.goto(here.site.url + name, { waitUntil: 'load' });
  return page;
}

// A folder with a blank and a # in its name, in which the site stands twice.
export async function serveFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'attnlab host # '));
  await cp(siteFolder, join(folder, 'site'), { recursive: true });
  await cp(siteFolder, join(folder, 'deep/er/moved'), { recursive: true });
  const site = await serve({ root: folder, port: 0, headers: { 'Content-Security-Policy': null } });
  const close = async () => {
    await site.close();
    await rm(folder, { recursive: true });
  };
  return { ...site, folder, close };
}
