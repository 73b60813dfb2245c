/**
 * From a figure's marks and the run's tables to curves: points with their error bars, one curve a
 * series, each with its colour, symbol and name. What an axis cannot show is counted, not lost.
 */
import type { Figure, Mark } from '../../lib/descriptor.ts';
import { column, numberAt, rowCount, type ColumnValues, type Tables } from '../run/tables.ts';
import { isShown, type Values } from '../state/values.ts';
import { colourOf, SYMBOLS } from './colours.ts';
import { formatNumber } from './format.ts';

export interface Point {
  /** A number, or the category of a text column. */
  readonly x: number | string;
  readonly y: number;
  /** One standard error of y; 0 when there is none, NaN when it was not measured. */
  readonly error: number;
  /** The band's edges, or the arrow's end; NaN when there are none. */
  readonly low: number;
  readonly high: number;
  readonly value: number;
}

export interface Curve {
  readonly mark: Mark;
  readonly name: string;
  readonly seriesName: string;
  /** The same in the language of the page. */
  readonly seriesLabel: string;
  /** Rank of the series in the figure. */
  readonly place: number;
  readonly colour: string;
  readonly symbol: (typeof SYMBOLS)[number];
  readonly points: readonly Point[];
}

export interface Curves {
  readonly curves: readonly Curve[];
  /** Points the axes cannot show: not a number, infinite, or not positive on a log axis. */
  readonly hidden: number;
  readonly total: number;
  readonly categories: readonly string[] | undefined;
}

/** say: a text of the tables in the language of the page. */
export function curvesOf(
  figure: Figure,
  tables: Tables,
  values: Values,
  say: (text: string) => string = (text) => text,
): Curves {
  const seriesNames = seriesOf(figure, tables, values);
  const curves: Curve[] = [];
  const categories: string[] = [];
  let hidden = 0;
  let total = 0;
  let hasText = false;
  for (const mark of figure.marks) {
    if (!isShown(mark.shownWhen, values)) continue;
    const rows = rowCount(tables[mark.table]);
    const xs = column(tables, mark.table, mark.x);
    const splits = column(tables, mark.table, mark.series);
    const groups = new Map<string, Point[]>();
    for (let row = 0; row < rows; row += 1) {
      const point = pointAt(mark, tables, xs, row);
      if (typeof point.x === 'string') {
        hasText = true;
        if (!categories.includes(point.x)) categories.push(point.x);
      }
      const name = splits ? seriesText(splits, row) : '';
      const group = groups.get(name) ?? [];
      groups.set(name, group);
      total += 1;
      group.push(point);
    }
    for (const [name, points] of groups) {
      hidden += lostOf(figure, mark, points);
      const place = seriesNames.indexOf(name);
      curves.push({
        mark,
        name: mark.label.replaceAll('{series}', say(name)) || say(name),
        seriesName: name,
        seriesLabel: say(name),
        place,
        colour: colourOf(mark.colour, place, name, twinsBefore(figure, mark)),
        symbol: SYMBOLS[Math.max(0, place) % SYMBOLS.length] ?? 'circle',
        points,
      });
    }
  }
  return { curves, hidden, total, categories: hasText ? categories : undefined };
}

/** Marks without a colour of their own are told apart where kind and role do not do it. */
function twinsBefore(figure: Figure, mark: Mark): number {
  const before = figure.marks.slice(0, figure.marks.indexOf(mark));
  const alike = (each: Mark): boolean =>
    !each.colour && each.kind === mark.kind && each.role === mark.role && each.label !== mark.label;
  return before.filter(alike).length;
}

function pointAt(mark: Mark, tables: Tables, xs: ColumnValues | undefined, row: number): Point {
  const x = xs?.[row];
  const number = (name: string): number => numberAt(column(tables, mark.table, name), row);
  const error = mark.error ? number(mark.error) : 0;
  return {
    x: typeof x === 'string' ? x : typeof x === 'number' ? x : NaN,
    y: number(mark.y),
    error,
    low: mark.low ? number(mark.low) : NaN,
    high: mark.high ? number(mark.high) : NaN,
    value: mark.value ? number(mark.value) : NaN,
  };
}

export function fits(value: number, logarithmic: boolean): boolean {
  return Number.isFinite(value) && (!logarithmic || value > 0);
}

/** Whether both axes can show the point. */
export function canShow(figure: Figure, mark: Mark, point: Point): boolean {
  if (typeof point.x === 'number' && !fits(point.x, figure.x.logarithmic)) return false;
  if (mark.kind === 'band') return !Number.isNaN(point.low) && !Number.isNaN(point.high);
  return fits(point.y, figure.y.logarithmic);
}

/**
 * How many points the reader misses. A theory that is undefined at some x (NaN) is a gap in its line
 * and is meant. So is a gap in a simulation where no error was measured either and the curve goes
 * on behind it; a curve that ends in what is not a number has gone wrong.
 */
function lostOf(figure: Figure, mark: Mark, points: readonly Point[]): number {
  const shown = points.map((point) => canShow(figure, mark, point));
  const last = shown.lastIndexOf(true);
  return points.filter((point, index) => {
    if (shown[index]) return false;
    if (!Number.isNaN(point.y)) return true;
    return mark.role === 'simulation' && !(index < last && Number.isNaN(point.error));
  }).length;
}

function seriesText(values: ColumnValues, row: number): string {
  const value = values[row];
  return typeof value === 'number' ? formatNumber(value) : String(value ?? '');
}

/**
 * The series of all marks, in the order of their first rows; a hatched area comes last, since it may
 * hold only some of them.
 */
function seriesOf(figure: Figure, tables: Tables, values: Values): string[] {
  const names: string[] = [];
  const late = (mark: Mark): number => (mark.role === 'undefined' ? 1 : 0);
  for (const mark of [...figure.marks].sort((a, b) => late(a) - late(b))) {
    const splits = column(tables, mark.table, mark.series);
    if (!splits || !isShown(mark.shownWhen, values)) continue;
    for (let row = 0; row < splits.length; row += 1) {
      const name = seriesText(splits, row);
      if (!names.includes(name)) names.push(name);
    }
  }
  return names;
}
