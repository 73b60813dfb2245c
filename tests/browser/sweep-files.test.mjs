// Results files of sweeps on the page: the right numbers, and clear words for what is damaged,
// missing, or no such file at all.
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { fromCsv } from '../../dist/lib/index.js';
import { violations } from './axe.mjs';
import { faultsOf, inEachBrowser } from './drive.mjs';
import {
  attnlab,
  choose,
  drawn,
  inFolder,
  openView,
  pick,
  saved,
  sealed,
  sha256,
  shown,
  told,
} from './sweeping.mjs';

const plan = {
  experiment: 'large-prompt.output',
  parameters: { magnitudes: [0.5, 1], dimensions: [2] },
  vary: {
    largestCount: { from: 64, to: 256, count: 3, scale: 'log' },
    replicates: { grid: [4, 8] },
    source: { grid: ['gaussian', 'cube'] },
  },
  seeds: { count: 3 },
};
await writeFile(inFolder('plan.json'), JSON.stringify(plan));
for (const shard of [1, 2]) {
  await attnlab('sweep', 'plan.json', '--out', `${shard}.jsonl`, '--shard', `${shard}/2`);
}
await attnlab('sweep', 'plan.json', '--out', 'whole.jsonl');
const merge = (...args) => attnlab('merge', '1.jsonl', '2.jsonl', '--summary', ...args);
const points = fromCsv(await merge('--table', 'points')).tables.table.columns;
const whole = await readFile(inFolder('whole.jsonl'), 'utf8');

async function pickText(page, name, text) {
  await writeFile(inFolder(name), text);
  await pick(page, name);
}

const notices = (page, pattern) =>
  page.waitForFunction(
    (source) =>
      new RegExp(source).test(document.querySelector('.sweeps .notice')?.textContent ?? ''),
    {},
    pattern.source,
  );

// Rows of the command line's table for which `keep` holds.
const rowsWhere = (keep) => points.runs.reduce((rows, _, i) => (keep(i) ? [...rows, i] : rows), []);

inEachBrowser('results files', (here) => {
  test('of a sweep, in shards, open with the numbers that merge gives', async () => {
    const page = await openView(here.browser, here.site.url);
    await pick(page, '2.jsonl', '1.jsonl');
    await drawn(page);
    assert.match(await told(page), /36 of 36 runs are there\. Points: 12\. Seeds: 3\./);
    await choose(page, 'column', 'points.rms');
    await choose(page, 'held-source', '1');
    const map = await shown(page);
    assert.equal(map.kind, 'heat-map');
    assert.deepEqual(map.columns.x, [64, 128, 256, 64, 128, 256]);
    const last = (i) => {
      const later = rowsWhere((j) => j > i && points.row[j] > points.row[i]);
      return !later.some((j) => same(i, j));
    };
    const same = (i, j) =>
      ['largestCount', 'replicates', 'source'].every((name) => points[name][i] === points[name][j]);
    const expected = (x, y) =>
      rowsWhere(
        (i) =>
          points.largestCount[i] === x &&
          points.replicates[i] === y &&
          points.source[i] === 'cube' &&
          last(i),
      ).map((i) => points['rms.mean'][i]);
    assert.deepEqual(
      map.columns.mean,
      map.columns.x.flatMap((x, i) => expected(x, map.columns.y[i])),
    );
    await choose(page, 'y', 'source');
    await choose(page, 'held-replicates', '1');
    await choose(page, 'row', '0');
    const { columns, kind } = await shown(page);
    assert.equal(kind, 'dots');
    const first = rowsWhere((i) => points.row[i] === 1 && points.replicates[i] === 8);
    assert.deepEqual([...columns.mean].sort(), first.map((i) => points['rms.mean'][i]).sort());
    assert.deepEqual(
      [...columns.error].sort(),
      first.map((i) => points['rms.standardError'][i]).sort(),
    );
    await choose(page, 'row', 'each');
    assert.equal(new Set((await shown(page)).columns.series).size, 12);
    const csv = fromCsv(await saved(page, 'figure', 'figure.csv')).tables.table.columns;
    assert.deepEqual(Array.from(csv.mean), (await shown(page)).columns.mean);
    assert.deepEqual(await faultsOf(page, here.site.url), []);
    await page.close();
  });

  test('that are damaged, cut, doubled or short of runs are read, and it is said', async () => {
    const page = await openView(here.browser, here.site.url);
    const lines = whole.split('\n');
    const alien = sealed({ ...JSON.parse(lines[7]), id: 'f'.repeat(32) });
    const broken = [
      ...lines.slice(0, 3),
      lines[3].replace(/"rms":\[[\d.]/, '"rms":[9'),
      lines[2],
      'no line at all',
      alien.trimEnd(),
      ...lines.slice(4, 7),
      ...lines.slice(8, 30),
      lines[30].slice(0, 200),
    ];
    await pickText(page, 'broken.jsonl', broken.join('\n'));
    await drawn(page);
    const text = await page.$eval('.sweeps .notice', (each) => each.textContent);
    assert.match(
      text,
      /broken\.jsonl: damaged lines were left out, 2 in all; the first is line 4\./,
    );
    assert.match(text, /runs are there twice, 1 in all; the first is on line 5\./);
    assert.match(text, /no runs of the plan were left out, 1 in all; the first is line 7\./);
    assert.match(text, /the last line is cut short\./);
    assert.match(text, /Runs of the plan are missing, 9 in all; the first is largestCount = /);
    assert.match(await told(page), /27 of 36 runs are there/);
    // Another table is read from the file again, without what was left out.
    await choose(page, 'column', 'points.rms');
    const { columns } = await shown(page);
    assert.equal(
      columns.runs.reduce((sum, count) => sum + count),
      27,
    );
    assert.deepEqual(await faultsOf(page, here.site.url), []);
    await page.close();
  });

  test('that are none, or of another plan, version or experiment, are refused in words', async () => {
    const page = await openView(here.browser, here.site.url);
    const [head, ...rest] = whole.split('\n');
    const other = (change) => sealed({ ...JSON.parse(head), ...change }) + rest.join('\n');
    const changed = (change) => {
      const { plan } = JSON.parse(head);
      const text = JSON.stringify({ ...plan, ...change });
      return other({ plan: JSON.parse(text), planHash: sha256(text) });
    };
    for (const [text, pattern] of [
      ['', /odd\.jsonl is empty/],
      ['{"a": 1}\n', /is not a results file of attnlab sweep/],
      ['\u0000\u0001\uffff'.repeat(100), /is not a results file/],
      [whole.replace('"gaussian"', '"cube"'), /the first line, .* is damaged/],
      [other({ version: '9.9.9' }), /was made by attnlab 9\.9\.9, this page is /],
      [other({ version: { '<b>': 1 } }), /was made by attnlab \{"<b>":1\}/],
      [other({ planHash: sha256('') }), /the plan is not the one that the file names/],
      [changed({ experiment: 'no.such' }), /names the experiment “no\.such”/],
      [changed({ experiment: 5 }), /the plan cannot be read: experiment: is 5/],
      [changed({ seeds: { first: 1, count: 1e300 } }), /the plan cannot be read: seeds\.count/],
      [other({ plan: null }), /the plan cannot be read/],
    ]) {
      await pickText(page, 'odd.jsonl', text);
      await notices(page, pattern);
      assert.equal(await page.$('al-sweep-picture'), null);
    }
    await pickText(page, 'table.csv', 'a,b\n1,2\n');
    await notices(page, /looks like a table/);
    await writeFile(inFolder('small.json'), JSON.stringify({ ...plan, seeds: { count: 1 } }));
    await attnlab('sweep', 'small.json', '--out', `${here.engine.name}.jsonl`);
    await pick(page, 'whole.jsonl', `${here.engine.name}.jsonl`);
    await notices(page, /belongs to another plan than whole\.jsonl/);
    // Dropped instead of picked.
    await page.$eval(
      'al-sweeps .data-panel',
      (zone, text) => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File([text], 'dropped.jsonl'));
        zone.dispatchEvent(new DragEvent('drop', { dataTransfer, cancelable: true }));
      },
      whole,
    );
    await drawn(page);
    assert.equal(await page.$('.sweeps .notice'), null);
    assert.deepEqual(await faultsOf(page, here.site.url), []);
    await page.close();
  });

  test('with right checksums and wrong content break nothing', async () => {
    const page = await openView(here.browser, here.site.url);
    const [head, ...lines] = whole.trimEnd().split('\n');
    const wrong = [
      { tables: null },
      { status: '<img src=x onerror=alert(1)>' },
      { tables: { summary: null, points: 7 } },
      { tables: { summary: { columns: { rms: 'x'.repeat(1000) } } } },
      { tables: { summary: { columns: { rms: [{}, null, [1e308], '1e999'] } } } },
      { tables: { summary: { columns: { rms: [1e308, -1e308, 'Infinity', 'NaN'] } } } },
      { status: 'failed', error: { message: '<script>alert(1)</script>' }, tables: {} },
      { status: 'failed', error: 5, tables: {} },
    ];
    const hostile = lines.map((line, i) => sealed({ ...JSON.parse(line), ...wrong[i] }));
    await pickText(page, 'hostile.jsonl', `${head}\n${hostile.join('')}`);
    await drawn(page);
    await notices(page, /damaged lines were left out, 2 in all; the first is line 2/);
    assert.match(await told(page), /34 of 36 runs .* Failed: 2 \(<script>alert\(1\)<\/script>\)/s);
    assert.ok((await shown(page)).columns.mean.filter(Number.isFinite).length >= 5);
    for (const pick of ['y', 'x']) await choose(page, pick, 'source');
    assert.deepEqual(await faultsOf(page, here.site.url), []);
    await page.close();
  });

  for (const theme of ['light', 'dark']) {
    test(`shown in the ${theme} theme, have nothing that axe finds, and fit 320 pixels`, async () => {
      const page = await openView(here.browser, here.site.url, { width: 320, height: 780 });
      await page.evaluate(
        (theme) => document.documentElement.setAttribute('data-theme', theme),
        theme,
      );
      await page.focus('al-sweeps input[type="file"]');
      await pick(page, '1.jsonl');
      await drawn(page);
      await notices(page, /Runs of the plan are missing, 18 in all/);
      assert.deepEqual(await violations(page), []);
      const [content, view] = await page.evaluate(() => [
        document.documentElement.scrollWidth,
        document.documentElement.clientWidth,
      ]);
      assert.ok(content <= view, `${content} > ${view}`);
      await page.close();
    });
  }
});
