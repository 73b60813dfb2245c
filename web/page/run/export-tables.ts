/** Tables as CSV: RFC 4180; units in the header. */
import type { Column, TableSpec } from '../../lib/descriptor.ts';
import { rowCount, type TableData } from './tables.ts';

export function csvOf(spec: TableSpec, table: TableData): string {
  const columns = spec.columns.filter((each) => table.columns[each.name]);
  const lines = [columns.map((each) => quote(heading(each))).join(',')];
  for (let row = 0; row < rowCount(table); row += 1) {
    lines.push(columns.map((each) => cell(table.columns[each.name]?.[row])).join(','));
  }
  return `${lines.join('\r\n')}\r\n`;
}

function heading(column: Column): string {
  return column.unit ? `${column.name} (${column.unit})` : column.name;
}

/** Numbers are written so that they read back to the same bits; NaN and infinities by name. */
function cell(value: number | string | undefined): string {
  if (typeof value === 'number') return Object.is(value, -0) ? '-0' : String(value);
  return quote(value ?? '');
}

function quote(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
