/**
 * Results as CSV. A column's heading is its name, its symbol in round brackets and its unit in
 * square ones: `tokenCount (n) [tokens]`. Several tables stand one after the other, each under a
 * line `# table NAME`.
 */

import type { Descriptor, TableSpec } from '../descriptor.js';
import { fail } from '../errors.js';
import { nearestNameHint } from '../names.js';
import { rowCount, type ColumnValues, type Table, type Tables } from '../tables.js';
import { parseNumber, toCsvNumber } from './numbers.js';
import { parseSeparated, quoteCell, type SeparatedRow } from './separated.js';

export interface CsvOptions {
  /** One table alone, without the `# table` line. */
  readonly table?: string;
  /** Gives the headings their symbols and units. */
  readonly descriptor?: Descriptor;
}

function heading(name: string, spec: TableSpec | undefined): string {
  const column = spec?.columns.find((candidate) => candidate.name === name);
  const symbol = column?.symbol ? ` (${column.symbol})` : '';
  const unit = column?.unit ? ` [${column.unit}]` : '';
  return quoteCell(`${name}${symbol}${unit}`);
}

function tableToCsv(table: Table, spec: TableSpec | undefined): string {
  const columns = Object.entries(table.columns);
  const lines = [columns.map(([name]) => heading(name, spec)).join(',')];
  const rows = rowCount(table);
  for (let i = 0; i < rows; ++i) {
    lines.push(
      columns
        .map(([, values]) =>
          values instanceof Float64Array ? toCsvNumber(values[i]!) : quoteText(values[i]!),
        )
        .join(','),
    );
  }
  return `${lines.join('\n')}\n`;
}

// A text that would read back as a number is quoted, which keeps it a text.
function quoteText(text: string): string {
  return parseNumber(text) === undefined && text !== '' ? quoteCell(text) : `"${text}"`;
}

export function toCsv(result: { readonly tables: Tables }, options: CsvOptions = {}): string {
  const { tables } = result;
  const specOf = (name: string) =>
    options.descriptor?.tables.find((candidate) => candidate.name === name);
  if (options.table !== undefined) {
    const table = Object.hasOwn(tables, options.table) ? tables[options.table] : undefined;
    if (!table) {
      const hint = nearestNameHint(options.table, Object.keys(tables));
      fail('unknown-name', 'table', `"${options.table}" is not a table of this result${hint}`);
    }
    return tableToCsv(table, specOf(options.table));
  }
  return Object.entries(tables)
    .map(([name, table]) => `# table ${name}\n${tableToCsv(table, specOf(name))}`)
    .join('\n');
}

function readColumn(rows: readonly SeparatedRow[], c: number): ColumnValues {
  const texts = rows.map(({ cells }) => cells[c]!);
  const numbers = texts.map(parseNumber);
  return numbers.every((number) => number !== undefined)
    ? Float64Array.from(numbers as number[])
    : texts;
}

function readTable(text: string, firstLine: number): Table {
  const [head, ...rows] = parseSeparated(text, ',', 'csv');
  if (!head) return { columns: {} };
  for (const { cells, line } of rows) {
    if (cells.length === head.cells.length) continue;
    const row = firstLine + line - 1;
    fail(
      'malformed',
      'csv',
      `line ${row} has ${cells.length} cells, the heading ${head.cells.length}`,
      {
        row,
      },
    );
  }
  const names = head.cells.map((cell) => /^[^\s([]+/.exec(cell)?.[0] ?? cell);
  return { columns: Object.fromEntries(names.map((name, c) => [name, readColumn(rows, c)])) };
}

/** What `toCsv` wrote. A text without `# table` lines is one table, named 'table'. */
export function fromCsv(text: string): { readonly tables: Tables } {
  const tables: Record<string, Table> = {};
  let name = 'table';
  let begun = 0;
  const lines = text.split(/\r?\n/);
  const take = (end: number): void => {
    const part = lines.slice(begun, end).join('\n');
    if (part.trim() !== '') tables[name] = readTable(part, begun + 1);
  };
  lines.forEach((line, i) => {
    const mark = /^# table (\S+)$/.exec(line);
    if (!mark) return;
    take(i);
    name = mark[1]!;
    begun = i + 1;
  });
  take(lines.length);
  return { tables };
}
