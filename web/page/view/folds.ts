/** What stands folded below an experiment: table, method, assumptions, limits, source, code, files. */
import { html, nothing, type TemplateResult } from 'lit';
import { unsafeHTML } from 'lit/directives/unsafe-html.js';
import type { Descriptor, Figure } from '../../lib/descriptor.ts';
import type { FigureElement } from '../figure/figure.ts';
import { typeset } from '../figure/typeset.ts';
import { csvOf } from '../run/export-tables.ts';
import { filledFigure } from '../run/fill.ts';
import type { Session } from '../run/session.ts';
import { site } from '../run/site.ts';
import type { ExperimentText, Texts } from '../state/texts.ts';
import { isShown } from '../state/values.ts';
import { download } from './download.ts';
import { failureTemplate, messageOf, reloadOr } from './failure.ts';
import { define, Piece } from './piece.ts';
import { snippetsOf } from './snippets.ts';
import { tablesTemplate } from './table.ts';

export class Folds extends Piece {
  static override properties = {
    session: { attribute: false },
    descriptor: { attribute: false },
    text: { attribute: false },
    texts: { attribute: false },
    sweeps: { type: Boolean },
    sweepReady: { state: true },
    sweepFailure: { state: true },
    saveFailure: { state: true },
    notMade: { state: true },
    open: { state: true },
    allRows: { state: true },
    copied: { state: true },
  };
  declare session: Session;
  declare descriptor: Descriptor;
  declare text: ExperimentText | undefined;
  declare texts: Texts;
  /** Whether a sweep can be run (on the page, not in an embed). */
  declare sweeps: boolean;
  declare sweepReady: boolean;
  declare sweepFailure: string | undefined;
  declare saveFailure: string | undefined;
  /** Why an image could not be made of a figure. */
  declare notMade: string | undefined;
  declare open: ReadonlySet<string>;
  declare allRows: boolean;
  declare copied: string;

  /** The figures that can be saved; given by the view that holds them. */
  figures: () => FigureElement[] = () => [];

  private drawn = 0;
  private waiting: ReturnType<typeof setTimeout> | undefined;

  /** A running table is brought up to date twice a second, and only while it is open. */
  private readonly onChange = (): void => {
    if (!this.session.busy) return this.requestUpdate();
    if (!this.open?.size || this.waiting) return;
    const wait = Math.max(0, 500 - (performance.now() - this.drawn));
    this.waiting = setTimeout(() => {
      this.waiting = undefined;
      this.drawn = performance.now();
      this.requestUpdate();
    }, wait);
  };

  override connectedCallback(): void {
    super.connectedCallback();
    this.session.addEventListener('change', this.onChange);
    this.session.addEventListener('values', this.onChange);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearTimeout(this.waiting);
    this.session.removeEventListener('change', this.onChange);
    this.session.removeEventListener('values', this.onChange);
  }

  /** `stays`: once it is there its body outlives being folded. */
  private fold(
    name: string,
    body: () => TemplateResult | TemplateResult[],
    stays = false,
  ): TemplateResult {
    const open = this.open?.has(name) ?? false;
    return html`<details
      class="fold"
      data-fold=${name}
      ?open=${open}
      @toggle=${(event: Event): void => this.toggle(name, (event.target as HTMLDetailsElement).open)}
    >
      <summary>${this.texts.t(`fold.${name}`)}</summary>
      ${open || stays ? html`<div class="fold-body">${body()}</div>` : nothing}
    </details>`;
  }

  private toggle(name: string, isOpen: boolean): void {
    if ((this.open?.has(name) ?? false) === isOpen) return;
    const open = new Set(this.open);
    if (isOpen) open.add(name);
    else open.delete(name);
    this.open = open;
  }

  protected override render(): TemplateResult {
    const { text, descriptor, session, texts } = this;
    const prose = (
      name: string,
      list: readonly string[] | undefined,
    ): TemplateResult | typeof nothing =>
      list?.length
        ? this.fold(name, () => list.map((each) => html`<p class="prose">${unsafeHTML(each)}</p>`))
        : nothing;
    return html`<div class="folds">
      ${this.fold('table', () =>
        tablesTemplate(descriptor, session.tables, texts, this.allRows, () => {
          this.allRows = true;
        }),
      )}
      ${prose('howComputed', text?.howComputed)} ${prose('assumptions', text?.assumptions)}
      ${prose('whereFails', text?.whereFails)} ${this.fold('source', () => this.source())}
      ${this.sweeps ? this.fold('sweep', () => this.sweep(), this.sweepReady) : nothing}
      ${this.fold('reproduce', () => this.reproduce())}
      ${this.fold('download', () => this.downloads())}
    </div>`;
  }

  private source(): TemplateResult {
    const { descriptor, texts } = this;
    const lines = descriptor.figures
      .flatMap((figure) => figure.marks)
      .filter((mark) => mark.source);
    const seen = new Map(lines.map((mark) => [`${mark.standing} ${mark.source}`, mark]));
    return html`<p class="prose">${typeset(descriptor.source)}</p>
      <dl class="sources">
        ${[...seen.values()].map(
          (mark) =>
            html`<dt>
                ${typeset(mark.label.replace(/\{series\}[,:]?\s*/, '') || texts.t(`role.${mark.role}`))}
                ${mark.standing === 'none' ? nothing : html`<em>${texts.t(`standing.${mark.standing}`)}</em>`}
              </dt>
              <dd>${typeset(mark.source)}</dd>`,
        )}
        ${descriptor.presets.map(
          (preset) =>
            html`<dt>${typeset(preset.label)}</dt>
              <dd>${typeset(preset.source)}</dd>`,
        )}
      </dl>`;
  }

  private sweep(): TemplateResult {
    if (!this.sweepReady) {
      if (this.sweepFailure) return this.failed(this.sweepFailure);
      import('../sweep/sweep-fold.ts').then(
        () => (this.sweepReady = true),
        (failure: unknown) => (this.sweepFailure = messageOf(failure)),
      );
      return html`<p class="small quiet" role="status">${this.texts.t('app.loading')}</p>`;
    }
    return html`<al-sweep-fold
      .session=${this.session}
      .descriptor=${this.descriptor}
      .texts=${this.texts}
      .open=${this.open?.has('sweep') ?? false}
    ></al-sweep-fold>`;
  }

  private reproduce(): TemplateResult {
    const base = site().base?.href ?? 'https://your.site/attnlab/';
    const snippets = snippetsOf(this.descriptor, this.session, base, this.texts.language);
    return html`${Object.entries(snippets).map(
      ([name, code]) =>
        html`<div class="snippet">
          <div class="snippet-head">
            <h2>${this.texts.t(`reproduce.${name}`)}</h2>
            <button class="button" @click=${(): void => void this.copy(name, code as string)}>
              ${this.copied === name ? this.texts.t('reproduce.copied') : this.texts.t('reproduce.copy')}
            </button>
          </div>
          <pre tabindex="0" data-snippet=${name}><code>${code}</code></pre>
        </div>`,
    )}`;
  }

  private async copy(name: string, code: string): Promise<void> {
    try {
      await navigator.clipboard.writeText(code);
      this.copied = name;
      setTimeout(() => (this.copied = ''), 4000);
    } catch {
      // No clipboard (an insecure page, a sandboxed frame): select the code for the reader's own copy.
      const block = this.querySelector(`[data-snippet="${name}"]`);
      if (block) getSelection()?.selectAllChildren(block);
    }
  }

  private downloads(): TemplateResult {
    const { descriptor, session, texts } = this;
    const name = `${descriptor.id}-seed-${session.shown.seed}`;
    const tables = descriptor.tables.filter((each) => session.tables?.[each.name]);
    const figures = descriptor.figures.filter((each) =>
      isShown(each.shownWhen, session.shown.values),
    );
    const button = (key: string, label: string, act: () => void): TemplateResult =>
      html`<button class="button" data-download=${key} ?disabled=${!session.tables} @click=${act}>
        ${label}
      </button>`;
    return html`${this.saveFailure ? this.failed(this.saveFailure) : nothing}
      ${this.notMade ? html`<p class="notice" role="alert">${this.notMade}</p>` : nothing}
      <div class="downloads">
        ${tables.map((spec) =>
          button(`csv-${spec.name}`, texts.t('download.csv', { name: spec.label }), () =>
            download(
              csvOf(spec, session.tables?.[spec.name] ?? { columns: {} }),
              `${name}-${spec.name}.csv`,
              'text/csv',
            ),
          ),
        )}
        ${button('json', texts.t('download.json'), () => void this.saveRun(`${name}.json`))}
        ${figures.map((figure) =>
          (['svg', 'png'] as const).map((kind) =>
            button(
              `${kind}-${figure.name}`,
              texts.t(`download.${kind}`, { name: this.labelOf(figure) }),
              () => void this.saveFigure(figure.name, kind, `${name}-${figure.name}.${kind}`),
            ),
          ),
        )}
      </div>`;
  }

  private labelOf(figure: Figure): string {
    const { descriptor, session, texts } = this;
    const say = (text: string): string => texts.cell(text);
    return filledFigure(figure, descriptor, session.shown.values, session.tables, say).label;
  }

  private async saveRun(name: string): Promise<void> {
    const { descriptor, session } = this;
    const { found } = session;
    if (!found) return;
    this.saveFailure = '';
    try {
      const { jsonOf } = await import('../run/export-run.ts');
      download(jsonOf(descriptor.id, found), name, 'application/json');
    } catch (failure) {
      this.saveFailure = messageOf(failure);
    }
  }

  private async saveFigure(figure: string, kind: 'svg' | 'png', name: string): Promise<void> {
    const element = this.figures().find((each) => each.figure.name === figure);
    if (!element) return;
    this.saveFailure = '';
    this.notMade = '';
    try {
      const { svgOf, pngOf } = await import('../figure/export-figure.ts');
      const markup = svgOf(element, this.descriptor, this.texts);
      if (kind === 'svg') download(markup, name, 'image/svg+xml');
      else
        await pngOf(markup).then(
          (image) => download(image, name, 'image/png'),
          (failure: unknown) => (this.notMade = this.texts.cell(messageOf(failure))),
        );
    } catch (failure) {
      this.saveFailure = messageOf(failure);
    }
  }

  private failed(message: string): TemplateResult {
    return failureTemplate(this.texts, 'app.failed.view', message, () =>
      reloadOr(this, () => {
        this.sweepFailure = '';
        this.saveFailure = '';
      }),
    );
  }
}

define('al-folds', Folds);
