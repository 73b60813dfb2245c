/**
 * One figure of an experiment: heading, legend, chart, reading under the pointer, caption. The
 * chart library is loaded when the first figure is drawn.
 */
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { keyed } from 'lit/directives/keyed.js';
import type { Figure } from '../../lib/descriptor.ts';
import type { Session } from '../run/session.ts';
import { fill } from '../run/fill.ts';
import type { Texts } from '../state/texts.ts';
import { define, Piece } from '../view/piece.ts';
import type { Chart } from './chart.ts';
import { curvesOf, type Curve, type Curves } from './curves.ts';
import { categoryRange, rangesOf, union, type Ranges } from './domain.ts';
import { roomForEndLabels } from './end-labels.ts';
import { FigureHandle } from './handle.ts';
import { FigureZoom } from './zoom.ts';
import { legendOf } from './legend.ts';
import { legendTemplate, rampTemplate } from './legend-view.ts';
import type { Layer } from './marks.ts';
import { describe, nearest, readingOf, walk, type Found } from './nearest.ts';
import { typeset } from './typeset.ts';

type ChartModule = typeof import('./chart.ts');

export class FigureElement extends Piece {
  static override properties = {
    session: { attribute: false },
    figure: { attribute: false },
    texts: { attribute: false },
    below: { attribute: false },
    small: { type: Boolean },
    found: { state: true },
    width: { state: true },
    module: { state: true },
  };
  declare session: Session;
  declare figure: Figure;
  declare texts: Texts;
  /** Stands between the chart and its caption. */
  declare below: TemplateResult | typeof nothing | undefined;
  declare small: boolean;
  declare found: Found | undefined;
  declare width: number;
  declare module: ChartModule | undefined;

  chart: Chart | undefined;
  private curves: Curves = { curves: [], hidden: 0, total: 0, categories: undefined };
  private held: Ranges | undefined;
  private readonly zoom = new FigureZoom(this);
  private readonly handle = new FigureHandle(this);
  private readonly say = (text: string): string => this.texts.cell(text);
  private readonly onChange = (): void => this.requestUpdate();
  private readonly sizes = new ResizeObserver((entries) => {
    const width = Math.round(entries[0]?.contentRect.width ?? 0);
    if (width > 0) this.width = width;
  });

  override connectedCallback(): void {
    super.connectedCallback();
    this.session.addEventListener('change', this.onChange);
    void import('./chart.ts').then((module) => (this.module = module));
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.session.removeEventListener('change', this.onChange);
    this.sizes.disconnect();
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('session')) {
      (changed.get('session') as Session | undefined)?.removeEventListener('change', this.onChange);
      this.session.addEventListener('change', this.onChange);
      this.held = undefined;
      this.found = undefined;
      this.zoom.clear();
    }
  }

  protected override firstUpdated(): void {
    const canvas = this.querySelector('.canvas');
    if (canvas) this.sizes.observe(canvas);
  }

  protected override updated(changed: PropertyValues<this>): void {
    // Only the pointer has moved: the chart stands as it is.
    if (changed.size === 1 && changed.has('found') && this.chart) return this.showRing();
    this.draw();
  }

  get shownCurves(): readonly Curve[] {
    return this.curves.curves;
  }

  /** Everything an export needs to draw the figure as it stands. */
  get exported():
    { figure: Figure; chart: Chart; curves: readonly Curve[]; caption: string } | undefined {
    if (!this.chart) return undefined;
    return {
      figure: this.figure,
      chart: this.chart,
      curves: this.curves.curves,
      caption: this.caption(),
    };
  }

  caption(): string {
    const { descriptor, values, tables } = this.session;
    return fill(this.figure.caption, descriptor, values, tables, this.say);
  }

  private layers(): Layer[] {
    const { ghost, pins } = this.session;
    const layer = (kind: Layer['kind'], outcome: NonNullable<typeof ghost>): Layer => ({
      kind,
      curves: curvesOf(this.figure, outcome.tables, outcome.values, this.say).curves,
    });
    const pinned = pins.map((pin) => layer('pin', pin));
    return ghost && ghost.tables !== this.session.tables
      ? [layer('ghost', ghost), ...pinned]
      : pinned;
  }

  private draw(): void {
    const canvas = this.querySelector('.canvas');
    if (!canvas || !this.module || !this.width) return;
    const { session, figure } = this;
    this.curves = curvesOf(figure, session.tables ?? {}, session.values, this.say);
    const layers = this.layers();
    const all = [...this.curves.curves, ...layers.flatMap((layer) => layer.curves)];
    let ranges = rangesOf(figure, all);
    if (this.curves.categories) {
      ranges = { ...ranges, x: categoryRange(this.curves.categories.length) };
    }
    // While a run is under way the axes only grow; they settle when it ends.
    this.held = session.busy ? union(this.held, ranges) : ranges;
    this.chart = this.module.drawChart({
      figure,
      current: this.curves,
      layers,
      ranges: this.zoom.ranges ?? this.held,
      width: this.width,
      height: this.heightFor(this.width),
      description: describe(session.descriptor, figure, this.curves.curves, this.texts),
      small: this.small,
      say: this.say,
    });
    canvas.replaceChildren(this.chart.svg);
    this.handle.draw();
    this.showRing();
  }

  private heightFor(width: number): number {
    if (this.small) return Math.round(Math.max(150, width * 0.56));
    return Math.round(Math.min(460, Math.max(280, width * 0.58)));
  }

  private showRing(): void {
    const svg = this.chart?.svg;
    svg?.querySelector('.ring')?.remove();
    if (!svg || !this.found) return;
    const ring = document.createElementNS('http://www.w3.org/2000/svg', 'circle');
    ring.setAttribute('class', 'ring');
    ring.setAttribute('cx', String(this.found.x));
    ring.setAttribute('cy', String(this.found.y));
    ring.setAttribute('r', '6');
    svg.append(ring);
  }

  /** Of a pointer, in the chart's pixels. */
  private placeOf(chart: Chart, event: PointerEvent): { x: number; y: number } {
    const box = chart.svg.getBoundingClientRect();
    const scale = this.width / box.width;
    return { x: (event.clientX - box.left) * scale, y: (event.clientY - box.top) * scale };
  }

  private readonly take = (event: PointerEvent): void => {
    if (!this.chart) return;
    const { x, y } = this.placeOf(this.chart, event);
    if (this.small || !this.handle.begin(event, x, y)) this.zoom.begin(event);
  };

  private readonly release = (): void => {
    this.handle.end();
    this.zoom.end();
  };

  private readonly point = (event: PointerEvent): void => {
    if (!this.chart) return;
    const { x, y } = this.placeOf(this.chart, event);
    if (this.handle.move(x, y) || this.zoom.move(x, y)) return;
    this.found = nearest(this.chart, this.curves.curves, x, y);
  };

  private readonly key = (event: KeyboardEvent): void => {
    if (!this.chart) return;
    const steps: Record<string, number> = {
      ArrowRight: 1,
      ArrowLeft: -1,
      Home: -Infinity,
      End: Infinity,
    };
    const step = steps[event.key];
    if (event.key === 'Escape') {
      this.found = undefined;
      this.zoom.clear();
    }
    if (step === undefined) return;
    event.preventDefault();
    const points = walk(this.chart, this.curves.curves);
    const here = points.findIndex(
      (each) => each.curve.name === this.found?.curve.name && each.index === this.found.index,
    );
    const next = Math.min(points.length - 1, Math.max(0, here < 0 ? 0 : here + step));
    this.found = points[next];
  };

  protected override render(): TemplateResult {
    const { texts, figure } = this;
    const curves = curvesOf(figure, this.session.tables ?? {}, this.session.values, this.say);
    return html`<figure class="figure ${this.small ? 'small-figure' : ''}">
      ${this.small ? nothing : html`<h2 class="figure-title">${typeset(figure.label)}</h2>`}
      ${this.small ? nothing : this.legend(curves)}
      ${this.small ? nothing : rampTemplate(curves.curves)}
      <div class="canvas-wrap">
        <div
          class="canvas"
          tabindex="0"
          role="group"
          aria-label=${texts.t('figure.explore', { figure: figure.label })}
          @pointermove=${this.point}
          @pointerdown=${this.take}
          @pointerup=${this.release}
          @pointercancel=${this.release}
          @pointerleave=${(): void => void (this.found = undefined)}
          @dblclick=${(): void => this.zoom.clear()}
          @keydown=${this.key}
        ></div>
        ${this.reading()}
      </div>
      ${this.below ?? nothing} ${this.small ? this.legend(curves) : this.notes(curves)}
    </figure>`;
  }

  private legend(curves: Curves): TemplateResult {
    const named = !this.small && roomForEndLabels(curves.curves, this.width ?? 0).length > 0;
    const entries = legendOf(curves.curves, this.texts, !named);
    // A small figure says what it shows, not what each line rests on.
    const short = entries
      .filter((entry) => entry.shape !== 'dotted')
      .map((entry) => ({ ...entry, standing: '' }));
    return legendTemplate(this.small ? short : entries, this.session, this.texts);
  }

  private reading(): TemplateResult | typeof nothing {
    if (!this.found) return nothing;
    const reading = readingOf(this.figure, this.found, this.texts);
    const side = this.found.x > this.width * 0.6 ? 'left' : 'right';
    return keyed(
      side,
      html`<div
        class="reading ${side}"
        role="status"
        .style=${`--at-x:${this.found.x.toFixed(0)}px;--at-y:${this.found.y.toFixed(0)}px`}
      >
        <strong>${typeset(reading.title)}</strong>
        ${reading.lines.map(([name, value]) => html`<span>${typeset(name)} = ${value}</span>`)}
      </div>`,
    ) as TemplateResult;
  }

  private notes(curves: Curves): TemplateResult {
    const { texts, session } = this;
    const lost =
      curves.hidden > 0 && !session.busy
        ? html`<p class="hidden-count">
            ${texts.t('figure.hidden', { count: String(curves.hidden), total: String(curves.total) })}
          </p>`
        : nothing;
    const none =
      curves.total === 0 && !session.busy
        ? html`<p class="hidden-count">${texts.t('figure.nothing')}</p>`
        : nothing;
    const zoomed = this.zoom.ranges
      ? html`<button class="button" @click=${(): void => this.zoom.clear()}>
          ${texts.t('figure.unzoom')}
        </button>`
      : nothing;
    return html`<figcaption class="caption">
      ${zoomed}${lost}${none}${typeset(this.caption())}
    </figcaption>`;
  }
}

define('al-figure', FigureElement);
