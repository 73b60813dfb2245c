// Each experiment: figure, table and files say the same; a run here gives the numbers made at build
// time; its link leads back to the same state.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from '../../dist/lib/index.js';
import { atRest, faultsOf, inEachBrowser, open, openPage } from './drive.mjs';

const lab = await load({ variant: 'simd' });
const { experiments } = lab;
lab.dispose();

// A whole run takes its time: in the second browser one experiment a wing has to do.
const everywhere = ['large-prompt.output', 'needle.population-risk', 'mhla.certificate'];

inEachBrowser('agreement', (here) => {
  for (const experiment of experiments) {
    test(`${experiment.id}: figure, table, files and link say the same`, async () => {
      const page = await openPage(here.browser);
      await open(page, here.site.url, `#/${experiment.id}`);
      await atRest(page);
      const counts = await page.evaluate(() => {
        const { session } = document.querySelector('al-experiment');
        return [...document.querySelectorAll('al-figure')].flatMap((element) =>
          element.shownCurves
            .filter((curve) => curve.mark.kind === 'dots')
            .map((curve) => {
              const table = session.tables[curve.mark.table].columns;
              const series = curve.mark.series ? table[curve.mark.series] : undefined;
              const rows = [...table[curve.mark.y]].filter(
                (_, row) =>
                  !series ||
                  String(series[row]) === curve.seriesName ||
                  typeof series[row] === 'number',
              );
              return {
                inTable: rows.every((value) => typeof value === 'number'),
                subset: curve.points.every(
                  (point) => Number.isNaN(point.y) || [...table[curve.mark.y]].includes(point.y),
                ),
              };
            }),
        );
      });
      for (const each of counts) assert.ok(each.inTable && each.subset);

      for (const name of ['table', 'download']) {
        await page.evaluate((name) => {
          document.querySelector(`[data-fold="${name}"]`).open = true;
        }, name);
      }
      await page.waitForSelector('[data-fold="table"] td');
      const shown = await page.evaluate(() => {
        const { session } = document.querySelector('al-experiment');
        return [...document.querySelectorAll('[data-fold="table"] table')].map((table) => {
          const first = table.querySelector('td.number');
          const columns = session.tables[table.dataset.table].columns;
          return {
            rows: table.querySelectorAll('tbody tr').length,
            total: Math.max(...Object.values(columns).map((c) => c.length)),
            first: first && Number(first.dataset.value),
            known: Object.values(columns).map((c) => c[0]),
          };
        });
      });
      assert.ok(shown.length > 0);
      for (const table of shown) {
        assert.equal(table.rows, Math.min(table.total, 60));
        if (Number.isFinite(table.first)) assert.ok(table.known.includes(table.first));
      }

      await page.waitForSelector('[data-download]');
      const buttons = await page.$$eval('[data-download]', (all) =>
        all.map((each) => each.dataset.download),
      );
      for (const name of buttons) {
        await page.evaluate(
          (name) => document.querySelector(`[data-download="${name}"]`).click(),
          name,
        );
        await page.waitForFunction(
          (n) => globalThis.downloads.length === n,
          { timeout: 20_000 },
          buttons.indexOf(name) + 1,
        );
      }
      const files = await page.evaluate(async () => {
        await Promise.all(globalThis.downloads.map((each) => each.ready));
        return globalThis.downloads.map(({ name, text, size }) => ({ name, text, size }));
      });
      checkFiles(files, experiment);
      assert.deepEqual(await faultsOf(page, here.site.url), []);
      await page.close();
    });

    if (here.engine.name !== 'Chromium' && !everywhere.includes(experiment.id)) continue;
    test(`${experiment.id}: a run here gives the numbers made at build time, and its link the same state`, async () => {
      const page = await openPage(here.browser);
      await open(page, here.site.url, `#/${experiment.id}`);
      await atRest(page);
      const built = await tablesOf(page);
      await page.click('[data-action="run"]');
      await page.waitForFunction(
        () => document.querySelector('.experiment').dataset.status !== 'built',
      );
      assert.ok(['done', 'diverged'].includes(await atRest(page, 600_000)));
      assertSameTables(await tablesOf(page), built, experiment);

      await page.click('[data-action="draw"]');
      await page.waitForFunction(() => location.hash.includes('seed='));
      const link = await page.evaluate(() => location.hash);
      const seed = await page.evaluate(() => document.querySelector('al-experiment').session.seed);
      await page.evaluate(() => document.querySelector('al-experiment').session.cancel());
      await open(page, here.site.url, link);
      await page.waitForSelector('.experiment');
      const again = await page.evaluate(() => {
        const { session } = document.querySelector('al-experiment');
        return { seed: session.seed, values: session.values };
      });
      assert.equal(again.seed, seed);
      await page.evaluate(() => document.querySelector('al-experiment').session.cancel());
      assert.deepEqual(await faultsOf(page, here.site.url), []);
      await page.close();
    });
  }
});

const tablesOf = (page) =>
  page.evaluate(() =>
    Object.fromEntries(
      Object.entries(document.querySelector('al-experiment').session.tables).map(
        ([name, { columns }]) => [
          name,
          Object.fromEntries(
            Object.entries(columns).map(([key, values]) => [key, Array.from(values, String)]),
          ),
        ],
      ),
    ),
  );

// The build runs the module in Node, a browser may take the one with relaxed SIMD: the bits are the
// same. Measured times are not; their columns are in milliseconds.
function assertSameTables(live, built, { tables }) {
  assert.deepEqual(Object.keys(live), Object.keys(built));
  for (const { name, columns } of tables) {
    for (const column of columns.filter((each) => each.unit !== 'ms'))
      assert.deepEqual(live[name][column.name], built[name][column.name], `${name}.${column.name}`);
  }
}

function checkFiles(files, experiment) {
  for (const { name, text, size } of files) {
    assert.ok(size > 0, name);
    if (name.endsWith('.json')) {
      const parsed = JSON.parse(text);
      assert.equal(parsed.experiment, experiment.id);
      assert.deepEqual(
        Object.keys(parsed.tables).sort(),
        experiment.tables.map((each) => each.name).sort(),
      );
    } else if (name.endsWith('.csv')) {
      const [head, ...rows] = text.trimEnd().split('\r\n');
      const cells = splitCsv(head);
      for (const row of rows) assert.equal(splitCsv(row).length, cells.length, name);
      const spec = experiment.tables.find((each) => name.endsWith(`-${each.name}.csv`));
      for (const column of spec.columns) {
        const title = column.unit ? `${column.name} (${column.unit})` : column.name;
        assert.ok(cells.includes(title), `${name} has no column ${title}`);
      }
    } else if (name.endsWith('.svg')) {
      assert.match(text, /^<svg [^>]*xmlns="http:\/\/www.w3.org\/2000\/svg"/);
      assert.ok(text.includes('<rect width="100%" height="100%"'), 'a background');
      const plain = text.replace(/<[^>]+>/g, '').replace(/\s+/g, '');
      const figure = experiment.figures.find((each) => name.endsWith(`-${each.name}.svg`));
      assert.ok(plain.includes(experiment.title.slice(0, 12).replace(/\s+/g, '')), 'a title');
      assert.ok(plain.includes(figure.x.label.slice(0, 10).replace(/[\s_^].*/, '')), 'axis names');
      assert.doesNotMatch(text, /var\(--/);
      assert.doesNotMatch(text, /<style/);
    } else {
      assert.match(text.slice(0, 8), /PNG/);
    }
  }
}

const splitCsv = (line) =>
  [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^",]*))/g)].map(
    ([, quoted, plain]) => quoted ?? plain,
  );
