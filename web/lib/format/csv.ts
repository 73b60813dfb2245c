/**
 * Results as CSV. A column's heading is its name, its symbol in round brackets and its unit in
 * square ones: `tokenCount (n) [tokens]`. Several tables stand one after the other, each under a
 * line `# table NAME`.
 */

import type { Descriptor, TableSpec } from '../descriptor.js';
import { fail, show } from '../errors.js';
import { nearestNameHint } from '../names.js';
import { Options, readList, readOnce, readSafely, requireObject } from '../options.js';
import {
  requireWholeTables,
  rowCount,
  type ColumnValues,
  type Table,
  type Tables,
} from '../tables.js';
import { parseNumber, toCsvNumber } from './numbers.js';
import { parseSeparated, quoteCell, type SeparatedRow } from './separated.js';

/** How `toCsv` writes. */
export interface CsvOptions {
  /** One table alone, without the `# table` line. */
  readonly table?: string;
  /** Gives the headings their symbols and units. */
  readonly descriptor?: Descriptor;
}

/** `name (symbol) [unit]`, as far as there are such. */
export function heading(
  name: string,
  about: { readonly symbol: string; readonly unit: string } | undefined,
): string {
  const symbol = about?.symbol ? ` (${about.symbol})` : '';
  const unit = about?.unit ? ` [${about.unit}]` : '';
  const text = `${name}${symbol}${unit}`;
  // What begins so without quotes is the line before a table.
  return text.startsWith('#') ? `"${text.replaceAll('"', '""')}"` : quoteCell(text);
}

function tableToCsv(table: Table, spec: TableSpec | undefined): string {
  const columns = Object.entries(table.columns);
  const about = (name: string) => spec?.columns.find((candidate) => candidate.name === name);
  const lines = [columns.map(([name]) => heading(name, about(name))).join(',')];
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
export function quoteText(text: string): string {
  return parseNumber(text) === undefined && text !== '' ? quoteCell(text) : `"${text}"`;
}

const TABLE_NAME = /^\S+$/;

/** What a descriptor says of its tables; none where there is no descriptor. */
function specsOf(descriptor: unknown): readonly TableSpec[] {
  if (descriptor === undefined) return [];
  const object = requireObject(descriptor, 'descriptor');
  const tables = readList(readOnce(object, 'tables', 'descriptor'), 'descriptor');
  return readSafely('descriptor', () => {
    const isSpec = (entry: unknown): entry is TableSpec =>
      typeof entry === 'object' &&
      entry !== null &&
      Array.isArray((entry as Partial<TableSpec>).columns) &&
      (entry as TableSpec).columns.every((one) => typeof one === 'object' && one !== null);
    if (tables.every(isSpec)) return tables;
    return fail('type', 'descriptor', 'has tables without columns; lab.describe() gives one');
  });
}

/**
 * A result as CSV: a column's heading is its name, with the descriptor also its symbol and unit.
 * Throws an AttnLabError where there are no tables, none of the asked name, or a name with blanks.
 *
 * @example
 * ```js
 * import { toCsv } from 'attnlab';
 *
 * const points = { columns: { n: Float64Array.of(16, 32), rms: Float64Array.of(0.5, 0.25) } };
 * const text = toCsv({ tables: { points } }, { table: 'points' });
 * console.log(text.split('\n').slice(0, 3).join(' ')); // n,rms 16,0.5 32,0.25
 * ```
 */
export function toCsv(result: { readonly tables: Tables }, options?: CsvOptions): string {
  const tables = requireWholeTables(result);
  const read = new Options(options, ['table', 'descriptor']);
  const specs = specsOf(read.get('descriptor'));
  const specOf = (name: string) => specs.find((candidate) => candidate.name === name);
  const wanted = read.anyText('table');
  if (wanted !== undefined) {
    const table = Object.hasOwn(tables, wanted) ? tables[wanted] : undefined;
    if (!table) {
      const hint = nearestNameHint(wanted, Object.keys(tables));
      fail('unknown-name', 'table', `${show(wanted)} is not a table of this result${hint}`);
    }
    return tableToCsv(table, specOf(wanted));
  }
  const unfit = Object.keys(tables).find((name) => !TABLE_NAME.test(name));
  if (unfit !== undefined) {
    fail(
      'malformed',
      'tables',
      `${show(unfit)} cannot be a name in CSV: it is empty or has blanks`,
    );
  }
  return Object.entries(tables)
    .map(([name, table]) => `# table ${name}\n${tableToCsv(table, specOf(name))}`)
    .join('\n');
}

// A cell in quotes was written as a text.
function readColumn(rows: readonly SeparatedRow[], c: number): ColumnValues {
  const texts = rows.map(({ cells }) => cells[c]!);
  const numbers = rows.map(({ cells, quoted }) => (quoted[c] ? undefined : parseNumber(cells[c]!)));
  return numbers.every((number) => number !== undefined)
    ? Float64Array.from(numbers as number[])
    : texts;
}

// A name, and behind it a symbol and a unit if there are such.
const HEADING = /^(.+?)(?: \(.*\))?(?: \[.*\])?$/s;

function readTable([head, ...rows]: readonly SeparatedRow[]): Table {
  if (!head) return { columns: {} };
  for (const { cells, line: row } of rows) {
    if (cells.length === head.cells.length) continue;
    const counts = `has ${cells.length} cells, the heading ${head.cells.length}`;
    fail('malformed', 'csv', `line ${row} ${counts}`, { row });
  }
  const names = head.cells.map((cell) => HEADING.exec(cell)?.[1] ?? cell);
  const twice = names.find((name, c) => names.indexOf(name) < c);
  if (twice !== undefined) {
    fail('malformed', 'csv', `line ${head.line} has the heading ${show(twice)} twice`, {
      row: head.line,
    });
  }
  return { columns: Object.fromEntries(names.map((name, c) => [name, readColumn(rows, c)])) };
}

function markedTable({ cells, quoted }: SeparatedRow): string | undefined {
  return cells.length === 1 && !quoted[0] ? /^# table (\S+)$/.exec(cells[0]!)?.[1] : undefined;
}

/** What `toCsv` wrote. A text without `# table` lines is one table, named 'table'. */
export function fromCsv(text: string): { readonly tables: Tables } {
  if (typeof text !== 'string') fail('type', 'csv', `is ${show(text)}; a text is expected`);
  const tables = new Map<string, SeparatedRow[]>();
  let rows: SeparatedRow[] = [];
  for (const row of parseSeparated(text, ',', 'csv')) {
    const name = markedTable(row);
    if (name === undefined) {
      if (tables.size === 0) tables.set('table', rows);
      rows.push(row);
      continue;
    }
    if (tables.has(name)) {
      fail('malformed', 'csv', `line ${row.line} begins table ${show(name)} once more`, {
        row: row.line,
      });
    }
    tables.set(name, (rows = []));
  }
  return {
    tables: Object.fromEntries([...tables].map(([name, of]) => [name, readTable(of)])),
  };
}
