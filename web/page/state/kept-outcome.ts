/** A kept run as an experiment shows it: what its descriptor knows, each value of its own kind. */
import type { Descriptor, DescriptorValue } from '../../lib/descriptor.ts';
import type { ColumnValues, TableData, Tables } from '../run/tables.ts';
import type { SavedRun } from './notebook-store.ts';
import { isValueOf } from './saved-run-form.ts';
import { presetValues, type Values } from './values.ts';

export interface KeptOutcome {
  readonly values: Values;
  readonly seed: string;
  readonly tables: Tables;
  readonly version: string;
}

export function keptOutcome(descriptor: Descriptor, run: SavedRun): KeptOutcome {
  const values: Record<string, DescriptorValue> = {
    ...presetValues(descriptor, descriptor.presets[0]?.name ?? ''),
  };
  for (const parameter of descriptor.parameters) {
    const value = run.params[parameter.name];
    if (value !== undefined && isValueOf(parameter, value)) values[parameter.name] = value;
  }
  const tables = descriptor.tables.map(({ name, columns }): [string, TableData] => {
    const kept = run.tables[name]?.columns ?? {};
    const rows = Math.min(...columns.map((column) => kept[column.name]?.length ?? 0));
    const read = columns.map(({ name: column, type }): [string, ColumnValues] => {
      const cells = (kept[column] ?? []).slice(0, rows);
      return [column, type === 'text' ? cells.map(String) : Float64Array.from(cells, Number)];
    });
    return [name, { columns: Object.fromEntries(read) }];
  });
  const { seed, version } = run;
  return { values, seed, version, tables: Object.fromEntries(tables) };
}
