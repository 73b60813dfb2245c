/** Dragging over a figure with a mouse or pen zooms into the rectangle; a double click leaves it. */
import type { Range, Ranges } from './domain.ts';
import type { FigureElement } from './figure.ts';

const LEAST_PIXELS = 8;
/** Of the numbers of an axis, the part that it must span: closer ticks could not be told apart. */
const LEAST_SPAN = 2e-4;

export class FigureZoom {
  ranges: Ranges | undefined;
  private from: { x: number; y: number } | undefined;
  private to: { x: number; y: number } | undefined;
  private frame: SVGRectElement | undefined;

  constructor(private readonly host: FigureElement) {}

  /** A finger scrolls the page; only a mouse or a pen draws a rectangle. */
  begin(event: PointerEvent, x: number, y: number): void {
    const { chart } = this.host;
    if (event.pointerType === 'touch' || event.button !== 0 || !chart || this.host.small) return;
    if (this.host.shownCurves.some((curve) => curve.points.some((p) => typeof p.x === 'string')))
      return;
    // A release outside the figure ends the rectangle too.
    (event.currentTarget as Element).setPointerCapture(event.pointerId);
    this.from = { x, y };
    this.to = undefined;
  }

  /** True while a rectangle is being drawn. */
  move(x: number, y: number): boolean {
    const { chart } = this.host;
    if (!this.from || !chart) return false;
    const far = Math.hypot(x - this.from.x, y - this.from.y) > LEAST_PIXELS;
    if (!far && !this.to) return false;
    x = Math.min(chart.frame.right, Math.max(chart.frame.left, x));
    y = Math.min(chart.frame.bottom, Math.max(chart.frame.top, y));
    this.to = { x, y };
    this.frame ??= document.createElementNS('http://www.w3.org/2000/svg', 'rect');
    this.frame.setAttribute('class', 'zoom-frame');
    this.frame.setAttribute('x', String(Math.min(x, this.from.x)));
    this.frame.setAttribute('y', String(Math.min(y, this.from.y)));
    this.frame.setAttribute('width', String(Math.abs(x - this.from.x)));
    this.frame.setAttribute('height', String(Math.abs(y - this.from.y)));
    if (this.frame.parentNode !== chart.svg) chart.svg.append(this.frame);
    return true;
  }

  end(): void {
    const { from, to } = this;
    const { chart } = this.host;
    this.drop();
    if (!from || !to || !chart) return;
    if (Math.abs(to.x - from.x) < LEAST_PIXELS || Math.abs(to.y - from.y) < LEAST_PIXELS) return;
    const a = chart.invert(Math.min(from.x, to.x), Math.max(from.y, to.y));
    const b = chart.invert(Math.max(from.x, to.x), Math.min(from.y, to.y));
    this.ranges = { x: wideEnough(a.x, b.x), y: wideEnough(a.y, b.y) };
    this.host.requestUpdate();
  }

  drop(): void {
    this.from = undefined;
    this.to = undefined;
    this.frame?.remove();
    this.frame = undefined;
  }

  clear(): void {
    if (!this.ranges) return;
    this.ranges = undefined;
    this.host.requestUpdate();
  }
}

export function wideEnough(low: number, high: number): Range {
  const missing = LEAST_SPAN * Math.max(Math.abs(low), Math.abs(high)) - (high - low);
  return missing > 0 ? [low - missing / 2, high + missing / 2] : [low, high];
}
