/** A sweep that is made here: its records as the lines of a results file, and tables of them. */
import { sweep } from '../../lib/index.ts';
import type { SweepPlan } from '../../lib/sweep/plan.ts';
import type { SweepRecord } from '../../lib/sweep/record.ts';
import { headOf } from '../../lib/sweep/results.ts';
import { seal } from '../../lib/sweep/sealed.ts';
import { sha256 } from '../../lib/sweep/sha256.ts';
import type { RunNumbers } from './run-numbers.ts';
import { Slices } from './slices.ts';
import { SweepSource } from './source.ts';

const TABLES = { rows: sweep.RowTable, summary: sweep.SummaryTable } as const;

export class RecordedSource extends SweepSource {
  /** By run, in the order in which they ended. */
  private readonly lines = new Map<number, string>();
  /** Characters of all lines. */
  size = 0;

  constructor(plan: SweepPlan) {
    super(plan);
  }

  add(record: SweepRecord): void {
    const line = seal(record, sha256);
    this.lines.set(record.run, line);
    this.size += line.length;
    this.take(record);
    this.changed();
  }

  protected override async reread(numbers: RunNumbers): Promise<void> {
    const slices = new Slices();
    for (const line of this.lines.values()) {
      if (slices.over) await slices.pause();
      numbers.add(JSON.parse(line) as SweepRecord);
    }
  }

  /** As `attnlab sweep` writes it; `--resume` and `merge` take it. */
  resultsFile(): Blob {
    const head = seal(headOf(this.plan, '1/1', sha256), sha256);
    return new Blob([head, ...this.lines.values()], { type: 'application/jsonl' });
  }

  /** As `attnlab merge` writes it. */
  async csv(kind: keyof typeof TABLES, name: string): Promise<Blob> {
    const table = new TABLES[kind](this.plan, name);
    const slices = new Slices();
    const parts = [sweep.headLine(table.headings, 'csv')];
    for (let point = 0; point < this.plan.points; ++point) {
      if (slices.over) await slices.pause();
      for (const cells of table.rows(point, this.recordsOf(point))) {
        parts.push(sweep.rowLine(table.headings, cells, 'csv'));
      }
    }
    return new Blob(parts, { type: 'text/csv' });
  }

  private *recordsOf(point: number): Generator<SweepRecord, void, undefined> {
    for (let seed = 0; seed < this.plan.seeds; ++seed) {
      const line = this.lines.get(this.plan.runAt(point, seed));
      if (line !== undefined) yield JSON.parse(line) as SweepRecord;
    }
  }
}
