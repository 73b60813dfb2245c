/** The table behind a figure: what the chart shows, as a table that can be read aloud and copied. */
import { html, nothing, type TemplateResult } from 'lit';
import type { Column, Descriptor, TableSpec } from '../../lib/descriptor.ts';
import { formatNumber } from '../figure/format.ts';
import { typeset } from '../figure/typeset.ts';
import { rowCount, type Tables } from '../run/tables.ts';
import type { Texts } from '../state/texts.ts';

const ROWS_AT_FIRST = 60;

export function tablesTemplate(
  descriptor: Descriptor,
  tables: Tables | undefined,
  texts: Texts,
  all: boolean,
  showAll: () => void,
): TemplateResult {
  return html`${descriptor.tables
    .filter((spec) => rowCount(tables?.[spec.name]) > 0)
    .map((spec) => tableTemplate(spec, tables ?? {}, texts, all, showAll))}`;
}

function tableTemplate(
  spec: TableSpec,
  tables: Tables,
  texts: Texts,
  all: boolean,
  showAll: () => void,
): TemplateResult {
  const rows = rowCount(tables[spec.name]);
  const shown = all ? rows : Math.min(rows, ROWS_AT_FIRST);
  const columns = spec.columns.filter((each) => tables[spec.name]?.columns[each.name]);
  return html`<div class="table-scroll" tabindex="0" role="region" aria-label=${spec.label}>
      <table data-table=${spec.name}>
        <caption>
          ${typeset(spec.label)}
        </caption>
        <thead>
          <tr>
            ${columns.map((each) => headTemplate(each))}
          </tr>
        </thead>
        <tbody>
          ${Array.from(
            { length: shown },
            (_, row) =>
              html`<tr>
                ${columns.map((each) => cellTemplate(each, tables[spec.name]?.columns[each.name]?.[row], texts))}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
    ${
      shown < rows
        ? html`<button class="button" @click=${showAll}>
            ${texts.t('table.all', { count: String(rows) })}
          </button>`
        : nothing
    }`;
}

function headTemplate(column: Column): TemplateResult {
  const unit = column.unit && !column.label.includes(column.unit) ? ` (${column.unit})` : '';
  return html`<th scope="col" class=${column.type}>
    ${typeset(column.label)}${
      column.symbol ? html` <i class="symbol">${typeset(column.symbol)}</i>` : nothing
    }${unit}
  </th>`;
}

function cellTemplate(
  column: Column,
  value: number | string | undefined,
  texts: Texts,
): TemplateResult {
  if (typeof value === 'number') {
    return html`<td class="number" data-value=${String(value)}>${formatNumber(value, 5)}</td>`;
  }
  return html`<td class=${column.type}>${texts.cell(value ?? '')}</td>`;
}
