/** A small sweep beside an experiment: what is varied, how long it takes, and what it finds. */
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { Descriptor } from '../../lib/descriptor.ts';
import type { Session } from '../run/session.ts';
import type { Texts } from '../state/texts.ts';
import { define, Piece } from '../view/piece.ts';
import { axisTemplate } from './axis-view.ts';
import { MOST_RUNS, SweepJob } from './job.ts';
import { jobStatus } from './job-status.ts';
import { proposeColumn } from './picks.ts';
import './picture-view.ts';
import type { SweepPicture } from './picture-view.ts';
import {
  planOf,
  proposeAxis,
  proposeFirst,
  sweepable,
  type AxisForm,
  type PlanForm,
} from './plan-form.ts';
import { savesTemplate } from './saves.ts';

/** The reader's next key may follow soon. */
const SETTLE_MILLISECONDS = 400;
const SEEDS = '5';

export class SweepFold extends Piece {
  static override properties = {
    session: { attribute: false },
    descriptor: { attribute: false },
    texts: { attribute: false },
    open: { type: Boolean },
    form: { state: true },
    copied: { state: true },
  };
  declare session: Session;
  /** The session's descriptor in the reader's language. */
  declare descriptor: Descriptor;
  declare texts: Texts;
  /** Folded away it times nothing; a sweep that is under way goes on. */
  declare open: boolean;
  declare form: PlanForm;
  declare copied: boolean;

  readonly job = new SweepJob();
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** The boxes, or the experiment, were changed while a sweep was under way. */
  private stale = false;
  private readonly onJob = (): void => {
    this.requestUpdate();
    if (!this.stale || this.job.running) return;
    this.stale = false;
    this.consider();
  };
  /** The fixed values are those of the experiment. */
  private readonly onValues = (): void => {
    // Before its first update it has proposed nothing yet.
    if (!this.form) return;
    const names = sweepable(this.descriptor, this.session.values).map(({ name }) => name);
    if (this.form.axes.every(({ name }) => names.includes(name))) this.consider();
    else this.begin();
  };

  override connectedCallback(): void {
    super.connectedCallback();
    this.job.addEventListener('change', this.onJob);
    this.session.addEventListener('values', this.onValues);
    if (this.form) this.consider();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearTimeout(this.timer);
    this.job.removeEventListener('change', this.onJob);
    this.session.removeEventListener('values', this.onValues);
    this.job.dispose();
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    const before = changed.get('descriptor') as Descriptor | undefined;
    if (!changed.has('descriptor') || before?.id === this.descriptor.id) {
      if (changed.has('open') && this.job.status === 'empty') this.consider();
      return;
    }
    this.job.source = undefined;
    this.begin();
  }

  private begin(): void {
    const { values } = this.session;
    const first = proposeFirst(sweepable(this.descriptor, values));
    this.form = { axes: first ? [proposeAxis(first, values[first.name])] : [], seeds: SEEDS };
    this.consider();
  }

  private change(change: Partial<PlanForm>): void {
    this.form = { ...this.form, ...change };
    this.consider();
  }

  /** A sweep that is under way keeps its plan. */
  private consider(): void {
    clearTimeout(this.timer);
    this.stale = this.job.running;
    if (this.stale || this.form.axes.length === 0) return;
    // What the boxes said before is not to be run by mistake.
    this.job.drop();
    if (!this.open) return;
    this.timer = setTimeout(() => {
      if (!this.job.running) void this.job.consider(this.plan());
    }, SETTLE_MILLISECONDS);
  }

  private plan(): ReturnType<typeof planOf> {
    return planOf(this.descriptor, this.session, this.form);
  }

  private readonly start = (event: Event): void => {
    event.preventDefault();
    clearTimeout(this.timer);
    void this.job.start();
  };

  protected override render(): TemplateResult {
    const { texts, form, job } = this;
    if (form.axes.length === 0) return html`<p class="small">${texts.t('sweep.nothing')}</p>`;
    const ready = job.plan !== undefined && job.plan.runs <= MOST_RUNS;
    return html`<div class="sweep">
      <p class="prose">${texts.t('sweep.about')}</p>
      <form class="sweep-form" @submit=${this.start}>
        <fieldset class="sweep-fields" ?disabled=${job.running}>
          <legend class="visually-hidden">${texts.t('fold.sweep')}</legend>
          ${this.axis(0)} ${this.axis(1)}
          <label class="pick narrow">
            <span>${texts.t('sweep.seeds')}</span>
            <input
              type="text"
              inputmode="numeric"
              autocomplete="off"
              data-sweep="seeds"
              .value=${form.seeds}
              @input=${(event: Event): void => this.change({ seeds: (event.target as HTMLInputElement).value })}
            />
          </label>
        </fieldset>
        <div class="sweep-run">
          ${
            job.running
              ? html`<button
                  type="button"
                  class="button run-main"
                  data-sweep="cancel"
                  @click=${(): void => job.cancel()}
                >
                  ${texts.t('sweep.cancel')}
                </button>`
              : html`<button class="button primary run-main" data-sweep="start" ?disabled=${!ready}>
                  ${texts.t('sweep.start')}
                </button>`
          }
          <p class="small sweep-status">${jobStatus(job, this.descriptor, texts)}</p>
          <p class="visually-hidden" role="status">
            ${job.running || job.status === 'timing' ? nothing : jobStatus(job, this.descriptor, texts)}
          </p>
          <progress
            max="1"
            .value=${job.source ? job.finished / job.source.plan.runs : 0}
            ?hidden=${!job.source}
            aria-label=${texts.t('run.progress')}
          ></progress>
        </div>
      </form>
      ${job.source ? this.found() : nothing} ${savesTemplate(this, texts)}
    </div>`;
  }

  private found(): TemplateResult {
    return html`<al-sweep-picture
      .source=${this.job.source}
      .descriptor=${this.descriptor}
      .texts=${this.texts}
      .busy=${this.job.running}
    ></al-sweep-picture>`;
  }

  private axis(place: 0 | 1): TemplateResult {
    const { descriptor, session, texts, form } = this;
    const other = form.axes[1 - place]?.name;
    const choices = sweepable(descriptor, session.values).filter(
      ({ name }) => place === 0 || name !== other,
    );
    const take = (axis: AxisForm | undefined): void => {
      const [first, second] = place === 0 ? [axis, form.axes[1]] : [form.axes[0], axis];
      const axes = [first, second?.name === first?.name ? undefined : second];
      this.change({ axes: axes.filter((each) => each !== undefined) });
    };
    return axisTemplate(
      { place, axis: form.axes[place], choices, values: session.values, texts },
      take,
    );
  }

  /** The table that the figure is drawn of. */
  get shownTable(): string {
    const picture = this.querySelector<SweepPicture>('al-sweep-picture');
    return picture?.picks?.table ?? proposeColumn(this.descriptor).table;
  }

  /** The plan as a file, for the command line. */
  get planText(): string {
    return `${JSON.stringify(this.plan(), undefined, 2)}\n`;
  }
}

define('al-sweep-fold', SweepFold);
