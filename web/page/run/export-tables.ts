/** Tables as CSV (RFC 4180; units in the header) and a whole run as JSON. */
import type { Column, Descriptor, TableSpec } from '../../lib/descriptor.ts';
import type { Session } from './session.ts';
import { rowCount, type TableData, type Tables } from './tables.ts';

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

export function jsonOf(descriptor: Descriptor, session: Session): string {
  const tables: Record<string, unknown> = {};
  for (const [name, table] of Object.entries(session.tables ?? ({} as Tables))) {
    const columns: Record<string, unknown> = {};
    for (const [column, values] of Object.entries(table.columns)) {
      columns[column] = Array.from(values as ArrayLike<number | string>, jsonNumber);
    }
    tables[name] = { columns };
  }
  return `${JSON.stringify(
    {
      experiment: descriptor.id,
      version: session.version,
      status: session.status === 'built' || session.status === 'kept' ? 'done' : session.status,
      seed: session.seed,
      params: session.values,
      tables,
    },
    (_, value: unknown) => jsonNumber(value),
    1,
  )}\n`;
}

/** JSON has no NaN and no infinities: they are written as words. */
function jsonNumber(value: unknown): unknown {
  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;
}
