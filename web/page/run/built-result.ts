/**
 * The compact form of a result made at build time (written by web/build/results.mjs): numbers as
 * JSON gives them back to the bit, with words for the three that JSON has no number for.
 */
import type { Values } from '../state/values.ts';
import type { BuiltResult } from './site.ts';
import type { ColumnValues, TableData } from './tables.ts';

type PackedColumn = readonly (number | 'NaN' | 'Infinity' | '-Infinity')[] | { text: string[] };

export interface PackedResult {
  readonly experiment: string;
  readonly preset: string;
  readonly version: string;
  readonly seed: string;
  readonly status: string;
  readonly divergedAt?: number;
  readonly params: Values;
  readonly tables: Readonly<Record<string, Readonly<Record<string, PackedColumn>>>>;
}

export function unpackResult(packed: PackedResult): BuiltResult {
  const tables: Record<string, TableData> = {};
  for (const [name, columns] of Object.entries(packed.tables)) {
    const unpacked: Record<string, ColumnValues> = {};
    for (const [columnName, values] of Object.entries(columns)) {
      unpacked[columnName] = 'text' in values ? values.text : Float64Array.from(values, Number);
    }
    tables[name] = { columns: unpacked };
  }
  return { ...packed, tables };
}
