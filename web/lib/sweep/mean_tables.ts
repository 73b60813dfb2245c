/**
 * The tables of a point with the seeds averaged out: of each number its mean over the runs, and in
 * the place of a figure's error bars the standard error of that mean. Rows are matched by their place.
 */

import type { Column, Descriptor, TableSpec } from '../descriptor.js';
import { fromJsonNumber } from '../format/numbers.js';
import type { Tables } from '../tables.js';
import { Moments } from './moments.js';
import { columnsOf, type SweepRecord } from './record.js';

/** The column that a column holds the error bars of, where a figure says so. */
function barsOf({ figures }: Descriptor, table: string, error: string): string | undefined {
  const marks = figures.flatMap((figure) => figure.marks);
  return marks.find((mark) => mark.table === table && mark.error === error)?.y;
}

/** By row: what the runs have in a column. */
function byRow(records: readonly SweepRecord[], table: string, column: string): unknown[][] {
  const found: unknown[][] = [];
  for (const record of records) {
    columnsOf(record, table)[column]?.forEach((value, row) => (found[row] ??= []).push(value));
  }
  return found;
}

function momentsOf(values: readonly unknown[]): Moments {
  const moments = new Moments();
  for (const value of values) moments.add(fromJsonNumber(value) ?? NaN);
  return moments;
}

function meanColumn(
  descriptor: Descriptor,
  table: string,
  { name, type }: Column,
  records: readonly SweepRecord[],
): Float64Array | string[] {
  const rows = byRow(records, table, name);
  if (type === 'text') {
    return rows.map(([first, ...more]) => (more.every((one) => one === first) ? `${first}` : ''));
  }
  const measured = records.length > 1 ? barsOf(descriptor, table, name) : undefined;
  if (measured !== undefined) {
    const values = byRow(records, table, measured);
    return Float64Array.from(values, (over) => momentsOf(over).standardError);
  }
  return Float64Array.from(rows, (over) => {
    const { count, mean } = momentsOf(over);
    return count === 0 ? NaN : mean;
  });
}

/** Of runs of one point, those that failed left out. */
export function meanTables(descriptor: Descriptor, records: readonly SweepRecord[]): Tables {
  const used = records.filter(({ status }) => status !== 'failed');
  const columns = ({ name, columns: specs }: TableSpec): Tables[string]['columns'] =>
    Object.fromEntries(
      specs.map((column) => [column.name, meanColumn(descriptor, name, column, used)]),
    );
  return Object.fromEntries(
    descriptor.tables.map((table) => [table.name, { columns: columns(table) }]),
  );
}
