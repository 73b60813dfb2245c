/** A heat map: cells between the mid-points of neighbouring values, a colour-blind-safe ramp. */
import * as Plot from '@observablehq/plot';
import type { Figure } from '../../lib/descriptor.ts';
import { edges } from './cells.ts';
import type { Curve, Point } from './curves.ts';
import { rampColour, rampOf } from './heat-map-ramp.ts';

export function heatMapMarks(
  curve: Curve,
  figure: Figure,
  xOf: (point: Point) => number,
): Plot.Markish[] {
  const ramp = rampOf(curve.points);
  if (!ramp) return [];
  const x = edges(curve.points.map(xOf), figure.x.logarithmic);
  const y = edges(
    curve.points.map((point) => point.y),
    figure.y.logarithmic,
  );
  return [
    Plot.rect(curve.points, {
      x1: (point: Point) => x.get(xOf(point))?.[0] ?? NaN,
      x2: (point: Point) => x.get(xOf(point))?.[1] ?? NaN,
      y1: (point: Point) => y.get(point.y)?.[0] ?? NaN,
      y2: (point: Point) => y.get(point.y)?.[1] ?? NaN,
      fill: { value: (point: Point) => rampColour(ramp, point.value), scale: null },
      inset: 0,
      // Else the seams between cells show through.
      shapeRendering: 'crispEdges',
      clip: true,
    }),
  ];
}
