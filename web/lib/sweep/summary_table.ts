/**
 * One table over the seeds: for each point and each row of the table, how many values there are,
 * their mean, its standard error, and quantiles. Rows of a table are matched by their place.
 */

import type { Column, TableSpec } from '../descriptor.js';
import { fromJsonNumber } from '../format/numbers.js';
import { Moments } from './moments.js';
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

const QUANTILES = [0.05, 0.25, 0.5, 0.75, 0.95] as const;
const STATISTICS = [
  'count',
  'mean',
  'standardError',
  ...QUANTILES.map((share) => `q${String(100 * share).padStart(2, '0')}`),
];

/** Between the two nearest ranks (type 7 of Hyndman and Fan, The American Statistician 50, 1996). */
export function quantile(sorted: readonly number[], share: number): number {
  if (sorted.length === 0) return NaN;
  const at = share * (sorted.length - 1);
  const below = sorted[Math.floor(at)]!;
  const above = sorted[Math.ceil(at)]!;
  // Equal neighbours may both be infinite.
  return below === above ? below : below + (above - below) * (at - Math.floor(at));
}

function statistics(values: readonly number[]): readonly number[] {
  const moments = new Moments();
  for (const value of values) moments.add(value);
  const sorted = values.filter((value) => !Number.isNaN(value)).sort((a, b) => a - b);
  const { count, mean, standardError } = moments;
  return [
    count,
    count === 0 ? NaN : mean,
    standardError,
    ...QUANTILES.map((share) => quantile(sorted, share)),
  ];
}

function headingsOf({ type, symbol, unit }: Column, name: string): Heading[] {
  if (type === 'text') return [{ name, symbol, unit, kind: type }];
  return STATISTICS.map((statistic) => ({
    name: `${name}.${statistic}`,
    symbol: '',
    unit: statistic === 'count' ? '' : unit,
    kind: type,
  }));
}

export class SummaryTable implements SweepTable {
  readonly headings: readonly Heading[];
  readonly #plan: SweepPlan;
  readonly #spec: TableSpec;

  constructor(plan: SweepPlan, table?: string) {
    this.#plan = plan;
    this.#spec = findTable(plan, table);
    const leading = [
      ...leadingHeadings(plan),
      plainHeading('row', 'number'),
      plainHeading('runs', 'number'),
    ];
    this.headings = [
      ...leading,
      ...this.#spec.columns.flatMap((column) =>
        headingsOf(column, columnName(column.name, this.#spec.name, leading)),
      ),
    ];
  }

  *rows(point: number, records: Iterable<SweepRecord>): Iterable<readonly Cell[]> {
    const { columns, name: table } = this.#spec;
    const values = leadingCells(this.#plan, point);
    // By row and column, over the runs.
    const found: unknown[][][] = [];
    let runs = 0;
    for (const record of records) {
      if (record.status !== 'failed') ++runs;
      const given = columnsOf(record, table);
      columns.forEach(({ name }, c) =>
        given[name]?.forEach((value, row) => {
          ((found[row] ??= [])[c] ??= []).push(value);
        }),
      );
    }
    for (const [row, cells] of found.entries()) {
      yield [
        ...values,
        row + 1,
        runs,
        ...columns.flatMap(({ type }, c): readonly Cell[] => {
          const over = cells[c] ?? [];
          if (type === 'number') return statistics(over.map((one) => fromJsonNumber(one) ?? NaN));
          const texts = new Set(over.map(String));
          return [texts.size === 1 ? [...texts][0]! : ''];
        }),
      ];
    }
  }
}
