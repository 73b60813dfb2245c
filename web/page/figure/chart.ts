/**
 * A figure as SVG: Observable Plot draws the marks inside ranges and ticks that are given to it, a
 * few at a time.
 */
import * as Plot from '@observablehq/plot';
import type { Axis, Figure } from '../../lib/descriptor.ts';
import type { Curve, Curves } from './curves.ts';
import { ticksOf, type Range, type Ranges } from './domain.ts';
import { formatNumber, superscript } from './format.ts';
import { placeEndLabels, roomForEndLabels } from './end-labels.ts';
import { hatchPattern } from './hatch.ts';
import { marksOf, type Layer } from './marks.ts';
import { addText } from './svg-text.ts';

export interface ChartInput {
  readonly figure: Figure;
  readonly current: Curves;
  readonly layers: readonly Layer[];
  readonly ranges: Ranges;
  readonly width: number;
  readonly height: number;
  /** Says the same as the figure in one sentence, for those who do not see it. */
  readonly description: string;
  readonly small?: boolean;
  /** A text of the tables in the language of the page. */
  readonly say: (text: string) => string;
  /** Its fonts. */
  readonly sans?: string;
}

export interface Chart {
  readonly svg: SVGSVGElement;
  /** From data to pixels; undefined where the point has no place. */
  readonly place: (curve: Curve, index: number) => { x: number; y: number } | undefined;
  readonly at: (x: number, y: number) => { x: number; y: number };
  readonly invert: (x: number, y: number) => { x: number; y: number };
  readonly frame: { left: number; right: number; top: number; bottom: number };
}

const MARKS_A_STEP = 4;
const MOST_DIGITS = 12;

let charts = 0;

/** One step draws a few marks. */
export function* drawChart(input: ChartInput): Generator<undefined, Chart> {
  const { figure, current, ranges, width, height, small } = input;
  const id = `chart-${(charts += 1)}`;
  const endLabels = small ? [] : roomForEndLabels(current.curves, width, input.sans);
  const frame = frameOf(
    input,
    endLabels.length > 0 ? Math.max(...endLabels.map((e) => e.width)) : 0,
  );
  yield;
  const svg = plot(input, frame, axisMarks(input, frame));
  yield;
  const marks = marksOf(figure, current, input.layers, ranges, `url(#${id}-hatch)`);
  for (let first = 0; first < marks.length; first += MARKS_A_STEP) {
    const part = plot(input, frame, marks.slice(first, first + MARKS_A_STEP));
    part.querySelector('style')?.remove();
    svg.append(...part.childNodes);
    yield;
  }
  // Plot's own style element would need 'unsafe-inline'; its rules stand in figure.css.
  svg.querySelector('style')?.remove();
  // The picture has one name; its groups are not parts that a reader could visit.
  for (const group of svg.querySelectorAll('g[aria-label]')) group.removeAttribute('aria-label');
  svg.prepend(hatchPattern(`${id}-hatch`));
  svg.setAttribute('role', 'img');
  addAxisNames(svg, figure, frame, height);
  const scaleX = plotScale(svg, 'x');
  const scaleY = plotScale(svg, 'y');
  placeEndLabels(svg, endLabels, frame, (curve, index) => placeOf(curve, index));
  const at = (x: number, y: number): { x: number; y: number } => ({ x: scaleX(x), y: scaleY(y) });
  return { svg, place: placeOf, at, invert: invertFrom(figure, ranges, frame), frame };

  function placeOf(curve: Curve, index: number): { x: number; y: number } | undefined {
    const point = curve.points[index];
    if (!point) return undefined;
    const px =
      typeof point.x === 'string' ? (current.categories?.indexOf(point.x) ?? NaN) : point.x;
    const py = curve.mark.kind === 'band' ? point.high : point.y;
    const x = scaleX(px);
    const y = scaleY(py);
    return Number.isFinite(x) && Number.isFinite(y) ? { x, y } : undefined;
  }
}

function plot(
  { figure, ranges, width, height, description }: ChartInput,
  frame: Chart['frame'],
  marks: Plot.Markish[],
): SVGSVGElement {
  return Plot.plot({
    width,
    height,
    marginLeft: frame.left,
    marginRight: width - frame.right,
    marginTop: frame.top,
    marginBottom: height - frame.bottom,
    className: 'chart',
    ariaLabel: figure.label,
    ariaDescription: description,
    x: { type: figure.x.logarithmic ? 'log' : 'linear', domain: [...ranges.x], axis: null },
    y: { type: figure.y.logarithmic ? 'log' : 'linear', domain: [...ranges.y], axis: null },
    marks,
  }) as SVGSVGElement;
}

function axisMarks(input: ChartInput, frame: Chart['frame']): Plot.Markish[] {
  const { figure, ranges } = input;
  const { categories } = input.current;
  const xTicks = tickValues(figure.x, ranges.x, (frame.right - frame.left) / 72, categories);
  const yTicks = ticksOf(figure.y, ranges.y, (frame.bottom - frame.top) / 44);
  const xFormat = categories
    ? (index: number): string => shortCategory(input.say(categories[index] ?? ''))
    : tickFormat(figure.x, xTicks);
  return [
    Plot.gridY(yTicks, { stroke: 'var(--hairline)', strokeOpacity: 0.7 }),
    // As text: on a logarithmic axis Plot would leave out labels of its own choosing.
    Plot.axisX(xTicks, { tickSize: 4, label: null, text: xFormat }),
    Plot.axisY(yTicks, { tickSize: 0, label: null, text: tickFormat(figure.y, yTicks) }),
    Plot.ruleY([ranges.y[0]], { stroke: 'var(--ink-3)' }),
  ];
}

function plotScale(svg: SVGSVGElement, name: 'x' | 'y'): (value: number) => number {
  const scale = (svg as unknown as Plot.Plot).scale(name);
  return (value) => Number(scale?.apply(value));
}

function invertFrom(figure: Figure, ranges: Ranges, frame: Chart['frame']): Chart['invert'] {
  const along = (axis: Axis, [low, high]: Range, share: number): number =>
    axis.logarithmic ? low * (high / low) ** share : low + (high - low) * share;
  return (x, y) => ({
    x: along(figure.x, ranges.x, (x - frame.left) / (frame.right - frame.left)),
    y: along(figure.y, ranges.y, (frame.bottom - y) / (frame.bottom - frame.top)),
  });
}

function frameOf(input: ChartInput, endWidth: number): Chart['frame'] {
  const { width, height, small } = input;
  const yLabels = ticksOf(input.figure.y, input.ranges.y, 8);
  const longest = Math.max(
    ...yLabels.map((tick) => tickFormat(input.figure.y, yLabels)(tick).length),
  );
  const left = Math.min(88, Math.max(small ? 28 : 40, 14 + longest * 7));
  const right = width - Math.max(14, endWidth ? endWidth + 18 : 0);
  return { left, right, top: small ? 24 : 30, bottom: height - (small ? 38 : 46) };
}

function tickValues(
  axis: Axis,
  range: Range,
  room: number,
  categories: readonly string[] | undefined,
): number[] {
  if (!categories) return ticksOf(axis, range, room);
  const stride = Math.ceil(categories.length / Math.max(1, room * 1.4));
  return categories.map((_, index) => index).filter((index) => index % stride === 0);
}

function shortCategory(name: string): string {
  return name.length > 12 ? `${name.slice(0, 11)}…` : name;
}

export function tickFormat(axis: Axis, ticks: readonly number[]): (value: number) => string {
  const extreme = ticks.some(
    (tick) => tick !== 0 && (Math.abs(tick) >= 1e5 || Math.abs(tick) < 1e-3),
  );
  const powers = axis.logarithmic && ticks.every((tick) => isPower(tick)) && extreme;
  if (powers) return (value) => `10${superscript(Math.round(Math.log10(value)))}`;
  // As many digits as tell the ticks apart.
  let digits = 6;
  const isTold = (): boolean =>
    new Set(ticks.map((tick) => formatNumber(tick, digits))).size === ticks.length;
  while (digits < MOST_DIGITS && !isTold()) digits += 1;
  return (value) => formatNumber(value, digits);
}

function isPower(value: number): boolean {
  return Math.abs(Math.log10(value) - Math.round(Math.log10(value))) < 1e-9;
}

export function axisName(axis: Axis): string {
  const unit = axis.unit && axis.unit !== axis.label ? axis.unit : '';
  const repeated = unit && axis.label.toLowerCase().includes(unit.toLowerCase());
  return `${axis.label}${axis.symbol ? `, ${axis.symbol}` : ''}${unit && !repeated ? ` (${unit})` : ''}`;
}

function addAxisNames(
  svg: SVGSVGElement,
  figure: Figure,
  frame: Chart['frame'],
  height: number,
): void {
  const middle = (frame.left + frame.right) / 2;
  addText(svg, axisName(figure.x), middle, height - 6, 'middle', 'axis-name');
  addText(svg, axisName(figure.y), 0, 12, 'start', 'axis-name');
}
