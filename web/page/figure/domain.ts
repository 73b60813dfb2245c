/** The axes' ranges: wide enough for all that can be shown, never empty, never jumping in a run. */
import type { Axis, Figure } from '../../lib/descriptor.ts';
import { edges } from './cells.ts';
import { canShow, fits, type Curve, type Point } from './curves.ts';

export type Range = readonly [number, number];

export interface Ranges {
  readonly x: Range;
  readonly y: Range;
}

/** How far below the largest value a logarithmic axis follows the data, in decades. */
const MAXIMUM_DECADES = 40;

export function rangesOf(figure: Figure, curves: readonly Curve[]): Ranges {
  const x = new Extent(figure.x.logarithmic);
  const y = new Extent(figure.y.logarithmic);
  for (const { mark, points } of curves) {
    if (mark.kind === 'heat-map') {
      addCells(x, points.map(numericX), figure.x.logarithmic);
      addCells(
        y,
        points.map((point) => point.y),
        figure.y.logarithmic,
      );
      continue;
    }
    if (mark.kind === 'bars') addCells(x, points.map(numericX), figure.x.logarithmic);
    for (const point of points) {
      if (!canShow(figure, mark, point)) continue;
      if (typeof point.x === 'number') x.add(point.x);
      if (mark.kind === 'band') {
        y.add(point.low);
        y.add(point.high);
        continue;
      }
      y.add(point.y);
      if (mark.kind === 'arrows') {
        x.add(point.low);
        y.add(point.high);
      } else {
        y.add(point.y - point.error);
        y.add(point.y + point.error);
      }
      if (mark.kind === 'bars' && !figure.y.logarithmic) y.add(0);
    }
  }
  const cells = curves.length > 0 && curves.every(({ mark }) => mark.kind === 'heat-map');
  return { x: x.range(cells ? 0 : 0.03), y: y.range(cells ? 0 : 0.06) };
}

/** Categories stand at whole numbers. */
export function categoryRange(count: number): Range {
  return [-0.6, Math.max(0, count - 1) + 0.6];
}

function numericX(point: Point): number {
  return typeof point.x === 'number' ? point.x : NaN;
}

function addCells(extent: Extent, values: readonly number[], logarithmic: boolean): void {
  for (const [low, high] of edges(values, logarithmic).values()) {
    extent.add(low);
    extent.add(high);
  }
}

class Extent {
  private low = Infinity;
  private high = -Infinity;

  constructor(private readonly logarithmic: boolean) {}

  add(value: number): void {
    if (!fits(value, this.logarithmic)) return;
    this.low = Math.min(this.low, value);
    this.high = Math.max(this.high, value);
  }

  range(margin: number): Range {
    if (this.low > this.high) return this.logarithmic ? [1, 10] : [0, 1];
    if (this.logarithmic) return this.logRange(margin);
    const span = this.high - this.low;
    const pad = span > 0 ? span * margin : Math.abs(this.high) * 0.5 || 1;
    // Zero is a natural edge: data that begins there is not pushed off it.
    const low = this.low === 0 && span > 0 ? 0 : this.low - pad;
    const high = this.high === 0 && span > 0 ? 0 : this.high + pad;
    return [low, high];
  }

  private logRange(margin: number): Range {
    const high = Math.log10(this.high);
    const low = Math.max(Math.log10(this.low), high - MAXIMUM_DECADES);
    const pad = high > low ? (high - low) * margin : 0.5;
    return [10 ** (low - pad), 10 ** (high + pad)];
  }
}

export function union(a: Ranges | undefined, b: Ranges): Ranges {
  if (!a) return b;
  return { x: join(a.x, b.x), y: join(a.y, b.y) };
}

function join(a: Range, b: Range): Range {
  return [Math.min(a[0], b[0]), Math.max(a[1], b[1])];
}

const MOST_TICKS = 9;

/** Ticks of an axis: decades where they fit, else 1-2-5 steps. */
export function ticksOf(axis: Axis, [low, high]: Range, room: number): number[] {
  const make = axis.logarithmic ? logTicks : linearTicks;
  let wanted = Math.max(2, Math.min(MOST_TICKS, Math.floor(room)));
  let ticks = make(low, high, wanted);
  // One number alone gives no scale.
  while (ticks.length < 2 && wanted < MOST_TICKS) ticks = make(low, high, ++wanted);
  return ticks;
}

function linearTicks(low: number, high: number, wanted: number): number[] {
  const rough = (high - low) / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5, 10].find((each) => each * power >= rough) ?? 10) * power;
  const ticks: number[] = [];
  for (let at = Math.ceil(low / step); at * step <= high && ticks.length < 50; at += 1) {
    ticks.push(Number((at * step).toPrecision(12)));
  }
  return ticks;
}

function logTicks(low: number, high: number, wanted: number): number[] {
  const first = Math.ceil(Math.log10(low) - 1e-9);
  const last = Math.floor(Math.log10(high) + 1e-9);
  const decades = last - first + 1;
  if (decades > wanted) {
    const stride = Math.ceil(decades / wanted);
    const ticks: number[] = [];
    for (let power = Math.ceil(first / stride) * stride; power <= last; power += stride) {
      ticks.push(10 ** power);
    }
    return ticks;
  }
  const factors = decades * 3 <= wanted ? [1, 2, 5] : [1];
  const ticks: number[] = [];
  for (let power = first - 1; power <= last + 1; power += 1) {
    for (const factor of factors) {
      const tick = Number((factor * 10 ** power).toPrecision(6));
      if (tick >= low && tick <= high) ticks.push(tick);
    }
  }
  return ticks.length > 1
    ? ticks
    : linearTicks(low, high, Math.min(wanted, 4)).filter((t) => t > 0);
}
