/** The point that is read: under the pointer, under the last tap, or where the arrow keys have gone. */
import { html, nothing, type TemplateResult } from 'lit';
import { keyed } from 'lit/directives/keyed.js';
import { isForBrowser } from '../view/keys.ts';
import type { FigureElement } from './figure.ts';
import { nearest, readingOf, sameFound, walk } from './nearest.ts';
import { typeset } from './typeset.ts';

const STEPS: Readonly<Record<string, number>> = {
  ArrowRight: 1,
  ArrowLeft: -1,
  Home: -Infinity,
  End: Infinity,
};

export class FigureReading {
  private page = document;

  constructor(private readonly host: FigureElement) {}

  connect(): void {
    this.page = this.host.ownerDocument;
    this.page.addEventListener('pointerdown', this.tapElsewhere, true);
  }

  disconnect(): void {
    this.page.removeEventListener('pointerdown', this.tapElsewhere, true);
  }

  point(x: number, y: number): void {
    const { chart } = this.host;
    if (chart) this.host.found = nearest(chart, this.host.shownCurves, x, y);
  }

  /** A finger that is lifted leaves its reading; one that began to scroll takes it away. */
  leave(event: PointerEvent): void {
    if (event.pointerType !== 'touch' || event.type === 'pointercancel')
      this.host.found = undefined;
  }

  private readonly tapElsewhere = (event: PointerEvent): void => {
    const { host } = this;
    if (host.found && event.pointerType === 'touch' && !event.composedPath().includes(host))
      host.found = undefined;
  };

  readonly key = (event: KeyboardEvent): void => {
    const { host } = this;
    const step = STEPS[event.key];
    if (step === undefined || !host.chart || isForBrowser(event)) return;
    event.preventDefault();
    const points = walk(host.chart, host.shownCurves);
    const here = points.findIndex((each) => sameFound(each, host.found));
    const next = Math.min(points.length - 1, Math.max(0, here < 0 ? 0 : here + step));
    host.found = points[next];
  };

  /** In a new chart the point has another place and other values, or it is gone. */
  follow(): void {
    const { host } = this;
    const { found, chart } = host;
    if (found && chart)
      host.found = walk(chart, host.shownCurves).find((each) => sameFound(each, found));
    this.showRing();
  }

  showRing(): void {
    const { chart, found } = this.host;
    const svg = chart?.svg;
    svg?.querySelector('.ring')?.remove();
    if (!svg || !found) return;
    const ring = document.createElementNS('http://www.w3.org/2000/svg', 'circle');
    ring.setAttribute('class', 'ring');
    ring.setAttribute('cx', String(found.x));
    ring.setAttribute('cy', String(found.y));
    ring.setAttribute('r', '6');
    svg.append(ring);
  }

  /** Towards the middle of the chart, so that it covers nothing beside it. */
  template(): TemplateResult | typeof nothing {
    const { found, chart, width, scale, shownFigure, texts } = this.host;
    if (!found || !chart) return nothing;
    const reading = readingOf(shownFigure, found, texts);
    const { top, bottom } = chart.frame;
    const side = `${found.x > width * 0.6 ? 'left' : 'right'} ${found.y > (top + bottom) / 2 ? 'up' : ''}`;
    return keyed(
      side,
      html`<div
        class="reading ${side}"
        role="status"
        .style=${`--at-x:${(found.x * scale).toFixed(0)}px;--at-y:${(found.y * scale).toFixed(0)}px`}
      >
        <strong>${typeset(reading.title)}</strong>
        ${reading.lines.map(([name, value]) => html`<span>${typeset(name)} = ${value}</span>`)}
      </div>`,
    ) as TemplateResult;
  }
}
