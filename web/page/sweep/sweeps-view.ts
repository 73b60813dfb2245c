/** Results files of sweeps, picked or dropped: what is in them, what is wrong with them, a figure. */
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { Descriptor } from '../../lib/descriptor.ts';
import { formatNumber } from '../figure/format.ts';
import { holdLab, type LabHold } from '../run/lab.ts';
import { site } from '../run/site.ts';
import type { Texts } from '../state/texts.ts';
import { DropZone } from '../view/drop-zone.ts';
import { define, Piece } from '../view/piece.ts';
import { FileFault, OFFENCES } from './fault.ts';
import type { FileReport, FileSource } from './file-source.ts';
import { oddRuns } from './odd-runs.ts';

export class Sweeps extends Piece {
  static override properties = {
    texts: { attribute: false },
    source: { state: true },
    descriptor: { state: true },
    failure: { state: true },
    opening: { state: true },
  };
  declare texts: Texts;
  declare source: FileSource | undefined;
  declare descriptor: Descriptor | undefined;
  declare failure: unknown;
  declare opening: boolean;

  private hold: LabHold | undefined;
  private generation = 0;
  private readonly onChange = (): void => this.requestUpdate();
  private readonly zone = new DropZone(this, ({ files }) => void this.open([...files]));

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.let();
    this.hold?.release();
    this.hold = undefined;
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('texts')) return;
    document.title = `${this.texts.t('sweeps.title')} · AttnLab`;
    if (this.source) void this.describe(this.source.plan.descriptor.id);
  }

  private let(): void {
    this.generation += 1;
    this.source?.removeEventListener('change', this.onChange);
    this.source?.close();
    this.source = undefined;
  }

  private async open(files: readonly File[]): Promise<void> {
    if (files.length === 0) return;
    this.let();
    const { generation } = this;
    this.failure = undefined;
    this.opening = true;
    try {
      const { openResults } = await import('./open-results.ts');
      await import('./picture-view.ts');
      if (generation !== this.generation) return;
      this.hold ??= holdLab();
      const lab = await this.hold.lab();
      const source = await openResults(files, lab);
      await this.describe(source.plan.descriptor.id);
      if (generation !== this.generation) return;
      source.addEventListener('change', this.onChange);
      this.source = source;
    } catch (failure) {
      if (generation !== this.generation) return;
      this.failure = failure;
    }
    this.opening = false;
  }

  private async describe(id: string): Promise<void> {
    this.descriptor = await site().descriptor(id, this.texts.language);
  }

  protected override render(): TemplateResult {
    const { texts, source, descriptor } = this;
    return html`<section class="sweeps">
      <div class="sweeps-head">
        <h1>${texts.t('sweeps.title')}</h1>
        <p>${texts.t('sweeps.sentence')}</p>
        ${this.dropZone()}
        ${this.failure === undefined ? nothing : html`<p class="notice" role="alert">${this.said(this.failure)}</p>`}
        ${this.opening ? html`<p class="small quiet" role="status">${texts.t('app.loading')}</p>` : nothing}
      </div>
      ${source && descriptor ? this.found(source, descriptor) : nothing}
    </section>`;
  }

  private dropZone(): TemplateResult {
    const { texts } = this;
    return html`<fieldset
      class="data-panel ${this.zone.over ? 'over' : ''}"
      @dragover=${this.zone.enter}
      @dragleave=${this.zone.leave}
      @drop=${this.zone.drop}
    >
      <legend class="visually-hidden">${texts.t('sweeps.files')}</legend>
      <div class="data-actions">
        <label class="button">
          ${texts.t('sweeps.pick')}
          <input
            class="visually-hidden"
            type="file"
            multiple
            accept=".jsonl,.json,.txt"
            @change=${this.picked}
          />
        </label>
        <span class="small quiet">${texts.t('sweeps.drop')}</span>
      </div>
    </fieldset>`;
  }

  /** The same file may be picked again after it was mended. */
  private readonly picked = (event: Event): void => {
    const input = event.target as HTMLInputElement;
    void this.open([...(input.files ?? [])]);
    input.value = '';
  };

  private said(failure: unknown): string {
    if (failure instanceof FileFault) return failure.in(this.texts);
    const message = failure instanceof Error ? failure.message : String(failure);
    return this.texts.t('sweeps.stopped', { message });
  }

  private found(source: FileSource, descriptor: Descriptor): TemplateResult {
    const { texts } = this;
    const { plan } = source;
    const counts = texts.t('sweeps.read', {
      count: formatNumber(source.count),
      runs: formatNumber(plan.runs),
      points: formatNumber(plan.points),
      seeds: formatNumber(plan.seeds),
    });
    const percent = String(Math.floor(100 * source.progress));
    return html`<div class="sweeps-about small">
        <h2><a href="#/${descriptor.id}">${descriptor.title}</a></h2>
        <progress
          class=${source.busy ? '' : 'idle'}
          max="1"
          .value=${source.progress}
          aria-label=${texts.t('sweeps.files')}
        ></progress>
        <p class="sweeps-counts">
          ${source.busy ? texts.t('sweeps.reading', { percent }) : nothing} ${counts}
          ${oddRuns(source, texts)}
        </p>
        <p class="visually-hidden" role="status">${source.busy ? nothing : counts}</p>
        ${this.notes(source)}
      </div>
      <al-sweep-picture
        .source=${source}
        .descriptor=${descriptor}
        .texts=${texts}
        .busy=${source.busy}
      ></al-sweep-picture>`;
  }

  private notes(source: FileSource): TemplateResult | typeof nothing {
    const notes = source.reports.flatMap((report) => this.notesOf(report));
    if (source.problem !== undefined) notes.push(this.said(source.problem));
    if (!source.busy) notes.push(...this.missing(source));
    if (notes.length === 0) return nothing;
    return html`<div class="notice">${notes.map((note) => html`<p>${note}</p>`)}</div>`;
  }

  private notesOf({ name, left, cut }: FileReport): string[] {
    const { texts } = this;
    const notes = OFFENCES.filter((offence) => left[offence].count > 0).map((offence) => {
      const { count, line } = left[offence];
      return texts.t(`sweeps.note.${offence}`, {
        name,
        count: formatNumber(count),
        line: formatNumber(line),
      });
    });
    return cut ? [...notes, texts.t('sweeps.note.cut', { name })] : notes;
  }

  private missing(source: FileSource): string[] {
    const { count, first } = source.missing();
    if (count === 0) return [];
    const { point, seed } = source.plan.run(first);
    const values = Object.entries(source.plan.values(point)).map(
      ([name, value]) => `${name} = ${typeof value === 'string' ? value : JSON.stringify(value)}`,
    );
    const text = [...values, `${this.texts.t('run.seed')} ${seed}`].join(', ').slice(0, 200);
    return [this.texts.t('sweeps.note.missing', { count: formatNumber(count), first: text })];
  }
}

define('al-sweeps', Sweeps);
