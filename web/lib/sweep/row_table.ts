/** The rows of one table of every run, led by the varied parameters, the seed and the status. */

import type { Column, TableSpec } from '../descriptor.js';
import { fromJsonNumber } from '../format/numbers.js';
import type { SweepPlan } from './plan.js';
import { columnsOf, type SweepRecord } from './record.js';
import {
  columnName,
  findTable,
  leadingCells,
  leadingHeadings,
  plainHeading,
  type Cell,
  type Heading,
  type SweepTable,
} from './sweep_table.js';

const nothing = ({ type }: Column): Cell => (type === 'text' ? '' : NaN);

export class RowTable implements SweepTable {
  readonly headings: readonly Heading[];
  readonly #plan: SweepPlan;
  readonly #spec: TableSpec;

  constructor(plan: SweepPlan, table?: string) {
    this.#plan = plan;
    this.#spec = findTable(plan, table);
    const leading = [
      ...leadingHeadings(plan),
      plainHeading('seed', 'seed'),
      plainHeading('status', 'text'),
    ];
    const columns = this.#spec.columns.map(({ name, symbol, unit, type }) => ({
      name: columnName(name, this.#spec.name, leading),
      symbol,
      unit,
      kind: type,
    }));
    this.headings = [...leading, ...columns];
  }

  *rows(point: number, records: Iterable<SweepRecord>): Iterable<readonly Cell[]> {
    const { columns } = this.#spec;
    const values = leadingCells(this.#plan, point);
    for (const record of records) {
      const lead: readonly Cell[] = [...values, record.seed, record.status];
      const found = columnsOf(record, this.#spec.name);
      const count = found[columns[0]!.name]?.length ?? 0;
      // A run that has none is not lost from the table.
      if (count === 0 && record.status !== 'done') yield [...lead, ...columns.map(nothing)];
      for (let row = 0; row < count; ++row) {
        const cells = columns.map(({ name, type }): Cell => {
          const value = found[name]?.[row];
          return type === 'text' ? String(value) : (fromJsonNumber(value) ?? NaN);
        });
        yield [...lead, ...cells];
      }
    }
  }
}
