/** The notebook: kept runs, side by side; renamed, opened again, exported, imported. */
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { Descriptor } from '../../lib/descriptor.ts';
import { answerOf } from '../run/fill.ts';
import { site } from '../run/site.ts';
import type { Tables } from '../run/tables.ts';
import {
  deleteRun,
  exportRuns,
  renameRun,
  savedRuns,
  type SavedRun,
} from '../state/notebook-store.ts';
import { importRuns, MOST_RUNS, type Imported } from '../state/import-runs.ts';
import { formatLink } from '../state/link.ts';
import { isSavedRun } from '../state/saved-run-form.ts';
import type { Texts } from '../state/texts.ts';
import { formatNumber } from '../figure/format.ts';
import { typeset } from '../figure/typeset.ts';
import { download } from './download.ts';
import { messageOf } from './failure.ts';
import { contentOf, pickedFile } from './picked-file.ts';
import { define, Piece } from './piece.ts';
import { reasonOf } from './reason.ts';

export class Notebook extends Piece {
  static override properties = {
    texts: { attribute: false },
    runs: { state: true },
    descriptors: { state: true },
    message: { state: true },
  };
  declare texts: Texts;
  declare descriptors: ReadonlyMap<string, Descriptor>;
  declare runs: readonly SavedRun[] | undefined;
  declare message: string;

  /** The answers are in the descriptors, which come in one language. */
  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('texts')) return;
    document.title = `${this.texts.t('app.notebook')} · AttnLab`;
    this.message = this.say();
    void this.refresh();
  }

  private say = (): string => '';

  private tell(say: () => string): void {
    this.say = say;
    this.message = say();
  }

  /** Whether the store could be read. */
  private async refresh(): Promise<boolean> {
    const { texts } = this;
    try {
      const runs = await savedRuns();
      const ids = [...new Set(runs.map((run) => run.experiment))];
      const found = await Promise.all(ids.map((id) => site().descriptor(id, texts.language)));
      if (texts !== this.texts) return true;
      this.descriptors = new Map(
        found.filter((each) => each !== undefined).map((each) => [each.id, each]),
      );
      this.runs = runs;
      return true;
    } catch (failure) {
      this.runs = [];
      this.tell(() => messageOf(failure));
      return false;
    }
  }

  private async rename(run: SavedRun, name: string): Promise<void> {
    await this.change(renameRun(run.key, name.slice(0, 120)));
  }

  private async removeRun(run: SavedRun): Promise<void> {
    const place = this.runs?.indexOf(run) ?? 0;
    await this.change(deleteRun(run.key));
    await this.updateComplete;
    // The keyboard goes on with the run that has taken its place, or the last one.
    const left = [...this.querySelectorAll<HTMLElement>('li button')];
    (left[place] ?? left.at(-1) ?? this.querySelector<HTMLElement>('.downloads input'))?.focus();
  }

  private async change(made: Promise<void>): Promise<void> {
    await made.catch((failure: unknown) => this.tell(() => messageOf(failure)));
    await this.refresh();
  }

  private async take(file: File): Promise<void> {
    let say: () => string;
    try {
      const { language } = this.texts;
      const find = (id: string): Promise<Descriptor | undefined> => site().descriptor(id, language);
      const imported = await importRuns(await contentOf(file.text()), find);
      say = () => this.said(imported);
    } catch (failure) {
      say = () => reasonOf(failure, file.name, this.texts);
    }
    // What is said to be there is there to be seen.
    if (await this.refresh()) this.tell(say);
  }

  /** What was taken, and what was not and why. */
  private said({ taken, tooMany, odd }: Imported): string {
    const say = (key: string, count: number): string =>
      this.texts.t(count === 1 ? `${key}.one` : key, {
        count: formatNumber(count),
        most: formatNumber(MOST_RUNS),
      });
    return [
      say('notebook.imported', taken),
      ...(tooMany ? [say('notebook.tooMany', tooMany)] : []),
      ...(odd ? [say('notebook.odd', odd)] : []),
    ].join(' ');
  }

  protected override render(): TemplateResult {
    const { texts, runs } = this;
    return html`<section class="notebook">
      <h1>${texts.t('app.notebook')}</h1>
      <p>${texts.t('notebook.sentence')}</p>
      <div class="downloads">
        <button
          class="button"
          ?disabled=${!runs?.length}
          @click=${(): void => download(exportRuns(runs ?? []), 'attnlab-notebook.json', 'application/json')}
        >
          ${texts.t('notebook.export')}
        </button>
        <label class="button">
          ${texts.t('notebook.import')}
          <input
            class="visually-hidden"
            type="file"
            accept=".json"
            @change=${(event: Event): void => {
              const file = pickedFile(event);
              if (file) void this.take(file);
            }}
          />
        </label>
        <a class="button" href="#/sweep">${texts.t('sweeps.link')}</a>
      </div>
      <p class="small" role="status">${this.message ?? ''}</p>
      ${runs && !runs.length ? html`<p class="quiet">${texts.t('notebook.empty')}</p>` : nothing}
      <ul class="notebook-runs">
        ${(runs ?? []).map((run) => this.entry(run))}
      </ul>
    </section>`;
  }

  private entry(run: SavedRun): TemplateResult {
    const { texts } = this;
    const descriptor = this.descriptors?.get(run.experiment);
    const answer =
      descriptor && isSavedRun(run, descriptor)
        ? answerOf(
            descriptor,
            run.params,
            run.tables as Tables,
            (text) => texts.cell(text),
            run.status !== 'cancelled',
          )
        : '';
    return html`<li>
      <input
        aria-label=${texts.t('notebook.name')}
        .value=${run.name}
        @change=${(event: Event): void => void this.rename(run, (event.target as HTMLInputElement).value)}
      />
      <p>${typeset(answer)}</p>
      <p class="small quiet">
        <code>${run.experiment}</code> · ${texts.t('run.seed')} ${run.seed} ·
        ${String(run.savedAt).slice(0, 16).replace('T', ' ')}
        ${
          typeof run.divergedAt === 'number'
            ? `· ${texts.t('status.diverged', { step: formatNumber(run.divergedAt) })}`
            : nothing
        }
      </p>
      <p>
        <a class="button" href=${formatLink(run.experiment, new URLSearchParams({ kept: run.key }))}
          >${texts.t('front.open')}</a
        >
        <button class="button" @click=${(): void => void this.removeRun(run)}>
          ${texts.t('notebook.delete')}
        </button>
      </p>
    </li>`;
  }
}

define('al-notebook', Notebook);
