// A case in Chromium or Firefox: a page of its own, served from this machine.
import { serve } from '../../tools/serve.mjs';
import { engines } from '../browser/drive.mjs';
import { makeSite } from './browser_site.mjs';
import { summary } from './statistics.mjs';

let site;

async function withPage({ browser: engineName }, use) {
  const engine = engines.find(({ name }) => name === engineName);
  site ??= makeSite();
  const { url, close } = await serve({
    root: await site,
    port: 0,
    // Peers may need more than the product's policy lets them; files may stay in the cache.
    headers: { 'Content-Security-Policy': null, 'Cache-Control': 'max-age=3600' },
  });
  const browser = await engine.launch();
  try {
    const page = await browser.newPage();
    page.setDefaultTimeout(0);
    const faults = [];
    page.on('pageerror', (error) => faults.push(error.message));
    await page.goto(url);
    await page
      .waitForFunction(() => globalThis.benchReady, { timeout: 30_000 })
      .catch(() => {
        throw new Error(`the page does not start: ${faults.join('; ')}`);
      });
    return await use(page, await browser.version());
  } finally {
    await browser.close();
    await close();
  }
}

async function runOnPage(page, theCase, { variant }, quick) {
  const order = { name: theCase.name, variant, quick };
  return page.evaluate((each) => globalThis.runCase(each), order);
}

// From load() to the first result, a page each, the module in the browser's cache.
async function loadPages(page, { variant }, quick) {
  const times = [];
  for (let i = 0; i < (quick ? 5 : 15); ++i) {
    await page.reload();
    await page.waitForFunction(() => globalThis.benchReady);
    times.push(await page.evaluate((each) => globalThis.timeLoad(each), variant));
  }
  const value = summary(times.slice(1)).median;
  return [{ name: 'load() and a first call', value, unit: 'ms', target: { atMost: 60 } }];
}

// → the results, the first of which names the browser.
export async function runInBrowser(theCase, mode, { quick }) {
  try {
    return await withPage(mode, async (page, version) => {
      const run = theCase.pageLoads
        ? loadPages(page, mode, quick)
        : runOnPage(page, theCase, mode, quick);
      return [{ name: 'browser', value: version }, ...(await run)];
    });
  } catch (error) {
    return [{ name: mode.title, error: error.message }];
  }
}
