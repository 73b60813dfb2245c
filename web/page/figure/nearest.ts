/** The point under the pointer, and what to say of it. */
import type { Axis, Descriptor, Figure } from '../../lib/descriptor.ts';
import type { Texts } from '../state/texts.ts';
import type { Chart } from './chart.ts';
import type { Curve } from './curves.ts';
import { formatNumber } from './format.ts';

export interface Found {
  readonly curve: Curve;
  readonly index: number;
  readonly x: number;
  readonly y: number;
}

/** Distances along x weigh less than along y is not assumed: the nearest by eye wins. */
export function nearest(
  chart: Chart,
  curves: readonly Curve[],
  x: number,
  y: number,
): Found | undefined {
  let best: Found | undefined;
  let least = 40 ** 2;
  for (const curve of curves) {
    if (curve.mark.kind === 'band') continue;
    for (let index = 0; index < curve.points.length; index += 1) {
      const at = chart.place(curve, index);
      if (!at || !inFrame(chart, at)) continue;
      const distance = (at.x - x) ** 2 + (at.y - y) ** 2;
      // A measured point wins over the line that runs through it.
      const bonus = curve.mark.kind === 'dots' ? 0.8 : 1;
      if (distance * bonus >= least) continue;
      least = distance * bonus;
      best = { curve, index, ...at };
    }
  }
  return best;
}

function inFrame({ frame }: Chart, { x, y }: { x: number; y: number }): boolean {
  return x >= frame.left - 1 && x <= frame.right + 1 && y >= frame.top - 1 && y <= frame.bottom + 1;
}

/** All points that the keyboard can walk through, curve by curve, from left to right. */
export function walk(chart: Chart, curves: readonly Curve[]): Found[] {
  const found: Found[] = [];
  for (const curve of curves) {
    if (curve.mark.kind === 'band') continue;
    curve.points.forEach((_, index) => {
      const at = chart.place(curve, index);
      if (at && inFrame(chart, at)) found.push({ curve, index, ...at });
    });
  }
  return found;
}

/** The same point, in another drawing or another run of its curve. */
export function sameFound(a: Found, b: Found | undefined): boolean {
  return (
    a.index === b?.index &&
    a.curve.name === b.curve.name &&
    a.curve.mark.kind === b.curve.mark.kind &&
    a.curve.points[a.index]?.x === b.curve.points[b.index]?.x
  );
}

export interface Reading {
  readonly title: string;
  readonly lines: readonly (readonly [string, string])[];
}

export function readingOf(figure: Figure, found: Found, texts: Texts): Reading {
  const point = found.curve.points[found.index];
  if (!point) return { title: found.curve.name, lines: [] };
  const { mark } = found.curve;
  const x = typeof point.x === 'string' ? texts.cell(point.x) : formatNumber(point.x, 6);
  const y = point.error
    ? `${formatNumber(point.y, 5)} ± ${formatNumber(point.error, 2)}`
    : formatNumber(point.y, 6);
  const lines: [string, string][] = [
    [axisShort(figure.x), x],
    [axisShort(figure.y), y],
  ];
  if (mark.kind === 'heat-map') lines.push([found.curve.name, formatNumber(point.value, 5)]);
  if (mark.kind === 'arrows') {
    lines.push([
      texts.t('figure.to'),
      `${formatNumber(point.low, 4)}, ${formatNumber(point.high, 4)}`,
    ]);
  }
  return { title: found.curve.name, lines };
}

function axisShort(axis: Axis): string {
  return axis.symbol || axis.label;
}

/** One sentence for those who do not see the figure. */
export function describe(
  descriptor: Descriptor,
  figure: Figure,
  curves: readonly Curve[],
  texts: Texts,
): string {
  const names = [...new Set(curves.map((curve) => curve.name))].slice(0, 12).join('; ');
  return texts.t('figure.description', {
    title: descriptor.title,
    figure: figure.label,
    x: figure.x.label,
    y: figure.y.label,
    curves: names,
  });
}
