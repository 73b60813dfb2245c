/** The boxes of one varied parameter: which it is, and a range, a list or a choice of its values. */
import { html, nothing, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import type { Parameter } from '../../lib/descriptor.ts';
import type { Texts } from '../state/texts.ts';
import type { Values } from '../state/values.ts';
import {
  isNumber,
  namesOf,
  proposeAxis,
  SPACINGS,
  type AxisForm,
  type Spacing,
} from './plan-form.ts';

export interface AxisInput {
  readonly place: 0 | 1;
  readonly axis: AxisForm | undefined;
  readonly choices: readonly Parameter[];
  readonly values: Values;
  readonly texts: Texts;
}

type Take = (axis: AxisForm | undefined) => void;

export function axisTemplate(input: AxisInput, take: Take): TemplateResult {
  const { axis, choices, texts, place, values } = input;
  const parameter = choices.find(({ name }) => name === axis?.name);
  const choose = (event: Event): void => {
    const { value } = event.target as HTMLSelectElement;
    const chosen = choices.find(({ name }) => name === value);
    take(chosen && proposeAxis(chosen, values[value]));
  };
  const key = place === 0 ? 'sweep.first' : 'sweep.second';
  return html`<div class="sweep-axis" data-axis=${String(place)}>
    <label class="pick">
      <span>${texts.t(key)}</span>
      <select data-sweep="parameter" @change=${choose}>
        ${place === 1 ? html`<option value="" .selected=${live(!axis)}>${texts.t('sweep.none')}</option>` : nothing}
        ${choices.map(
          ({ name, label, symbol }) =>
            html`<option value=${name} .selected=${live(name === axis?.name)}>
              ${label}${symbol ? `, ${symbol}` : ''}
            </option>`,
        )}
      </select>
    </label>
    ${axis && parameter ? valuesTemplate(parameter, axis, texts, take) : nothing}
  </div>`;
}

function valuesTemplate(
  parameter: Parameter,
  axis: AxisForm,
  texts: Texts,
  take: Take,
): TemplateResult {
  if (!isNumber(parameter)) return namesTemplate(parameter, axis, take);
  const box = (field: 'from' | 'to' | 'count' | 'list'): TemplateResult =>
    html`<label class="pick ${field === 'list' ? '' : 'narrow'}">
      <span>${texts.t(`sweep.${field}`)}</span>
      <input
        type="text"
        inputmode=${field === 'list' ? 'text' : 'decimal'}
        autocomplete="off"
        spellcheck="false"
        data-sweep=${field}
        .value=${axis[field]}
        @input=${(event: Event): void => take({ ...axis, [field]: (event.target as HTMLInputElement).value })}
      />
    </label>`;
  return html`<label class="pick">
      <span>${texts.t('sweep.spacing')}</span>
      <select
        data-sweep="spacing"
        @change=${(event: Event): void => take({ ...axis, spacing: (event.target as HTMLSelectElement).value as Spacing })}
      >
        ${SPACINGS.map(
          (each) =>
            html`<option value=${each} .selected=${live(each === axis.spacing)}>
              ${texts.t(`sweep.spacing.${each}`)}
            </option>`,
        )}
      </select>
    </label>
    ${axis.spacing === 'list' ? box('list') : html`${box('from')} ${box('to')} ${box('count')}`}`;
}

function namesTemplate(parameter: Parameter, axis: AxisForm, take: Take): TemplateResult {
  const labelOf = (name: string): string =>
    parameter.choices.find((choice) => choice.name === name)?.label ??
    (name === 'true' ? '✓' : '✗');
  const toggle = (name: string): void => {
    const chosen = namesOf(parameter).filter((each) =>
      each === name ? !axis.chosen.includes(each) : axis.chosen.includes(each),
    );
    take({ ...axis, chosen });
  };
  return html`<div class="presets" role="group" aria-label=${parameter.label}>
    ${namesOf(parameter).map(
      (name) =>
        html`<button
          type="button"
          class="chip"
          data-value=${name}
          aria-pressed=${axis.chosen.includes(name) ? 'true' : 'false'}
          @click=${(): void => toggle(name)}
        >
          ${labelOf(name)}
        </button>`,
    )}
  </div>`;
}
