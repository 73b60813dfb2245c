// Sweeps by the command line, and what the page's views of them say.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { open, openPage } from './drive.mjs';

const program = fileURLToPath(new URL('../../dist/lib/cli.js', import.meta.url));
const folder = await mkdtemp(join(tmpdir(), 'attnlab-sweeps-'));
after(() => rm(folder, { recursive: true, force: true }));

export const inFolder = (name) => join(folder, name);

// → what the command wrote on standard output.
export function attnlab(...args) {
  const child = spawn(process.execPath, [program, ...args], { cwd: folder });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text) => (stderr += text));
  return new Promise((done, fail) =>
    child.on('close', (code) => (code === 0 ? done(stdout) : fail(new Error(stderr)))),
  );
}

export const sha256 = (text) => createHash('sha256').update(text).digest('hex');

export function sealed(object) {
  const { check: _, ...rest } = object;
  const text = JSON.stringify(rest);
  return `${text.slice(0, -1)},"check":"${sha256(text).slice(0, 16)}"}\n`;
}

// What the figure of a sweep shows: its columns, and its texts.
export const shown = (page) =>
  page.evaluate(() => {
    const { figure, session } = document.querySelector('al-sweep-picture al-figure');
    const columns = Object.entries(session.tables.sweep.columns);
    return {
      columns: Object.fromEntries(columns.map(([name, values]) => [name, Array.from(values)])),
      kind: figure.marks[0].kind,
      label: figure.label,
      caption: figure.caption,
      logarithmic: [figure.x.logarithmic, figure.y.logarithmic],
    };
  });

export const drawn = (page) =>
  page.waitForFunction(() => {
    const picture = document.querySelector('al-sweep-picture');
    return picture && !picture.busy && picture.querySelector('.canvas svg');
  });

// The files that a page offered, by what is in their names.
export const offered = (page, part) =>
  page.evaluate(async (part) => {
    const found = globalThis.downloads.findLast(({ name }) => name.includes(part));
    await found?.ready;
    return found?.text;
  }, part);

export async function saved(page, key, part) {
  await page.$eval(`[data-save="${key}"]`, (button) => button.click());
  await page.waitForFunction(
    (part) =>
      globalThis.downloads.some(({ name, text }) => name.includes(part) && text !== undefined),
    {},
    part,
  );
  return offered(page, part);
}

// The view that opens results files.
export async function openView(browser, url, options) {
  const page = await openPage(browser, options);
  await open(page, url, '#/sweep');
  await page.waitForSelector('al-sweeps input[type="file"]');
  return page;
}

export async function pick(page, ...names) {
  const input = await page.$('al-sweeps input[type="file"]');
  await input.uploadFile(...names.map(inFolder));
}

// What it says of the runs that are there.
export const told = (page) => page.$eval('.sweeps-counts', (each) => each.textContent);

// Picks what the figure shows, and waits until it does.
export async function choose(page, name, value) {
  const before = await page.evaluate(() => {
    const { session } = document.querySelector('al-sweep-picture al-figure');
    globalThis.before = session.tables;
  });
  await page.select(`[data-pick="${name}"]`, value);
  await page.waitForFunction(
    () => document.querySelector('al-sweep-picture al-figure').session.tables !== globalThis.before,
    {},
    before,
  );
}
