// Each experiment in both browsers: opens finished, answers every control, agrees with its table,
// gives itself away as files, and comes back from its link.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { load } from '../../dist/lib/index.js';
import { atRest, engines, faultsOf, openPage, open, serveSite } from './drive.mjs';

const lab = await load({ variant: 'simd' });
const { experiments } = lab;
lab.dispose();

// Small enough that a run ends in seconds; the first control of each kind that says how much work.
const WORK = /replicates|repeats|samples|trials|steps|iterations|epochs|seeds|largest|count/i;

const valuesOf = (page) =>
  page.evaluate(() => ({ ...document.querySelector('al-experiment').session.values }));

async function moveControl(page, parameter) {
  const handle = await page.waitForSelector(`[data-parameter="${parameter.name}"]`, {
    timeout: 10_000,
  });
  await page.evaluate((name) => {
    const fold = document.querySelector(`[data-parameter="${name}"]`).closest('details');
    if (fold) fold.open = true;
  }, parameter.name);
  switch (parameter.type) {
    case 'number':
    case 'integer': {
      const slider = await handle.$('input[type=range]');
      await slider.focus();
      const { value, maximum } = await slider.evaluate((_, name) => {
        const { session, descriptor } = document.querySelector('al-experiment');
        const own = descriptor.parameters.find((each) => each.name === name);
        return { value: session.values[name], maximum: own.maximum };
      }, parameter.name);
      await page.keyboard.press(
        WORK.test(parameter.name) || value >= maximum ? 'Home' : 'ArrowRight',
      );
      if (value === parameter.minimum) await page.keyboard.press('ArrowRight');
      break;
    }
    case 'boolean':
      await (await handle.$('input')).click();
      break;
    case 'choice':
      await page.evaluate((name) => {
        const select = document.querySelector(`[data-parameter="${name}"] select`);
        select.selectedIndex = (select.selectedIndex + 1) % select.options.length;
        select.dispatchEvent(new Event('change', { bubbles: true }));
      }, parameter.name);
      break;
    case 'numbers':
      await setBox(page, parameter.name, 'input', listText(parameter));
      break;
    case 'text':
      await setBox(
        page,
        parameter.name,
        'textarea',
        'the cat sat on the mat and the dog sat on the rug '.repeat(4),
      );
      break;
    case 'matrix':
      await setBox(page, parameter.name, 'textarea', matrixText());
      break;
  }
}

const listText = ({ minimum, maximum, type, default: value }) => {
  const middle =
    value.length > 1 ? value.slice(0, -1) : [value[0] === maximum ? minimum : value[0]];
  return (type === 'numbers' ? middle : []).concat(value.length > 1 ? [] : [maximum]).join(', ');
};

const matrixText = () =>
  Array.from({ length: 24 }, (_, i) =>
    [0, 1, 2].map((j) => Math.sin(i * 3 + j).toFixed(3)).join(','),
  ).join('\n');

const setBox = (page, name, tag, text) =>
  page.evaluate(
    (name, tag, text) => {
      const box = document.querySelector(`[data-parameter="${name}"] ${tag}`);
      box.value = text;
      box.dispatchEvent(new Event('change', { bubbles: true }));
    },
    name,
    tag,
    text,
  );

// Waits until the run that a change has started shows something, or ends.
const hasAnswered = (page) =>
  page.waitForFunction(
    () => {
      const { session } = document.querySelector('al-experiment');
      return session.status !== 'loading' && (session.progress > 0 || !session.busy);
    },
    { timeout: 120_000, polling: 50 },
  );

// A whole run takes its time: in the second browser one experiment a wing has to do.
const everywhere = ['large-prompt.output', 'needle.population-risk', 'mhla.certificate'];

for (const engine of engines) {
  describe(`${engine.name}: experiments`, () => {
    let browser, site;
    before(async () => {
      site = await serveSite();
      browser = await engine.launch();
    });
    after(async () => {
      await browser?.close();
      await site?.close();
    });

    for (const experiment of experiments) {
      test(`${experiment.id} opens finished, follows every control and stays silent`, async () => {
        const page = await openPage(browser);
        await open(page, site.url, `#/${experiment.id}`);
        assert.equal(await atRest(page), 'built');
        assert.equal(await page.$eval('h1', (h1) => h1.textContent), experiment.title);
        assert.ok((await page.$$('.canvas svg')).length >= 1);

        for (const parameter of experiment.parameters) {
          const shown = await page.$(`[data-parameter="${parameter.name}"]`);
          if (!shown) continue; // Another control's value hides it; the texts' source has its own test.
          const earlier = await valuesOf(page);
          await moveControl(page, parameter);
          await page.waitForFunction(
            (name, value) =>
              JSON.stringify(document.querySelector('al-experiment').session.values[name]) !==
              value,
            { timeout: 10_000 },
            parameter.name,
            JSON.stringify(earlier[parameter.name]),
          );
          await hasAnswered(page);
          // Values that cannot go together are refused in words; then the control goes back.
          const failure = await page.evaluate(
            () => document.querySelector('al-experiment').session.failure?.message,
          );
          if (failure) {
            assert.match(failure, /\w+/);
            await page.evaluate(
              (name, value) => document.querySelector('al-experiment').session.set(name, value),
              parameter.name,
              earlier[parameter.name],
            );
          }
        }
        await page.evaluate(() => document.querySelector('al-experiment').session.cancel());
        assert.deepEqual(await faultsOf(page, site.url), []);
        await page.close();
      });

      test(`${experiment.id}: figure, table, files and link say the same`, async () => {
        const page = await openPage(browser);
        await open(page, site.url, `#/${experiment.id}`);
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
        assert.deepEqual(await faultsOf(page, site.url), []);
        await page.close();
      });

      if (engine.name !== 'Chromium' && !everywhere.includes(experiment.id)) continue;
      test(`${experiment.id}: a run here gives the numbers made at build time, and its link the same state`, async () => {
        const page = await openPage(browser);
        await open(page, site.url, `#/${experiment.id}`);
        await atRest(page);
        const built = await tablesOf(page);
        await page.click('[data-action="run"]');
        await page.waitForFunction(
          () => document.querySelector('.experiment').dataset.status !== 'built',
        );
        assert.ok(['done', 'diverged'].includes(await atRest(page, 600_000)));
        assertSameTables(await tablesOf(page), built);

        await page.click('[data-action="draw"]');
        await page.waitForFunction(() => location.hash.includes('seed='));
        const link = await page.evaluate(() => location.hash);
        const seed = await page.evaluate(
          () => document.querySelector('al-experiment').session.seed,
        );
        await page.evaluate(() => document.querySelector('al-experiment').session.cancel());
        await open(page, site.url, link);
        await page.waitForSelector('.experiment');
        const again = await page.evaluate(() => {
          const { session } = document.querySelector('al-experiment');
          return { seed: session.seed, values: session.values };
        });
        assert.equal(again.seed, seed);
        await page.evaluate(() => document.querySelector('al-experiment').session.cancel());
        assert.deepEqual(await faultsOf(page, site.url), []);
        await page.close();
      });
    }
  });
}

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

// The build runs the SIMD module in Node; a browser may take the relaxed one, whose fused products
// round once where the other rounds twice.
function assertSameTables(live, built) {
  assert.deepEqual(Object.keys(live), Object.keys(built));
  for (const [table, columns] of Object.entries(built)) {
    for (const [name, values] of Object.entries(columns)) {
      assert.equal(live[table][name].length, values.length, `${table}.${name}`);
      values.forEach((text, row) => {
        const [a, b] = [Number(live[table][name][row]), Number(text)];
        if (Number.isNaN(b)) assert.equal(live[table][name][row], text);
        else
          assert.ok(
            a === b || Math.abs(a - b) <= 1e-6 * Math.abs(b) + 1e-12,
            `${table}.${name}[${row}]: ${a} and ${b}`,
          );
      });
    }
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
