/** Tables as the library gives them: columns by name. */

import type { TableSpec } from './descriptor.js';
import { fail, show } from './errors.js';
import { readOnce, readSafely, requireObject } from './options.js';
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

function requireColumn(value: unknown, where: string): ColumnValues {
  if (value instanceof Float64Array) return value;
  if (Array.isArray(value) && value.every((entry) => typeof entry === 'string')) return value;
  return fail(
    'type',
    'result',
    `has ${show(value)} as ${where}; a Float64Array or texts are expected`,
  );
}

/** A result's tables. Throws an AttnLabError where they are none, or not as a run gives them. */
export function requireTables(result: unknown): Tables {
  return readSafely('result', () => {
    const object = requireObject(result, 'result');
    const tables = requireRecord(readOnce(object, 'tables', 'result'), 'its tables');
    return mapValues(tables, (table, name) => {
      const where = `the table ${show(name)}`;
      const columns = requireRecord(requireRecord(table, where)['columns'], `columns of ${where}`);
      const read = mapValues(columns, (column, of) =>
        requireColumn(column, `the column ${show(of)} of ${where}`),
      );
      return { columns: read };
    });
  });
}

/** The same, of columns that are all of one length. */
export function requireWholeTables(result: unknown): Tables {
  const tables = requireTables(result);
  for (const [name, { columns }] of Object.entries(tables)) {
    const lengths = new Set(Object.values(columns).map(({ length }) => length));
    if (lengths.size <= 1) continue;
    fail('shape', 'result', `has columns of different lengths in the table ${show(name)}`);
  }
  return tables;
}

function requireRecord(value: unknown, where: string): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>;
  }
  const expected = 'what run() resolves to is expected';
  return fail('type', 'result', `has ${show(value)} as ${where}; ${expected}`);
}

const mapValues = <From, To>(
  object: Readonly<Record<string, From>>,
  change: (value: From, name: string) => To,
): Record<string, To> =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value, name)]));

export function rowCount(table: Table): number {
  return Object.values(table.columns)[0]?.length ?? 0;
}
