// Both browsers, headless, and a page that reports what went wrong in it.
import { after, before, describe } from 'node:test';
import puppeteer from 'puppeteer-core';
import { fileURLToPath } from 'node:url';
import { serve } from '../../tools/serve.mjs';
import { findBrowsers } from '../../tools/browsers.mjs';

export const siteFolder = fileURLToPath(new URL('../../dist/site', import.meta.url));

const chromiumFlags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

const found = findBrowsers();

export const engines = [
  {
    name: 'Chromium',
    launch: () =>
      puppeteer.launch({
        browser: 'chrome',
        executablePath: found.chromium,
        args: chromiumFlags,
        protocolTimeout: 240_000,
      }),
  },
  {
    name: 'Firefox',
    launch: () =>
      puppeteer.launch({
        browser: 'firefox',
        executablePath: found.firefox,
        protocolTimeout: 240_000,
        extraPrefsFirefox: { 'dom.min_background_timeout_value': 4 },
      }),
  },
];

export const serveSite = (options = {}) => serve({ root: siteFolder, port: 0, ...options });

// `body` describes tests for each engine in turn; while they run, `here` has its browser and the site.
export function inEachBrowser(title, body, makeSite = serveSite) {
  for (const engine of engines) {
    describe(`${engine.name}: ${title}`, () => {
      const here = { engine };
      before(async () => {
        here.site = await makeSite();
        here.browser = await engine.launch();
      });
      after(async () => {
        await here.browser?.close();
        await here.site?.close();
      });
      body(here);
    });
  }
}

// What a page must not do: speak on the console, ask another origin, break its own policy.
export async function openPage(browser, { width = 1280, height = 900, quiet = [] } = {}) {
  const page = await browser.newPage();
  // A busy machine is no fault of the page.
  page.setDefaultTimeout(180_000);
  page.setDefaultNavigationTimeout(180_000);
  await page.setViewport({ width, height });
  page.faults = [];
  page.urls = [];
  page.on('console', (message) => {
    const text = message.text();
    if (!['error', 'warn', 'warning'].includes(message.type())) return;
    if (quiet.some((pattern) => pattern.test(text))) return;
    page.faults.push(`console ${message.type()}: ${text}`);
  });
  page.on('pageerror', (error) => page.faults.push(`page error: ${error.message}`));
  page.on('request', (request) => page.urls.push(request.url()));
  await page.evaluateOnNewDocument(() => {
    globalThis.policyFaults = [];
    document.addEventListener('securitypolicyviolation', (event) => {
      globalThis.policyFaults.push(
        `${event.violatedDirective} ${event.blockedURI} ${event.sample}`,
      );
    });
    // A download is caught instead of written to the disk.
    globalThis.downloads = [];
    const click = HTMLAnchorElement.prototype.click;
    HTMLAnchorElement.prototype.click = function () {
      if (!this.download) return click.call(this);
      const caught = { name: this.download };
      globalThis.downloads.push(caught);
      caught.ready = fetchBlob(this.href).then((blob) => Object.assign(caught, blob));
    };
    const blobs = new Map();
    const create = URL.createObjectURL.bind(URL);
    URL.createObjectURL = (blob) => {
      const url = create(blob);
      blobs.set(url, blob);
      return url;
    };
    const revoke = URL.revokeObjectURL.bind(URL);
    URL.revokeObjectURL = (url) => {
      blobs.delete(url);
      revoke(url);
    };
    async function fetchBlob(url) {
      const blob = blobs.get(url);
      const bytes = new Uint8Array(await blob.arrayBuffer());
      return { type: blob.type, size: bytes.length, text: new TextDecoder().decode(bytes) };
    }
  });
  return page;
}

export async function faultsOf(page, origin) {
  const policy = await page.evaluate(() => globalThis.policyFaults);
  const foreign = page.urls.filter(
    (url) => !/^(blob:|data:|about:)/.test(url) && !url.startsWith(origin),
  );
  return [...page.faults, ...policy, ...foreign.map((url) => `asked ${url}`)];
}

// Waits until the experiment on the page has come to rest.
export async function atRest(page, timeout = 180_000) {
  await page.waitForFunction(
    () =>
      ['built', 'kept', 'done', 'diverged', 'failed', 'cancelled'].includes(
        document.querySelector('.experiment')?.dataset.status,
      ) && [...document.querySelectorAll('al-figure')].every((figure) => figure.settled),
    { timeout, polling: 100 },
  );
  return page.$eval('.experiment', (each) => each.dataset.status);
}

export const session = (page, read) =>
  page.evaluate((source) => {
    const experiment = document.querySelector('al-experiment');
    return new Function('session', 'experiment', `return (${source})(session, experiment)`)(
      experiment.session,
      experiment,
    );
  }, read.toString());

export async function open(page, url, hash) {
  await page.goto('about:blank');
  await page.goto(`${url}${hash}`, { waitUntil: 'load' });
}
