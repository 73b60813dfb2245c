// What a figure makes of difficult numbers: axes that survive zeros, counts of what is not shown,
// ticks, cells, ramps.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { pageModules } from './page_modules.mjs';

const page = await pageModules(`
export { curvesOf } from './figure/curves.ts';
export { rangesOf, ticksOf, union } from './figure/domain.ts';
export { edges } from './figure/cells.ts';
export { rampOf, rampColour } from './figure/heat-map-ramp.ts';
`);

const always = { parameter: '', values: [] };
const mark = (more = {}) => ({
  kind: 'dots',
  role: 'simulation',
  table: 't',
  x: 'x',
  y: 'y',
  error: '',
  low: '',
  high: '',
  value: '',
  series: '',
  label: 'y',
  colour: '',
  standing: 'none',
  source: '',
  shownWhen: always,
  ...more,
});
const figure = (more = {}, marks = [mark()]) => ({
  name: 'f',
  label: '',
  caption: '',
  marks,
  shownWhen: always,
  x: { label: 'x', symbol: '', unit: '', logarithmic: false },
  y: { label: 'y', symbol: '', unit: '', logarithmic: true },
  ...more,
});
const table = (y, x = y.map((_, i) => i)) => ({ t: { columns: { x, y } } });
const rangesFor = (y) => {
  const { curves } = page.curvesOf(figure(), table(y), {});
  return page.rangesOf(figure(), curves);
};

describe('logarithmic axes', () => {
  for (const [what, y, hidden] of [
    ['zeros', [0, 1, 10], 1],
    ['negative values', [-1, -10, 100], 2],
    ['only NaN', [NaN, NaN], 2],
    ['one point', [3], 0],
    ['a constant', [2, 2, 2], 0],
    ['infinities', [1, Infinity, 5], 1],
    ['nothing', [], 0],
  ]) {
    test(`survive ${what} and count what is not shown`, () => {
      const result = page.curvesOf(figure(), table(y), {});
      assert.equal(result.hidden, hidden);
      const { y: range } = page.rangesOf(figure(), result.curves);
      assert.ok(range[0] > 0 && range[1] > range[0] && Number.isFinite(range[1]), String(range));
      for (const tick of page.ticksOf(figure().y, range, 6))
        assert.ok(tick >= range[0] && tick <= range[1]);
    });
  }

  test('hold every value that can be shown', () => {
    const [low, high] = rangesFor([1e-12, 3, 1e9]).y;
    assert.ok(low <= 1e-12 && high >= 1e9);
  });

  test('take few ticks over many decades', () => {
    const ticks = page.ticksOf(figure().y, [1e-32, 1], 8);
    assert.ok(ticks.length >= 3 && ticks.length <= 9, String(ticks));
  });

  test('have two numbers at least, however low the chart', () => {
    for (const high of [0.46, 1, 1.9, 3, 7.7, 99, 1e6])
      for (const room of [0, 1, 2, 5, 9])
        for (const logarithmic of [false, true]) {
          const axis = { ...figure().y, logarithmic };
          const ticks = page.ticksOf(axis, [high / 1000, high], room);
          assert.ok(ticks.length >= 2 && ticks.length <= 10, `${high}, ${room}: ${ticks}`);
        }
  });

  test('a theory that is undefined somewhere is a gap, not a loss', () => {
    const own = figure({}, [mark({ role: 'theory', kind: 'line' })]);
    assert.equal(page.curvesOf(own, table([NaN, 1, 2]), {}).hidden, 0);
    assert.equal(page.curvesOf(own, table([-1, 1, 2]), {}).hidden, 1);
  });
});

describe('what was not measured', () => {
  const own = figure({}, [mark({ role: 'simulation', kind: 'dots', error: 'e' })]);
  const measured = (y, e) => ({ t: { columns: { x: y.map((_, i) => i), y, e } } });
  for (const [what, y, e, hidden] of [
    ['rows between measured ones are gaps', [1, NaN, NaN, 2], [0.1, NaN, NaN, 0.1], 0],
    ['a run that goes wrong is counted', [1, 2, NaN, NaN], [0.1, 0.1, NaN, NaN], 2],
    ['nothing but NaN is counted', [NaN, NaN], [NaN, NaN], 2],
    ['a mean that is not a number is counted', [1, NaN, 2], [0.1, 0.2, 0.1], 1],
  ])
    test(what, () => assert.equal(page.curvesOf(own, measured(y, e), {}).hidden, hidden));
});

describe('figures', () => {
  test('an error bar that reaches below zero widens a linear axis', () => {
    const own = figure({ y: { ...figure().y, logarithmic: false } }, [mark({ error: 'e' })]);
    const { curves } = page.curvesOf(
      own,
      { t: { columns: { x: [0, 1], y: [1, 2], e: [3, 0.1] } } },
      {},
    );
    assert.ok(page.rangesOf(own, curves).y[0] <= -2);
  });

  test('series keep their order and split the rows', () => {
    const own = figure({}, [mark({ series: 's', label: '{series}, simulated', colour: 'series' })]);
    const tables = {
      t: { columns: { x: [1, 1, 2, 2], y: [1, 2, 3, 4], s: ['a', 'b', 'a', 'b'] } },
    };
    const { curves } = page.curvesOf(own, tables, {});
    assert.deepEqual(
      curves.map((each) => each.name),
      ['a, simulated', 'b, simulated'],
    );
    assert.deepEqual(
      curves[0].points.map((each) => each.y),
      [1, 3],
    );
    assert.notEqual(curves[0].colour, curves[1].colour);
    assert.notEqual(curves[0].symbol, curves[1].symbol);
  });

  test('softmax is blue and linear vermilion also when they are series', () => {
    const own = figure({}, [mark({ series: 's', colour: 'series' })]);
    const tables = { t: { columns: { x: [1, 1], y: [1, 2], s: ['linear', 'softmax'] } } };
    const { curves } = page.curvesOf(own, tables, {});
    assert.deepEqual(
      curves.map((each) => each.colour),
      ['var(--c-linear)', 'var(--c-softmax)'],
    );
  });

  test('ranges only grow while a run is under way', () => {
    const wide = page.union({ x: [0, 5], y: [1, 9] }, { x: [1, 6], y: [2, 3] });
    assert.deepEqual(wide, { x: [0, 6], y: [1, 9] });
  });

  test('cells of a heat map touch, in ratios on a logarithmic axis', () => {
    const cells = page.edges([1, 10, 100], true);
    assert.ok(Math.abs(cells.get(1)[1] - cells.get(10)[0]) < 1e-9);
    assert.ok(Math.abs(cells.get(10)[1] - Math.sqrt(1000)) < 1e-9);
    assert.equal(page.edges([2], false).get(2).length, 2);
  });

  test('a heat map of one value, of NaN and of both signs has a ramp or none', () => {
    const of = (values) => page.rampOf(values.map((value) => ({ value })));
    assert.equal(of([NaN]), undefined);
    assert.ok(of([3]).high > of([3]).low);
    assert.deepEqual([of([-1, 2]).low, of([-1, 2]).high], [-2, 2]);
    assert.equal(page.rampColour(of([1, 2]), NaN), 'none');
  });
});
