/** The tables of a run, as the library gives them. */

export type ColumnValues = Float64Array | readonly number[] | readonly string[];

export interface TableData {
  readonly columns: Readonly<Record<string, ColumnValues>>;
}

export type Tables = Readonly<Record<string, TableData>>;

export function rowCount(table: TableData | undefined): number {
  if (!table) return 0;
  return Math.max(0, ...Object.values(table.columns).map((column) => column.length));
}

export function column(tables: Tables, table: string, name: string): ColumnValues | undefined {
  return name ? tables[table]?.columns[name] : undefined;
}

/** A number of a column; NaN where there is none. */
export function numberAt(values: ColumnValues | undefined, row: number): number {
  const value = values?.[row];
  return typeof value === 'number' ? value : NaN;
}
