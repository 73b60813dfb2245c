/** The selects above a sweep's figure. */
import { html, nothing, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import type { Descriptor } from '../../lib/descriptor.ts';
import type { Texts } from '../state/texts.ts';
import type { SweptAxis } from './axes.ts';
import type { Picks } from './picks.ts';
import { isHeatMap, rowName } from './picture.ts';
import type { RunNumbers } from './run-numbers.ts';

export interface PicksInput {
  readonly picks: Picks;
  readonly numbers: RunNumbers;
  readonly axes: readonly SweptAxis[];
  readonly descriptor: Descriptor;
  readonly texts: Texts;
}

type Change = (change: Partial<Picks>) => void;

export function picksTemplate(input: PicksInput, change: Change): TemplateResult {
  return html`<div class="picks">
    ${columnPick(input, change)} ${rowPick(input, change)} ${axisPicks(input, change)}
    ${heldPicks(input, change)}
  </div>`;
}

function pick(
  name: string,
  label: string,
  options: TemplateResult | readonly TemplateResult[],
  take: (value: string) => void,
): TemplateResult {
  return html`<label class="pick">
    <span>${label}</span>
    <select
      data-pick=${name}
      @change=${(event: Event): void => take((event.target as HTMLSelectElement).value)}
    >
      ${options}
    </select>
  </label>`;
}

const option = (value: string, text: string, selected: boolean): TemplateResult =>
  html`<option value=${value} .selected=${live(selected)}>${text}</option>`;

function columnPick({ picks, descriptor, texts }: PicksInput, change: Change): TemplateResult {
  const groups = descriptor.tables.map(
    (table) =>
      html`<optgroup label=${table.label}>
        ${table.columns
          .filter(({ type }) => type === 'number')
          .map(({ name, label, symbol }) =>
            option(
              `${table.name}.${name}`,
              symbol ? `${label}, ${symbol}` : label,
              picks.table === table.name && picks.column === name,
            ),
          )}
      </optgroup>`,
  );
  return pick('column', texts.t('sweep.column'), groups, (value) => {
    const [table, column] = value.split('.') as [string, string];
    const row = table === picks.table ? picks.row : 'last';
    change({ table, column, row });
  });
}

function rowPick(
  { picks, numbers, axes, texts }: PicksInput,
  change: Change,
): TemplateResult | typeof nothing {
  if (numbers.rows.length < 2) return nothing;
  const named = (name: string): SweptAxis | undefined =>
    axes.find(({ parameter }) => parameter.name === name);
  const heat = isHeatMap({ x: named(picks.x), y: named(picks.y) });
  const rows = [
    option('last', texts.t('sweep.row.last'), picks.row === 'last'),
    ...(heat ? [] : [option('each', texts.t('sweep.row.each'), picks.row === 'each')]),
    ...numbers.rows.map((row) =>
      option(String(row), rowName(numbers, row, texts), picks.row === row),
    ),
  ];
  return pick('row', texts.t('sweep.row'), rows, (value) =>
    change({ row: value === 'last' || value === 'each' ? value : Number(value) }),
  );
}

function axisPicks(
  { picks, axes, texts }: PicksInput,
  change: Change,
): TemplateResult | typeof nothing {
  if (axes.length < 2) return nothing;
  const names = (chosen: string): TemplateResult[] =>
    axes.map(({ parameter: { name, label } }) => option(name, label, name === chosen));
  // What stood on the other axis changes places with it.
  const x = (name: string): void => change({ x: name, y: name === picks.y ? picks.x : picks.y });
  const y = (name: string): void => change({ y: name, x: name === picks.x ? picks.y : picks.x });
  return html`${pick('x', texts.t('sweep.x'), names(picks.x), x)}
  ${pick('y', texts.t('sweep.y'), [option('', texts.t('sweep.none'), picks.y === ''), ...names(picks.y)], y)}`;
}

const MOST_OPTIONS = 200;

function heldPicks({ picks, axes, texts }: PicksInput, change: Change): TemplateResult[] {
  return axes
    .filter(
      ({ parameter: { name }, values }) =>
        name !== picks.x && name !== picks.y && values.length > 1,
    )
    .map(({ parameter: { name, label }, labels }) => {
      const options = labels
        .slice(0, MOST_OPTIONS)
        .map((text, i) => option(String(i), text, picks.held[name] === i));
      const all = option('', texts.t('sweep.all'), picks.held[name] === undefined);
      return pick(`held-${name}`, label, [all, ...options], (value) => {
        const { [name]: _, ...rest } = picks.held;
        change({ held: value === '' ? rest : { ...rest, [name]: Number(value) } });
      });
    });
}
