/**
 * The numbers of one table over many runs: for each run some of the table's rows and its last one.
 * Eight bytes a number in blocks, so that a hundred thousand runs are tens of megabytes.
 */
import type { Column, TableSpec } from '../../lib/descriptor.ts';
import { fromJsonNumber } from '../../lib/format/numbers.ts';
import type { SweepPlan } from '../../lib/sweep/plan.ts';
import type { SweepRecord } from '../../lib/sweep/record.ts';

/** Of longer tables these many rows are kept, evenly spread. */
export const MOST_ROWS = 12;
const BLOCK_RUNS = 1024;

export type RowPick = number | 'last';

/** Files are not to be trusted with what the types say. */
function listOf(record: SweepRecord, table: string, column: string): readonly unknown[] {
  const found = (record.tables as Record<string, { columns?: Record<string, unknown> } | null>)[
    table
  ]?.columns?.[column];
  return Array.isArray(found) ? found : [];
}

/** Places from the first to the last of `count`, evenly; `most` of them. */
export function spread(count: number, most: number): number[] {
  const taken = Math.min(count, most);
  return Array.from({ length: taken }, (_, i) => Math.round((i * (count - 1)) / (taken - 1 || 1)));
}

export class RunNumbers {
  readonly columns: readonly Column[];
  /** Counted from 0; known with the first record that has any. */
  rows: readonly number[] = [];
  /** What stands in the key columns of each row, where it is the same in every run. */
  readonly keys: (readonly unknown[] | undefined)[] = [];
  count = 0;
  private readonly blocks: Float64Array[] = [];
  /** By run, from 1. */
  private readonly places: Int32Array;
  private width = 0;

  constructor(
    plan: SweepPlan,
    readonly table: TableSpec,
    readonly keyColumns: readonly string[],
  ) {
    this.columns = table.columns.filter(({ type }) => type === 'number');
    this.places = new Int32Array(plan.runs);
  }

  add(record: SweepRecord): void {
    const lists = this.columns.map(({ name }) => listOf(record, this.table.name, name));
    const length = Math.max(0, ...lists.map((list) => list.length));
    if (length === 0 || this.places[record.run] !== 0) return;
    if (this.width === 0) this.begin(length);
    const at = this.room();
    const block = this.blocks.at(-1)!;
    lists.forEach((list, c) => {
      const from = at + c * (this.rows.length + 1);
      this.rows.forEach((row, r) => (block[from + r] = fromJsonNumber(list[row]) ?? NaN));
      block[from + this.rows.length] = fromJsonNumber(list[length - 1]) ?? NaN;
    });
    this.places[record.run] = ++this.count;
    this.compareKeys(record);
  }

  has(run: number): boolean {
    return this.places[run] !== 0;
  }

  /** NaN where there is none. */
  value(run: number, column: number, row: RowPick): number {
    const place = this.places[run]! - 1;
    const at = row === 'last' ? this.rows.length : this.rows.indexOf(row);
    if (place < 0 || at < 0) return NaN;
    const from = (place % BLOCK_RUNS) * this.width + column * (this.rows.length + 1);
    return this.blocks[Math.floor(place / BLOCK_RUNS)]![from + at]!;
  }

  private begin(length: number): void {
    this.rows = spread(length, MOST_ROWS);
    this.width = this.columns.length * (this.rows.length + 1);
  }

  private room(): number {
    const place = this.count % BLOCK_RUNS;
    if (place === 0) this.blocks.push(new Float64Array(BLOCK_RUNS * this.width));
    return place * this.width;
  }

  private compareKeys(record: SweepRecord): void {
    const lists = this.keyColumns.map((name) => listOf(record, this.table.name, name));
    this.rows.forEach((row, r) => {
      const here = lists.map((list) => list[row]);
      const known = this.keys[r];
      if (this.count === 1) this.keys[r] = here;
      else if (known && known.some((each, k) => each !== here[k])) this.keys[r] = undefined;
    });
  }
}
