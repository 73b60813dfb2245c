/** Plot marks of curves: theory a line, simulation dots with error bars, a bound dashed. */
import * as Plot from '@observablehq/plot';
import type { Figure } from '../../lib/descriptor.ts';
import { fits, type Curve, type Curves, type Point } from './curves.ts';
import type { Range, Ranges } from './domain.ts';
import { heatMapMarks } from './heat-map.ts';

/** Another run under or beside the current one. */
export interface Layer {
  readonly kind: 'ghost' | 'pin';
  readonly curves: readonly Curve[];
}

interface Place {
  readonly figure: Figure;
  readonly ranges: Ranges;
  readonly categories: readonly string[] | undefined;
  readonly hatch: string;
}

export function marksOf(
  figure: Figure,
  current: Curves,
  layers: readonly Layer[],
  ranges: Ranges,
  hatch: string,
): Plot.Markish[] {
  const place: Place = { figure, ranges, categories: current.categories, hatch };
  const under = layers.flatMap((layer) =>
    layer.curves.flatMap((curve) => curveMarks(curve, place, layer.kind)),
  );
  // Areas first, then lines, then dots: nothing hides a measured point.
  const order = { 'heat-map': 0, band: 1, bars: 2, arrows: 3, line: 4, dots: 5 } as const;
  const sorted = [...current.curves].sort((a, b) => order[a.mark.kind] - order[b.mark.kind]);
  const bars = current.curves.filter((curve) => curve.mark.kind === 'bars');
  return [...under, ...sorted.flatMap((curve) => curveMarks(curve, place, undefined, bars))];
}

const OPACITY = { ghost: 0.28, pin: 0.6 } as const;

function curveMarks(
  curve: Curve,
  place: Place,
  layer: Layer['kind'] | undefined,
  bars: readonly Curve[] = [curve],
): Plot.Markish[] {
  const opacity = layer ? OPACITY[layer] : 1;
  switch (curve.mark.kind) {
    case 'heat-map':
      return layer ? [] : heatMapMarks(curve, place.figure, (point) => xOf(point, place));
    case 'band':
      return bandMarks(curve, place, opacity);
    case 'bars':
      return barMarks(curve, place, opacity, bars);
    case 'arrows':
      return layer ? [] : arrowMarks(curve, place);
    case 'line':
      return [lineMark(curve, place, layer, opacity)];
    case 'dots':
      return dotMarks(curve, place, layer, opacity);
  }
}

export function xOf(point: Point, place: Pick<Place, 'figure' | 'categories'>): number {
  if (typeof point.x === 'string') return place.categories?.indexOf(point.x) ?? NaN;
  return fits(point.x, place.figure.x.logarithmic) ? point.x : NaN;
}

function yOf(y: number, { figure }: Place): number {
  return fits(y, figure.y.logarithmic) ? y : NaN;
}

function lineMark(
  curve: Curve,
  place: Place,
  layer: Layer['kind'] | undefined,
  strokeOpacity: number,
): Plot.Markish {
  const { role } = curve.mark;
  const dash =
    role === 'bound' ? '7 4' : role === 'reference' ? '2 4' : layer === 'pin' ? '5 2' : '';
  return Plot.line(curve.points, {
    x: (point: Point) => xOf(point, place),
    y: (point: Point) => yOf(point.y, place),
    stroke: curve.colour,
    strokeWidth: role === 'simulation' || role === 'reference' ? 1.5 : 2,
    strokeOpacity,
    ...(dash ? { strokeDasharray: dash } : {}),
    strokeLinejoin: 'round',
    strokeLinecap: dash ? 'butt' : 'round',
    clip: true,
  });
}

function dotMarks(
  curve: Curve,
  place: Place,
  layer: Layer['kind'] | undefined,
  opacity: number,
): Plot.Markish[] {
  // Whole dots, also on the frame itself: what lies outside is left out, not clipped.
  const shown = curve.points.filter(
    (point) =>
      within(xOf(point, place), place.ranges.x) && within(yOf(point.y, place), place.ranges.y),
  );
  const dots = Plot.dot(shown, {
    x: (point: Point) => xOf(point, place),
    y: (point: Point) => yOf(point.y, place),
    symbol: curve.symbol,
    r: curve.points.length > 200 ? 2 : 3.5,
    ...(layer ? { stroke: curve.colour, fill: 'none' } : { fill: curve.colour }),
    ...(isOpen(curve.symbol) ? { stroke: curve.colour, strokeWidth: 1.5 } : {}),
    opacity,
  });
  if (layer || !curve.mark.error) return [dots];
  const bars = Plot.ruleX(
    curve.points.filter((point) => point.error > 0),
    {
      x: (point: Point) => xOf(point, place),
      // On a logarithmic axis a bar that reaches zero runs down to the frame.
      y1: (point: Point) => yOf(point.y - point.error, place) || place.ranges.y[0],
      y2: (point: Point) => yOf(point.y + point.error, place),
      stroke: curve.colour,
      strokeWidth: 1.25,
      clip: true,
    },
  );
  return [bars, dots];
}

function within(value: number, [low, high]: Range): boolean {
  return value >= low && value <= high;
}

function isOpen(symbol: Curve['symbol']): boolean {
  return symbol === 'plus' || symbol === 'times' || symbol === 'star';
}

function bandMarks(curve: Curve, place: Place, opacity: number): Plot.Markish[] {
  const hatched = curve.mark.role === 'undefined';
  const floor = place.ranges.y[0];
  const common = {
    x: (point: Point) => xOf(point, place),
    y1: (point: Point) => (place.figure.y.logarithmic ? Math.max(point.low, floor) : point.low),
    y2: (point: Point) => point.high,
    clip: true,
  };
  if (!hatched) {
    return [
      Plot.areaY(curve.points, { ...common, fill: curve.colour, fillOpacity: 0.16 * opacity }),
    ];
  }
  return [
    Plot.areaY(curve.points, { ...common, fill: place.hatch, fillOpacity: 0.5 * opacity }),
    Plot.areaY(curve.points, { ...common, fill: curve.colour, fillOpacity: 0.06 * opacity }),
  ];
}

function barMarks(
  curve: Curve,
  place: Place,
  opacity: number,
  bars: readonly Curve[],
): Plot.Markish[] {
  const base = place.figure.y.logarithmic ? place.ranges.y[0] : 0;
  const width = barWidth(bars, place);
  const share = width / bars.length;
  const offset = -width / 2 + share * Math.max(0, bars.indexOf(curve));
  const hatched = curve.mark.role === 'undefined';
  const rectangles = Plot.rect(curve.points, {
    x1: (point: Point) => xOf(point, place) + offset,
    x2: (point: Point) => xOf(point, place) + offset + share * 0.92,
    y1: () => base,
    y2: (point: Point) => yOf(point.y, place),
    fill: hatched ? place.hatch : curve.colour,
    fillOpacity: opacity * 0.85,
    clip: true,
  });
  if (!curve.mark.error) return [rectangles];
  const errors = Plot.ruleX(
    curve.points.filter((point) => point.error > 0),
    {
      x: (point: Point) => xOf(point, place) + offset + share * 0.46,
      y1: (point: Point) => yOf(point.y - point.error, place) || base,
      y2: (point: Point) => yOf(point.y + point.error, place),
      stroke: 'var(--ink)',
      strokeWidth: 1.25,
      clip: true,
    },
  );
  return [rectangles, errors];
}

/** Four fifths of the smallest gap between neighbours. */
function barWidth(bars: readonly Curve[], place: Place): number {
  const xs = [...new Set(bars.flatMap((bar) => bar.points.map((point) => xOf(point, place))))]
    .filter(Number.isFinite)
    .sort((a, b) => a - b);
  const gaps = xs.slice(1).map((x, i) => x - (xs[i] as number));
  return 0.8 * (gaps.length ? Math.min(...gaps) : 1);
}

function arrowMarks(curve: Curve, place: Place): Plot.Markish[] {
  return [
    Plot.arrow(curve.points, {
      x1: (point: Point) => xOf(point, place),
      y1: (point: Point) => yOf(point.y, place),
      x2: (point: Point) => point.low,
      y2: (point: Point) => point.high,
      stroke: curve.colour,
      strokeWidth: 1.1,
      strokeOpacity: 0.7,
      headLength: 5,
      clip: true,
    }),
  ];
}
