/** A table over a sweep: its headings, and a line of text for each row. */

import type { ParameterType, TableSpec } from '../descriptor.js';
import { fail, show } from '../errors.js';
import { heading, quoteText } from '../format/csv.js';
import type { Json } from '../format/json.js';
import { fromJsonNumber, toCsvNumber, toJsonNumber } from '../format/numbers.js';
import { quoteCell } from '../format/separated.js';
import { nearestNameHint } from '../names.js';
import type { SweepPlan } from './plan.js';
import type { SweepRecord } from './record.js';

/** An entry of a table: a number, a text, or nothing. */
export type Cell = Json | undefined;

/** What the cells of a column are: seeds are whole numbers up to 2^64 - 1, 'json' any lists. */
export type CellKind = 'number' | 'boolean' | 'seed' | 'text' | 'json';

/** A column's name, with its symbol and unit where it has them. */
export interface Heading {
  readonly name: string;
  readonly symbol: string;
  readonly unit: string;
  readonly kind: CellKind;
}

/** Takes the records of one point at a time, in the order of their seeds. */
export interface SweepTable {
  readonly headings: readonly Heading[];
  rows(point: number, records: Iterable<SweepRecord>): Iterable<readonly Cell[]>;
}

/** CSV, or one JSON object a line. */
export type LineFormat = 'csv' | 'jsonl';

/** By default the table 'summary', else the first. */
export function findTable({ descriptor }: SweepPlan, name: string | undefined): TableSpec {
  const { tables, id } = descriptor;
  const named = tables.find((table) => table.name === (name ?? 'summary'));
  const found = named ?? (name === undefined ? tables[0] : undefined);
  if (found) return found;
  const known = tables.map((table) => table.name);
  const hint = nearestNameHint(name ?? '', known);
  return fail('unknown-name', 'table', `${show(name)} is not a table of ${id}${hint}`);
}

const KINDS: Readonly<Record<ParameterType, CellKind>> = {
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  choice: 'text',
  text: 'text',
  numbers: 'json',
  matrix: 'json',
};

/** The varied parameters and what else leads a row. */
export function leadingHeadings({ names, descriptor }: SweepPlan): Heading[] {
  return names.map((name) => {
    const { symbol, unit, type } = descriptor.parameters.find((one) => one.name === name)!;
    return { name, symbol, unit, kind: KINDS[type] };
  });
}

/** A point's values; of a number, the number that its JSON stands for. */
export function leadingCells(plan: SweepPlan, point: number): Cell[] {
  const types = new Map(plan.descriptor.parameters.map(({ name, type }) => [name, type]));
  return Object.entries(plan.values(point)).map(([name, value]) => {
    const type = types.get(name);
    const isNumber = type === 'number' || type === 'integer';
    return isNumber ? (fromJsonNumber(value) ?? NaN) : value;
  });
}

export function plainHeading(name: string, kind: CellKind): Heading {
  return { name, symbol: '', unit: '', kind };
}

/** A column that is called as a leading one gets its table's name before its own. */
export function columnName(name: string, table: string, leading: readonly Heading[]): string {
  return leading.some((one) => one.name === name) ? `${table}.${name}` : name;
}

function csvCell(cell: Cell): string {
  if (cell === undefined) return 'NaN';
  if (typeof cell === 'number') return toCsvNumber(cell);
  if (typeof cell === 'string') return quoteText(cell);
  return quoteCell(JSON.stringify(cell));
}

/** The first line of a table; empty for JSON lines. */
export function headLine(headings: readonly Heading[], format: LineFormat): string {
  if (format === 'jsonl') return '';
  return `${headings.map((one) => heading(one.name, one)).join(',')}\n`;
}

/** One row of a table as a line. */
export function rowLine(
  headings: readonly Heading[],
  cells: readonly Cell[],
  format: LineFormat,
): string {
  if (format === 'csv') return `${cells.map(csvCell).join(',')}\n`;
  const entries = headings.map(({ name }, i): [string, Json] => {
    const cell = cells[i] ?? NaN;
    return [name, typeof cell === 'number' ? toJsonNumber(cell) : cell];
  });
  return `${JSON.stringify(Object.fromEntries(entries))}\n`;
}
