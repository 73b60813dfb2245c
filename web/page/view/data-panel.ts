/**
 * The reader's own matrix: paste it, drop it or pick a file (CSV, TSV, JSON, .npy). What was
 * understood is shown, an error names its row and column, and nothing leaves the machine.
 */
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { MatrixLiteral, Parameter } from '../../lib/descriptor.ts';
import { formatNumber } from '../figure/format.ts';
import { typeset } from '../figure/typeset.ts';
import type { Texts } from '../state/texts.ts';
import { DropZone } from './drop-zone.ts';
import { contentOf, pickedFile } from './picked-file.ts';
import { define, Piece } from './piece.ts';
import { reasonOf } from './reason.ts';

const PREVIEW_ROWS = 4;
const PREVIEW_COLUMNS = 5;
const MAXIMUM_BYTES = 64 * 2 ** 20;

export class DataPanel extends Piece {
  static override properties = {
    parameter: { attribute: false },
    matrix: { attribute: false },
    texts: { attribute: false },
    failure: { state: true },
    understood: { state: true },
  };
  declare parameter: Parameter;
  declare matrix: MatrixLiteral;
  declare texts: Texts;
  /** Said in the language that the page has by then. */
  declare failure: (() => string) | undefined;
  /** What the reader of files says, in English; the page says it in its own language. */
  declare understood: readonly string[] | undefined;

  /** What the box and the files gave. */
  private sent: MatrixLiteral | undefined;
  /** What was given last is what counts, however long it takes to read what came before. */
  private turn = 0;

  private readonly zone = new DropZone(this, (dropped) => {
    const [file] = dropped.files;
    const text = dropped.getData('text/plain');
    if (file) void this.readFile(file);
    else if (text) void this.read(text, '', true);
  });

  /** Of a value that came from elsewhere, the box says nothing. */
  protected override willUpdate(changed: PropertyValues<this>): void {
    const before = changed.get('matrix') as MatrixLiteral | undefined;
    if (!before || sameMatrix(this.matrix, this.sent ?? before)) return;
    this.turn += 1;
    this.sent = undefined;
    this.failure = undefined;
    this.understood = [];
    this.emptyBox();
  }

  private emptyBox(): void {
    this.querySelector('textarea')!.value = '';
  }

  protected override render(): TemplateResult {
    const { parameter, texts, matrix } = this;
    return html`<fieldset
      class="data-panel ${this.zone.over ? 'over' : ''}"
      @dragover=${this.zone.enter}
      @dragleave=${this.zone.leave}
      @drop=${this.zone.drop}
    >
      <legend>
        ${parameter.symbol ? html`<i class="symbol">${typeset(parameter.symbol)}</i>` : nothing}
        ${parameter.label}
      </legend>
      <textarea
        rows="4"
        spellcheck="false"
        aria-label=${texts.t('data.paste', { name: parameter.label })}
        placeholder=${texts.t('data.example')}
        @change=${(event: Event): void => {
          const { value } = event.target as HTMLTextAreaElement;
          if (value.trim()) void this.read(value, '');
        }}
      ></textarea>
      <div class="data-actions">
        <label class="button">
          ${texts.t('data.pick')}
          <input
            class="visually-hidden"
            type="file"
            accept=".csv,.tsv,.txt,.json,.npy"
            @change=${(event: Event): void => {
              const file = pickedFile(event);
              if (file) void this.readFile(file);
            }}
          />
        </label>
        ${
          matrix.rows > 0
            ? html`<button class="button" @click=${this.clear}>${texts.t('data.clear')}</button>`
            : nothing
        }
        <span class="small quiet">${texts.t('data.private')}</span>
      </div>
      ${this.failure ? html`<p class="failure small" role="alert">${this.failure()}</p>` : nothing}
      ${matrix.rows > 0 ? this.preview() : nothing}
    </fieldset>`;
  }

  private preview(): TemplateResult {
    const { matrix, texts } = this;
    const rows = Math.min(matrix.rows, PREVIEW_ROWS);
    const columns = Math.min(matrix.columns, PREVIEW_COLUMNS);
    const more = matrix.columns > columns ? html`<td aria-hidden="true">…</td>` : nothing;
    return html`<p class="small">
        ${texts.t('data.shape', { rows: String(matrix.rows), columns: String(matrix.columns) })}
        ${this.understood?.map((each) => texts.cell(each)).join(' ')}
      </p>
      <table class="preview">
        <caption class="visually-hidden">
          ${texts.t('data.preview')}
        </caption>
        <tbody>
          ${Array.from(
            { length: rows },
            (_, row) =>
              html`<tr>
                ${Array.from(
                  { length: columns },
                  (__, column) =>
                    html`<td>
                      ${formatNumber(matrix.data[row * matrix.columns + column] ?? NaN, 3)}
                    </td>`,
                )}${more}
              </tr>`,
          )}
        </tbody>
      </table>`;
  }

  private readonly clear = (): void => {
    this.turn += 1;
    this.failure = undefined;
    this.understood = [];
    this.emptyBox();
    this.send({ rows: 0, columns: 0, data: [] });
    // The button goes with the data.
    this.querySelector('textarea')?.focus();
  };

  private async readFile(file: File): Promise<void> {
    if (file.size > MAXIMUM_BYTES) {
      this.turn += 1;
      const limit = `${MAXIMUM_BYTES / 2 ** 20} MB`;
      this.failure = (): string => this.texts.t('data.tooLarge', { limit });
      return;
    }
    await this.read(file, file.name, true);
  }

  /** `beside`: it does not stand in the box. */
  private async read(content: File | string, name: string, beside = false): Promise<void> {
    const turn = (this.turn += 1);
    // Of an experiment that was left, nothing begins again.
    const isWanted = (): boolean => turn === this.turn && this.isConnected;
    try {
      const { readMatrix } = await import('../../lib/data.ts');
      const source = typeof content === 'string' ? content : await contentOf(content.arrayBuffer());
      if (!isWanted()) return;
      const read = readMatrix(source, { name });
      this.failure = undefined;
      this.understood = read.notes;
      if (beside) this.emptyBox();
      this.send({ rows: read.rows, columns: read.columns, data: Array.from(read.data) });
    } catch (failure) {
      if (!isWanted()) return;
      this.failure = (): string => reasonOf(failure, this.parameter.label, this.texts);
    }
  }

  private send(detail: MatrixLiteral): void {
    this.sent = detail;
    this.dispatchEvent(new CustomEvent('matrix', { detail, bubbles: true }));
  }
}

function sameMatrix(a: MatrixLiteral, b: MatrixLiteral): boolean {
  const sized = a.rows === b.rows && a.columns === b.columns;
  return a === b || (sized && a.data.every((each, index) => each === b.data[index]));
}

define('al-data-panel', DataPanel);
