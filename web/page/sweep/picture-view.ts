/**
 * What a sweep has found: a figure, what it is drawn of, and how it may be saved. Brought up to date
 * as runs come in; the work is done in slices.
 */
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { Descriptor, TableSpec } from '../../lib/descriptor.ts';
import '../figure/figure.ts';
import type { FigureElement } from '../figure/figure.ts';
import { Session } from '../run/session.ts';
import { csvOf } from '../run/export-tables.ts';
import type { Texts } from '../state/texts.ts';
import { download } from '../view/download.ts';
import { messageOf } from '../view/failure.ts';
import { define, Piece } from '../view/piece.ts';
import { readAxes, type SweptAxis } from './axes.ts';
import { lookOf, proposePicks, type Picks } from './picks.ts';
import { picksTemplate } from './picks-view.ts';
import { pictureOf, type Picture } from './picture.ts';
import type { RunNumbers } from './run-numbers.ts';
import { Abandoned, Slices } from './slices.ts';
import type { SweepSource } from './source.ts';
import { summarise } from './summary.ts';

/** Milliseconds between two drawings while runs come in. */
const EVERY = 400;

export class SweepPicture extends Piece {
  static override properties = {
    source: { attribute: false },
    descriptor: { attribute: false },
    texts: { attribute: false },
    busy: { type: Boolean },
    picks: { state: true },
    numbers: { state: true },
    axes: { state: true },
    picture: { state: true },
    failure: { state: true },
  };
  declare source: SweepSource;
  /** In the reader's language. */
  declare descriptor: Descriptor;
  declare texts: Texts;
  /** Whether more runs are to come. */
  declare busy: boolean;
  declare picks: Picks | undefined;
  declare numbers: RunNumbers | undefined;
  declare axes: readonly SweptAxis[];
  declare picture: Picture | undefined;
  declare failure: string;

  /** Holds what the figure shows; it runs nothing. */
  private session: Session | undefined;
  private generation = 0;
  private drawnAt = -Infinity;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly onChange = (): void => this.soon();

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.generation += 1;
    clearTimeout(this.timer);
    this.source?.removeEventListener('change', this.onChange);
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('source')) {
      (changed.get('source') as SweepSource | undefined)?.removeEventListener(
        'change',
        this.onChange,
      );
      this.source.addEventListener('change', this.onChange);
      const same =
        changed.get('source') && sameNames(changed.get('source') as SweepSource, this.source);
      if (!same) this.picks = undefined;
      this.numbers = undefined;
      this.picture = undefined;
    }
    if (changed.has('source') || changed.has('descriptor') || changed.has('texts')) {
      this.session = new Session(this.descriptor);
      this.axes = [];
      void this.refresh();
    } else if (changed.has('busy')) void this.refresh();
  }

  private soon(): void {
    if (this.timer) return;
    const wait = Math.max(0, EVERY - (performance.now() - this.drawnAt));
    this.timer = setTimeout(() => {
      this.timer = undefined;
      void this.refresh();
    }, wait);
  }

  /** Reads, counts and draws; what a newer refresh overtakes is given up. */
  private async refresh(): Promise<void> {
    const generation = ++this.generation;
    const { source, descriptor } = this;
    const slices = new Slices(() => generation === this.generation);
    try {
      if (this.axes.length !== source.plan.names.length) {
        this.axes = await readAxes(source.plan, descriptor, slices);
      }
      this.picks ??= proposePicks(descriptor, this.axes);
      const spec = tableOf(source, this.picks.table);
      const numbers = await source.numbersOf(spec);
      if (generation !== this.generation) return;
      this.numbers = numbers;
      const look = lookOf(this.picks, this.axes, numbers);
      const cells = await summarise(source, numbers, look, slices);
      this.picture = pictureOf(look, cells, numbers, descriptor, this.texts);
      this.failure = '';
    } catch (failure) {
      if (failure instanceof Abandoned || generation !== this.generation) return;
      this.failure = messageOf(failure);
    }
    this.drawnAt = performance.now();
    this.show();
  }

  private show(): void {
    const { session, picture } = this;
    if (!session || !picture) return;
    const { preset, values, seed } = session;
    session.found = { preset, values, seed, version: '', status: 'done', ...picture };
    session.status = this.busy ? 'running' : 'done';
    session.dispatchEvent(new Event('change'));
  }

  private pick(change: Partial<Picks>): void {
    this.picks = { ...this.picks!, ...change };
    // Another figure: its axes do not grow out of those of the last one.
    this.session = new Session(this.descriptor);
    void this.refresh();
  }

  protected override render(): TemplateResult {
    const { picture, picks, numbers, axes, texts } = this;
    if (this.failure) return html`<p class="failure small" role="alert">${this.failure}</p>`;
    if (!picture || !picks || !numbers) {
      return html`<p class="small quiet" role="status">${texts.t('app.loading')}</p>`;
    }
    const { descriptor } = this;
    return html`${picksTemplate({ picks, numbers, axes, descriptor, texts }, (change) =>
        this.pick(change),
      )}
      <al-figure
        .session=${this.session}
        .figure=${picture.figure}
        .texts=${texts}
        data-figure="sweep"
      ></al-figure>
      ${this.busy ? nothing : this.saves(picture)}`;
  }

  private saves({ tables, figure }: Picture): TemplateResult {
    const name = `${this.descriptor.id}-sweep`;
    const saveTable = (): void => {
      download(csvOf(shownTable(figure), tables['sweep']!), `${name}-figure.csv`, 'text/csv');
    };
    const button = (key: string, act: () => void): TemplateResult =>
      html`<button class="button" data-save=${key} @click=${act}>
        ${this.texts.t(`sweep.save.${key}`)}
      </button>`;
    return html`<div class="downloads">
      ${button('figure', saveTable)} ${button('svg', () => void this.saveFigure('svg', name))}
      ${button('png', () => void this.saveFigure('png', name))}
    </div>`;
  }

  private async saveFigure(kind: 'svg' | 'png', name: string): Promise<void> {
    const element = this.querySelector<FigureElement>('al-figure');
    if (!element) return;
    try {
      const { svgOf, pngOf } = await import('../figure/export-figure.ts');
      const markup = svgOf(element, this.descriptor, this.texts);
      if (kind === 'svg') download(markup, `${name}.svg`, 'image/svg+xml');
      else download(await pngOf(markup), `${name}.png`, 'image/png');
    } catch (failure) {
      this.failure = this.texts.cell(messageOf(failure));
    }
  }
}

const sameNames = (left: SweepSource, right: SweepSource): boolean =>
  left.plan.descriptor.id === right.plan.descriptor.id &&
  left.plan.names.join() === right.plan.names.join();

function tableOf({ plan }: SweepSource, name: string): TableSpec {
  return plan.descriptor.tables.find((table) => table.name === name)!;
}

/** What the figure shows, as a table to save. */
function shownTable({ x, y, marks }: Picture['figure']): TableSpec {
  const heat = marks[0]?.kind === 'heat-map';
  const split = marks[0]?.series !== '';
  const column = (name: string, unit = ''): TableSpec['columns'][number] => ({
    name,
    symbol: '',
    unit,
    label: name,
    type: 'number',
  });
  const leading = [column('x', x.unit), ...(heat ? [column('y', y.unit)] : [])];
  const series = split ? [column('series')] : [];
  const values = ['mean', 'error', 'runs'].map((name) => column(name));
  return { name: 'sweep', label: '', columns: [...leading, ...series, ...values] };
}

define('al-sweep-picture', SweepPicture);
