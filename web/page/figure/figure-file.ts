/** A figure that stands alone: title, legend, axes, caption and background in one SVG. */
import type { Figure } from '../../lib/descriptor.ts';
import type { Texts } from '../state/texts.ts';
import type { Chart } from './chart.ts';
import type { Curve } from './curves.ts';
import { rampColours, rampOf } from './heat-map-ramp.ts';
import { formatNumber } from './format.ts';
import { legendOf, type LegendEntry } from './legend.ts';
import { widthOf, wrap } from './line-breaks.ts';
import { typesetSvg } from './pieces.ts';
import { symbolPath } from './symbols.ts';

const SVG = 'http://www.w3.org/2000/svg';
const LINE = 17;
/** What stands before a name in the legend. */
const KEY = 30;
/** Of the ramp of a heat map. */
const CELL = 20;

export interface FigureParts {
  readonly figure: Figure;
  readonly chart: Chart;
  readonly curves: readonly Curve[];
  /** What the legend says of earlier runs in the chart. */
  readonly earlier?: readonly LegendEntry[];
}

/** Its colours are custom properties still: see `resolveColours`. */
export function composeFigure(parts: FigureParts, title: string, texts: Texts): SVGElement {
  const width = Number(parts.chart.svg.getAttribute('width'));
  const height = Number(parts.chart.svg.getAttribute('height'));
  const out = document.createElementNS(SVG, 'svg');
  out.setAttribute('xmlns', SVG);
  out.setAttribute('font-family', 'system-ui, "Noto Sans", "Liberation Sans", sans-serif');
  out.setAttribute('font-size', '12');
  const margin = 16;
  let y = margin + 14;
  for (const line of wrap(title, width, 16, 600)) {
    text(out, line, margin, y, 'var(--ink)', 16, 600);
    y += 21;
  }
  for (const line of wrap(parts.figure.label, width, 13)) {
    text(out, line, margin, y, 'var(--ink-2)', 13);
    y += LINE + 2;
  }
  const entries = [...legendOf(parts.curves, texts), ...(parts.earlier ?? [])];
  y = drawLegend(out, entries, margin, y, width);
  y = drawRamp(out, parts.curves, margin, y, width);
  const chart = parts.chart.svg.cloneNode(true) as SVGSVGElement;
  chart.querySelector('.ring')?.remove();
  chart.setAttribute('x', String(margin));
  chart.setAttribute('y', String(y));
  chart.setAttribute('color', 'var(--ink-2)');
  out.append(chart);
  y += height + 22;
  for (const line of wrap(parts.figure.caption, width, 12)) {
    text(out, line, margin, y, 'var(--ink-2)', 12);
    y += LINE;
  }
  const total = { width: width + 2 * margin, height: y + margin - 8 };
  out.setAttribute('width', String(total.width));
  out.setAttribute('height', String(total.height));
  out.setAttribute('viewBox', `0 0 ${total.width} ${total.height}`);
  const ground = document.createElementNS(SVG, 'rect');
  ground.setAttribute('width', '100%');
  ground.setAttribute('height', '100%');
  ground.setAttribute('fill', 'var(--ground)');
  out.prepend(ground);
  return out;
}

/** Custom properties mean nothing in a file of its own: writes their values, '' for unknown ones. */
export function resolveColours(markup: string, valueOf: (name: string) => string): string {
  return markup.replace(/var\((--[\w-]+)\)/g, (whole, name: string) => valueOf(name) || whole);
}

function text(
  out: SVGElement,
  content: string,
  x: number,
  y: number,
  fill: string,
  size: number,
  weight = 400,
): void {
  const element = document.createElementNS(SVG, 'text');
  for (const [name, value] of Object.entries({
    x,
    y,
    fill,
    'font-size': size,
    'font-weight': weight,
  })) {
    element.setAttribute(name, String(value));
  }
  typesetSvg(element, content);
  out.append(element);
}

function drawLegend(
  out: SVGElement,
  entries: readonly LegendEntry[],
  margin: number,
  top: number,
  width: number,
): number {
  let x = margin;
  let y = top;
  for (const entry of entries) {
    const name = entry.standing ? `${entry.name} (${entry.standing})` : entry.name;
    const lines = wrap(name, width - KEY, 12);
    const wide = KEY + Math.max(...lines.map((line) => widthOf(line, 12))) + 14;
    if (x > margin && (x + wide > width + margin || lines.length > 1)) {
      x = margin;
      y += LINE;
    }
    drawKey(out, entry, x, y - 4);
    lines.forEach((line, place) => {
      text(out, line, x + KEY, y + place * LINE, 'var(--ink)', 12);
    });
    y += (lines.length - 1) * LINE;
    x += wide;
  }
  return y + 12;
}

function drawKey(out: SVGElement, entry: LegendEntry, x: number, y: number): void {
  const colour = entry.colour === 'currentColor' ? 'var(--ink-2)' : entry.colour;
  const path = document.createElementNS(SVG, 'path');
  path.setAttribute('transform', `translate(${x + 12} ${y})`);
  path.setAttribute('stroke', colour);
  path.setAttribute('fill', 'none');
  const lines: Record<string, string> = { dashed: '7 4', dotted: '2 3', pinned: '5 2' };
  if (entry.shape === 'dots') {
    path.setAttribute('d', symbolPath(entry.symbol));
    path.setAttribute('fill', colour);
  } else if (entry.shape === 'band' || entry.shape === 'bars') {
    path.setAttribute('d', entry.shape === 'bars' ? 'M-4 -5H4V5H-4Z' : 'M-11 -5H11V5H-11Z');
    path.setAttribute('fill', colour);
    path.setAttribute('opacity', entry.shape === 'band' ? '0.25' : '0.85');
  } else if (entry.shape === 'hatched') {
    path.setAttribute('d', 'M-10 5L-4 -5M-4 5L2 -5M2 5L8 -5M8 5L11 0');
  } else {
    path.setAttribute('d', entry.shape === 'arrow' ? 'M-10 0H9M4 -4L9 0L4 4' : 'M-11 0H11');
    path.setAttribute('stroke-width', entry.shape === 'thin' ? '1.25' : '2');
    const dash = lines[entry.shape];
    if (dash) path.setAttribute('stroke-dasharray', dash);
  }
  out.append(path);
}

function drawRamp(
  out: SVGElement,
  curves: readonly Curve[],
  margin: number,
  y: number,
  width: number,
): number {
  const map = curves.find((curve) => curve.mark.kind === 'heat-map');
  const ramp = map && rampOf(map.points);
  if (!map || !ramp) return y;
  const colours = rampColours(ramp);
  const high = formatNumber(ramp.high, 3);
  const room = width - CELL * colours.length - 18 - widthOf(high, 12);
  let top = y;
  let x = margin;
  for (const line of wrap(`${map.name}: ${formatNumber(ramp.low, 3)}`, width, 12)) {
    text(out, line, margin, top + 4, 'var(--ink)', 12);
    top += LINE;
    x = margin + widthOf(line, 12) + 12;
  }
  // Beside its name where there is room, else below it.
  if (x - margin - 12 <= room) top -= LINE;
  else x = margin;
  for (const colour of colours) {
    const cell = document.createElementNS(SVG, 'rect');
    for (const [name, value] of Object.entries({
      x,
      y: top - 6,
      width: CELL,
      height: 10,
      fill: colour,
    })) {
      cell.setAttribute(name, String(value));
    }
    out.append(cell);
    x += CELL;
  }
  text(out, high, x + 6, top + 4, 'var(--ink)', 12);
  return top + 16;
}
