/** One control, generated from its parameter. */
import { html, nothing, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import type { DescriptorValue, Parameter } from '../../lib/descriptor.ts';
import { formatNumber, formatPlain } from '../figure/format.ts';
import { typeset } from '../figure/typeset.ts';
import type { Session } from '../run/session.ts';
import { clampNumber, clampText, parseNumber } from '../state/clamp.ts';
import type { Texts } from '../state/texts.ts';
import { isMatrix } from '../state/values.ts';
import { messageOf } from './failure.ts';
import { isForBrowser } from './keys.ts';
import { define, Piece } from './piece.ts';
import { sliderScale, stepped } from './slider.ts';

let controls = 0;

export class Control extends Piece {
  static override properties = {
    parameter: { attribute: false },
    value: { attribute: false },
    session: { attribute: false },
    texts: { attribute: false },
    notice: { state: true },
  };
  declare parameter: Parameter;
  declare value: DescriptorValue;
  declare session: Session;
  declare texts: Texts;
  declare notice: string;

  private readonly key = `control-${(controls += 1)}`;

  private change(value: DescriptorValue): void {
    this.notice = '';
    this.session.set(this.parameter.name, value);
  }

  protected override render(): TemplateResult {
    const { parameter } = this;
    return html`<div class="control control-${parameter.type}" data-parameter=${parameter.name}>
      ${this.body()}
      ${parameter.help ? html`<p class="help" id="${this.key}-help">${typeset(parameter.help)}</p>` : nothing}
      ${this.notice ? html`<p class="control-notice" role="status">${this.notice}</p>` : nothing}
    </div>`;
  }

  private body(): TemplateResult {
    switch (this.parameter.type) {
      case 'number':
      case 'integer':
        return this.numberBody();
      case 'boolean':
        return this.booleanBody();
      case 'choice':
        return this.choiceBody();
      case 'numbers':
        return this.listBody();
      case 'text':
        return this.textBody();
      case 'matrix':
        return this.matrixBody();
    }
  }

  private label(): TemplateResult {
    const { symbol, label, unit } = this.parameter;
    const shownUnit = unit && !label.toLowerCase().includes(unit.toLowerCase()) ? unit : '';
    return html`<label for=${this.key}>
      ${symbol ? html`<i class="symbol">${typeset(symbol)}</i>` : nothing}
      <span
        >${typeset(label)}${shownUnit ? html` <span class="unit">(${shownUnit})</span>` : nothing}</span
      >
    </label>`;
  }

  private numberBody(): TemplateResult {
    const { parameter, texts } = this;
    const value = this.value as number;
    const scale = sliderScale(parameter);
    return html`${this.label()}
      <input
        class="number-box"
        type="text"
        inputmode=${parameter.minimum < 0 ? 'text' : 'decimal'}
        autocomplete="off"
        aria-label=${texts.t('control.exact', { name: parameter.label })}
        .value=${live(formatPlain(value))}
        @change=${this.takeNumber}
      />
      <input
        id=${this.key}
        type="range"
        min=${scale.minimum}
        max=${scale.maximum}
        step=${scale.step}
        .value=${live(String(scale.toSlider(value)))}
        aria-valuetext=${formatNumber(value)}
        aria-describedby=${parameter.help ? `${this.key}-help` : nothing}
        @input=${(event: Event): void => {
          const next = scale.fromSlider(Number((event.target as HTMLInputElement).value));
          if (next !== this.value) this.change(next);
        }}
        @keydown=${this.slideByKey}
      />`;
  }

  private readonly takeNumber = (event: Event): void => {
    const box = event.target as HTMLInputElement;
    const given = parseNumber(box.value);
    const clamped = clampNumber(this.parameter, given, box.value, this.texts);
    if (clamped.refused) {
      this.notice = clamped.notice ?? '';
      box.value = formatPlain(this.value as number);
      return;
    }
    this.change(clamped.value);
    this.notice = clamped.notice ?? '';
  };

  /** Arrow keys move by one value, not by one pixel; Home and End go to the limits. */
  private readonly slideByKey = (event: KeyboardEvent): void => {
    if (isForBrowser(event)) return;
    const { parameter } = this;
    const value = this.value as number;
    let next = value;
    if (event.key === 'ArrowRight' || event.key === 'ArrowUp') next = stepped(parameter, value, 1);
    else if (event.key === 'ArrowLeft' || event.key === 'ArrowDown')
      next = stepped(parameter, value, -1);
    else if (event.key === 'Home') next = parameter.minimum;
    else if (event.key === 'End') next = parameter.maximum;
    else if (event.key === 'PageUp' || event.key === 'PageDown') {
      const direction = event.key === 'PageUp' ? 1 : -1;
      for (let i = 0; i < 10; i += 1) next = stepped(parameter, next, direction);
    } else return;
    event.preventDefault();
    if (next !== value) this.change(next);
  };

  private booleanBody(): TemplateResult {
    return html`<div class="check">
      <input
        id=${this.key}
        type="checkbox"
        .checked=${live(this.value === true)}
        @change=${(event: Event): void => this.change((event.target as HTMLInputElement).checked)}
      />${this.label()}
    </div>`;
  }

  private choiceBody(): TemplateResult {
    const { parameter } = this;
    return html`${this.label()}
      <select
        id=${this.key}
        aria-describedby=${parameter.help ? `${this.key}-help` : nothing}
        @change=${(event: Event): void => this.change((event.target as HTMLSelectElement).value)}
      >
        ${parameter.choices.map(
          (choice) =>
            html`<option value=${choice.name} .selected=${live(choice.name === this.value)}>
              ${choice.label}
            </option>`,
        )}
      </select>`;
  }

  private listBody(): TemplateResult {
    const entries = this.value as readonly number[];
    return html`${this.label()}
      <input
        id=${this.key}
        type="text"
        class="list-box"
        autocomplete="off"
        spellcheck="false"
        .value=${live(entries.map(formatPlain).join(', '))}
        aria-describedby=${this.parameter.help ? `${this.key}-help` : nothing}
        @change=${(event: Event): void => this.takeText(event.target as HTMLInputElement)}
      />`;
  }

  private textBody(): TemplateResult {
    return html`${this.label()}
      <textarea
        id=${this.key}
        rows="5"
        .value=${live(String(this.value))}
        aria-describedby=${this.parameter.help ? `${this.key}-help` : nothing}
        @change=${(event: Event): void => this.takeText(event.target as HTMLTextAreaElement)}
      ></textarea>`;
  }

  private takeText(box: HTMLInputElement | HTMLTextAreaElement): void {
    const clamped = clampText(this.parameter, box.value, this.texts);
    if (clamped.refused) this.requestUpdate();
    else this.change(clamped.value);
    this.notice = clamped.notice ?? '';
  }

  /** Few experiments show one at first: its script comes when it is wanted, and makes it whole. */
  private matrixBody(): TemplateResult {
    import('./data-panel.ts').catch((failure: unknown) => (this.notice = messageOf(failure)));
    const value = isMatrix(this.value) ? this.value : { rows: 0, columns: 0, data: [] };
    return html`<al-data-panel
      .parameter=${this.parameter}
      .matrix=${value}
      .texts=${this.texts}
      @matrix=${(event: CustomEvent<DescriptorValue>): void => this.change(event.detail)}
    ></al-data-panel>`;
  }
}

define('al-control', Control);
