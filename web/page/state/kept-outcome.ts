/** A kept run as an experiment shows it: what its descriptor knows, each value of its own kind. */
import type { Descriptor, DescriptorValue } from '../../lib/descriptor.ts';
import type { Found } from '../run/outcome.ts';
import type { ColumnValues, TableData } from '../run/tables.ts';
import type { SavedRun } from './notebook-store.ts';
import { isValueOf } from './saved-run-form.ts';
import { presetOf, presetValues } from './values.ts';

export function keptOutcome(descriptor: Descriptor, run: SavedRun): Found {
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
  const { seed, version, status = 'done', divergedAt } = run;
  const preset = presetOf(descriptor, values);
  return { preset, values, seed, version, status, divergedAt, tables: Object.fromEntries(tables) };
}
