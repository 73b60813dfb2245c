/**
 * A point of the figure that the reader drags, by mouse, pen or finger: its coordinates are two of
 * the experiment's parameters, whose sliders do the same for the keyboard.
 */
import type { Parameter } from '../../lib/descriptor.ts';
import type { FigureElement } from './figure.ts';

const REACH = 18; // pixels
const SVG = 'http://www.w3.org/2000/svg';

export class FigureHandle {
  private pointer: number | undefined;
  private waiting: { x: number; y: number } | undefined;
  private ring: SVGCircleElement | undefined;

  constructor(private readonly host: FigureElement) {}

  /** True when the pointer took hold of the point. */
  begin(event: PointerEvent, x: number, y: number): boolean {
    const at = this.place();
    if (!at || event.button !== 0 || Math.hypot(x - at.x, y - at.y) > REACH) return false;
    this.pointer = event.pointerId;
    (event.currentTarget as Element).setPointerCapture(event.pointerId);
    event.preventDefault();
    return true;
  }

  /** True while the point is being dragged. The run follows once a frame. */
  move(x: number, y: number): boolean {
    if (this.pointer === undefined) return false;
    if (!this.waiting) requestAnimationFrame(() => this.apply());
    this.waiting = { x, y };
    this.ring?.setAttribute('cx', String(x));
    this.ring?.setAttribute('cy', String(y));
    return true;
  }

  end(): void {
    this.pointer = undefined;
  }

  /** Drawn anew with each chart. */
  draw(): void {
    const at = this.pointer === undefined ? this.place() : this.waiting;
    const svg = this.host.chart?.svg;
    if (!at || !svg || this.host.small) return;
    this.ring = document.createElementNS(SVG, 'circle');
    this.ring.setAttribute('class', 'handle');
    this.ring.setAttribute('cx', String(at.x));
    this.ring.setAttribute('cy', String(at.y));
    this.ring.setAttribute('r', '9');
    svg.append(this.ring);
  }

  private get parameters(): { x: Parameter; y: Parameter } | undefined {
    const { handle } = this.host.figure;
    const named = (name: string): Parameter | undefined =>
      this.host.session.descriptor.parameters.find((each) => each.name === name);
    const [x, y] = [named(handle.x), named(handle.y)];
    return x && y ? { x, y } : undefined;
  }

  private place(): { x: number; y: number } | undefined {
    const { parameters } = this;
    if (!parameters) return undefined;
    const { values } = this.host.session;
    return this.host.chart?.at(
      Number(values[parameters.x.name]),
      Number(values[parameters.y.name]),
    );
  }

  private apply(): void {
    const { parameters, waiting } = this;
    const { chart, session } = this.host;
    this.waiting = undefined;
    if (!parameters || !waiting || !chart) return;
    const to = chart.invert(waiting.x, waiting.y);
    session.setAll({
      [parameters.x.name]: allowed(parameters.x, to.x),
      [parameters.y.name]: allowed(parameters.y, to.y),
    });
  }
}

/** The nearest value that the parameter's slider has too. */
function allowed({ minimum, maximum, step }: Parameter, value: number): number {
  const on = step > 0 ? minimum + Math.round((value - minimum) / step) * step : value;
  return Number(Math.min(maximum, Math.max(minimum, on)).toPrecision(12));
}
