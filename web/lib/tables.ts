/** Tables as the library gives them: columns by name. */

import type { TableSpec } from './descriptor.js';
import type { RawTables } from './protocol.js';

/** A column: numbers, NaN where one is not known, or texts. */
export type ColumnValues = Float64Array | readonly string[];

/** A table of an experiment. */
export interface Table {
  /** All of one length, in the descriptor's order. */
  readonly columns: Readonly<Record<string, ColumnValues>>;
}

/** Tables by their names. */
export type Tables = Readonly<Record<string, Table>>;

/** Puts the descriptor's names to the columns. */
export function nameTables(specs: readonly TableSpec[], raw: RawTables): Tables {
  return Object.fromEntries(
    specs.map((spec, t) => [
      spec.name,
      {
        columns: Object.fromEntries(
          spec.columns.map((column, c) => [column.name, raw[t]![c]!] as const),
        ),
      },
    ]),
  );
}

export function emptyTables(specs: readonly TableSpec[]): Tables {
  return nameTables(
    specs,
    specs.map(({ columns }) =>
      columns.map(({ type }) => (type === 'text' ? [] : new Float64Array(0))),
    ),
  );
}

export function rowCount(table: Table): number {
  return Object.values(table.columns)[0]?.length ?? 0;
}
