// The page in random use for a while: what it keeps in memory has to stay flat. Not part of
// `npm test`, for it takes as long as it is told to:
//   npm run random-use -- --minutes 30 --seed 1
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { engines, faultsOf, openPage, serveSite } from './drive.mjs';

const options = { minutes: { type: 'string' }, seed: { type: 'string' } };
const { values } = parseArgs({ options });
const minutes = Number(values.minutes ?? 30);
let state = Number(values.seed ?? 1);

// Mulberry32: the same seed takes the same way through the page.
function random() {
  state = (state + 0x6d2b79f5) | 0;
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
}

const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

const oneOf = (page, selector, act) =>
  page.evaluate(
    (selector, share, act) => {
      const found = [...document.querySelectorAll(selector)].filter((each) => !each.disabled);
      const element = found[Math.floor(share * found.length)];
      if (element) new Function('element', 'share', act)(element, share);
    },
    selector,
    random(),
    act,
  );

const click = 'element.click()';
const changed = "element.dispatchEvent(new Event('change', { bubbles: true }))";
const slide =
  'element.value = String(Number(element.min) + share * (element.max - element.min) / 2);' +
  `element.dispatchEvent(new Event('input', { bubbles: true })); ${changed}`;
const choose = `element.selectedIndex = Math.floor(share * element.length); ${changed}`;

const acts = [
  [5, (page) => oneOf(page, '[data-action]', click)],
  [4, (page) => oneOf(page, '[data-parameter] input[type=range]', slide)],
  [3, (page) => oneOf(page, '[data-preset]', click)],
  [2, (page) => oneOf(page, '[data-parameter] select', choose)],
  [2, (page) => oneOf(page, 'details > summary', click)],
  [1, (page) => oneOf(page, '.legend button', click)],
  [1, (page) => oneOf(page, 'header select', choose)],
  [1, (page) => oneOf(page, '[data-download]', click)],
  [2, (page) => page.mouse.move(random() * 1280, random() * 900)],
  [
    1,
    (page) => page.evaluate((share) => scrollTo(0, share * document.body.scrollHeight), random()),
  ],
];

async function act(page) {
  let place = random() * acts.reduce((sum, [weight]) => sum + weight, 0);
  const [, chosen] = acts.find(([weight]) => (place -= weight) < 0);
  await chosen(page);
}

const visit = (page, hash) => page.evaluate((hash) => (location.hash = hash), hash);

// At the front, with nothing under way and the garbage collected.
async function weigh(page, devtools) {
  await visit(page, '#/');
  // The handle would hold the front for good.
  await (await page.waitForSelector('.front')).dispose();
  await page.evaluate(() => (globalThis.downloads.length = 0));
  await pause(3000);
  for (let i = 0; i < 3; i += 1) await devtools.send('HeapProfiler.collectGarbage');
  const { metrics } = await devtools.send('Performance.getMetrics');
  const of = (name) => metrics.find((each) => each.name === name).value;
  return {
    heap: of('JSHeapUsedSize') / 2 ** 20,
    nodes: of('Nodes'),
    listeners: of('JSEventListeners'),
  };
}

// The largest resident size among the browser's renderers, in MB.
function residentSize(browser) {
  const parent = browser.process()?.pid;
  const sizes = [0];
  for (const pid of childrenOf(parent)) {
    const text = readFileSync(`/proc/${pid}/status`, 'utf8');
    sizes.push(Number(/VmRSS:\s+(\d+)/.exec(text)?.[1] ?? 0) / 1024);
  }
  return Math.max(...sizes);
}

function childrenOf(pid) {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    return children
      .split(/\s+/)
      .filter(Boolean)
      .flatMap((each) => [each, ...childrenOf(each)]);
  } catch {
    return []; // It has ended, or this system has no /proc.
  }
}

const median = (numbers) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1];

async function wander() {
  const site = await serveSite();
  const browser = await engines[0].launch();
  const page = await openPage(browser);
  const devtools = await page.createCDPSession();
  await devtools.send('Performance.enable');
  await page.goto(site.url, { waitUntil: 'load' });
  await (await page.waitForSelector('.index-list a')).dispose();
  const places = await page.$$eval('.index-list li > a', (links) => links.map((each) => each.hash));
  const end = Date.now() + minutes * 60_000;
  const weights = [];
  for (let count = 0; Date.now() < end;) {
    const until = Date.now() + 60_000;
    while (Date.now() < until) {
      await visit(
        page,
        random() < 0.1 ? '#/notebook' : places[Math.floor(random() * places.length)],
      );
      for (let i = 0; i < 12; i += 1, count += 1) {
        await act(page);
        await pause(random() ** 3 * 2000);
      }
    }
    weights.push({ ...(await weigh(page, devtools)), resident: residentSize(browser) });
    const [{ heap, nodes, listeners, resident }] = weights.slice(-1);
    const sizes = `heap ${heap.toFixed(1)} MB, ${nodes} nodes, ${listeners} listeners`;
    console.log(
      `${weights.length} min, ${count} acts: ${sizes}, process ${resident.toFixed(0)} MB`,
    );
  }
  const faults = await faultsOf(page, site.url);
  await browser.close();
  await site.close();
  return { weights, faults };
}

const { weights, faults } = await wander();
const third = Math.max(1, Math.floor(weights.length / 3));
const problems = faults.map((each) => `the page said: ${each}`);
for (const name of ['heap', 'nodes', 'listeners', 'resident']) {
  // The first minute fills what is kept for good: texts, descriptors, code.
  const early = median(weights.slice(1, 1 + third).map((each) => each[name]));
  const late = median(weights.slice(-third).map((each) => each[name]));
  if (late > early * 1.25) problems.push(`${name} grew from ${early} to ${late}`);
}
console.log(problems.length ? problems.join('\n') : 'flat, and the console is empty');
process.exitCode = problems.length ? 1 : 0;
