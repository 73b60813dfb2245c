/** One figure of an experiment: heading, legend, chart, reading under the pointer, caption. */
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { Figure } from '../../lib/descriptor.ts';
import type { Session } from '../run/session.ts';
import { filledFigure } from '../run/fill.ts';
import type { Texts } from '../state/texts.ts';
import { isShown } from '../state/values.ts';
import { failureTemplate, reloadOr } from '../view/failure.ts';
import { define, Piece } from '../view/piece.ts';
import type { Chart } from './chart.ts';
import type { Curve, Curves } from './curves.ts';
import type { Ranges } from './domain.ts';
import { FigureDrawing } from './drawing.ts';
import { roomForEndLabels } from './end-labels.ts';
import type { FigureParts } from './figure-file.ts';
import { FigureHandle } from './handle.ts';
import { FigureZoom } from './zoom.ts';
import { earlierEntries, legendOf, legendToCome, shortLegend } from './legend.ts';
import { legendTemplate, rampTemplate } from './legend-view.ts';
import type { Found } from './nearest.ts';
import { FigureReading } from './reading.ts';
import { textScale } from './text-scale.ts';
import { typeset } from './typeset.ts';

export class FigureElement extends Piece {
  static override properties = {
    session: { attribute: false },
    figure: { attribute: false },
    texts: { attribute: false },
    below: { attribute: false },
    small: { type: Boolean },
    found: { state: true },
    chartFailure: { state: true },
    width: { state: true },
  };
  declare session: Session;
  declare figure: Figure;
  declare texts: Texts;
  /** Stands between the chart and its caption. */
  declare below: TemplateResult | typeof nothing | undefined;
  declare small: boolean;
  declare found: Found | undefined;
  declare chartFailure: string | undefined;
  /** In the chart's pixels. */
  declare width: number;
  /** Pixels of the page over those of the chart. */
  scale = 1;

  private readonly drawing = new FigureDrawing(this);
  private readonly zoom = new FigureZoom(this);
  private readonly handle = new FigureHandle(this);
  private readonly reading = new FigureReading(this);
  readonly say = (text: string): string => this.texts.cell(text);
  private readonly onChange = (): void => this.requestUpdate();
  private readonly sizes = new ResizeObserver(() => this.measure());

  override connectedCallback(): void {
    super.connectedCallback();
    this.session.addEventListener('change', this.onChange);
    this.reading.connect();
    this.requestUpdate();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.session.removeEventListener('change', this.onChange);
    this.reading.disconnect();
    this.sizes.disconnect();
    this.drawing.end();
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('session')) {
      (changed.get('session') as Session | undefined)?.removeEventListener('change', this.onChange);
      this.session.addEventListener('change', this.onChange);
      this.drawing.forget();
      this.found = undefined;
      this.zoom.clear();
    }
  }

  protected override firstUpdated(): void {
    for (const each of this.querySelectorAll('.canvas, .text-probe')) this.sizes.observe(each);
  }

  private measure(): void {
    const probe = this.querySelector<HTMLElement>('.text-probe');
    const width = this.querySelector('.canvas')?.clientWidth ?? 0;
    if (!probe || width === 0) return;
    this.scale = textScale(probe, width);
    this.width = Math.round(width / this.scale);
  }

  protected override updated(changed: PropertyValues<this>): void {
    if (changed.has('found')) this.reading.showRing();
    this.drawing.request();
  }

  /** The chart is on the page. */
  drawn(): void {
    this.handle.draw();
    this.reading.follow();
  }

  get chart(): Chart | undefined {
    return this.drawing.chart;
  }

  get sans(): string {
    return getComputedStyle(this).getPropertyValue('--sans');
  }

  get settled(): boolean {
    return !this.isUpdatePending && this.drawing.settled;
  }

  /** The ranges that the reader has zoomed into. */
  get zoomed(): Ranges | undefined {
    return this.zoom.ranges;
  }

  get shownCurves(): readonly Curve[] {
    return this.drawing.current().curves;
  }

  private filled: { readonly from: readonly unknown[]; readonly figure: Figure } | undefined;

  /** The figure with the run's numbers in its texts; all that is shown or saved comes from it. */
  get shownFigure(): Figure {
    const { descriptor, shown, tables } = this.session;
    const { values } = shown;
    const from = [this.figure, descriptor, values, tables, this.texts];
    if (!this.filled?.from.every((each, index) => Object.is(each, from[index]))) {
      const figure = filledFigure(this.figure, descriptor, values, tables, this.say);
      this.filled = { from, figure };
    }
    return this.filled!.figure;
  }

  /** Everything an export needs to draw the figure as it stands. */
  get exported(): FigureParts | undefined {
    if (!this.chart) return undefined;
    const earlier = earlierEntries(this.session, this.texts);
    return { figure: this.shownFigure, chart: this.chart, curves: this.shownCurves, earlier };
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
    if (this.small || !this.handle.begin(event, x, y)) this.zoom.begin(event, x, y);
  };

  private readonly release = (event: PointerEvent): void => {
    this.handle.end();
    this.zoom.end();
    if (event.pointerType !== 'touch' || !this.chart) return;
    const { x, y } = this.placeOf(this.chart, event);
    this.reading.point(x, y);
  };

  private readonly cancel = (event: PointerEvent): void => {
    this.handle.end();
    this.zoom.drop();
    this.reading.leave(event);
  };

  private readonly point = (event: PointerEvent): void => {
    if (!this.chart) return;
    const { x, y } = this.placeOf(this.chart, event);
    if (this.handle.move(x, y) || this.zoom.move(x, y)) return;
    this.reading.point(x, y);
  };

  private readonly key = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') {
      this.found = undefined;
      this.zoom.clear();
    }
    this.reading.key(event);
  };

  protected override render(): TemplateResult {
    const { texts, shownFigure: figure } = this;
    const curves = this.drawing.current();
    return html`<figure class="figure ${this.small ? 'small-figure' : ''}">
      ${this.small ? nothing : html`<h2 class="figure-title">${typeset(figure.label)}</h2>`}
      ${this.small ? nothing : this.legend(curves)} ${this.small ? nothing : this.ramp(curves)}
      <div class="canvas-wrap">
        <span class="text-probe" aria-hidden="true"></span>
        ${this.chartFailure ? this.failed(this.chartFailure) : nothing}
        <div
          class="canvas"
          ?hidden=${Boolean(this.chartFailure)}
          tabindex="0"
          role="group"
          aria-label=${texts.t('figure.explore', { figure: figure.label })}
          @pointermove=${this.point}
          @pointerdown=${this.take}
          @pointerup=${this.release}
          @pointercancel=${this.cancel}
          @pointerleave=${(event: PointerEvent): void => this.reading.leave(event)}
          @dblclick=${(): void => this.zoom.clear()}
          @keydown=${this.key}
        ></div>
        ${this.reading.template()}
      </div>
      ${this.below ?? nothing} ${this.small ? this.legend(curves) : this.notes(curves)}
    </figure>`;
  }

  /** The button goes with the zoom; the keyboard stays with the figure. */
  private readonly unzoom = (): void => {
    this.zoom.clear();
    this.querySelector<HTMLElement>('.canvas')?.focus({ preventScroll: true });
  };

  private failed(message: string): TemplateResult {
    const again = (): void => reloadOr(this, () => this.drawing.loadAgain());
    return failureTemplate(this.texts, 'app.failed.figure', message, again);
  }

  private legend(curves: Curves): TemplateResult {
    const named = roomForEndLabels(curves.curves, this.width ?? 0, this.sans).length > 0;
    const comes = curves.total === 0 && this.session.busy;
    if (this.small) {
      const short = comes ? [] : shortLegend(legendOf(curves.curves, this.texts, true), this.texts);
      return legendTemplate(short, this.session, this.texts);
    }
    const entries = comes
      ? legendToCome(this.figure, this.session.values, this.texts)
      : legendOf(curves.curves, this.texts, !named);
    return legendTemplate(entries, this.session, this.texts);
  }

  /** The ramp of a heat map, or its place while the map is being computed. */
  private ramp({ curves, total }: Curves): TemplateResult | typeof nothing {
    const { figure, session } = this;
    const comes = figure.marks.some(
      (mark) => mark.kind === 'heat-map' && isShown(mark.shownWhen, session.shown.values),
    );
    if (comes && total === 0 && session.busy) return html`<div class="ramp small">&nbsp;</div>`;
    return rampTemplate(curves);
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
      ? html`<button class="button" @click=${this.unzoom}>${texts.t('figure.unzoom')}</button>`
      : nothing;
    return html`<figcaption class="caption">
      ${zoomed}${lost}${none}${typeset(this.shownFigure.caption)}
    </figcaption>`;
  }
}

define('al-figure', FigureElement);
