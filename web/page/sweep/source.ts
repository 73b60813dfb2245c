/** The runs of a sweep as the page shows them, whether they are made here or read from a file. */
import type { Descriptor, TableSpec } from '../../lib/descriptor.ts';
import { sweep } from '../../lib/index.ts';
import type { SweepPlan } from '../../lib/sweep/plan.ts';
import type { SweepRecord } from '../../lib/sweep/record.ts';
import { RunNumbers } from './run-numbers.ts';

export interface RunCounts {
  done: number;
  diverged: number;
  failed: number;
}

/** Says 'change' when there is more to see. */
export abstract class SweepSource extends EventTarget {
  counts: RunCounts = { done: 0, diverged: 0, failed: 0 };
  /** What the first run that failed said. */
  failure = '';
  private precision: sweep.Precision;
  private held: RunNumbers | undefined;

  constructor(readonly plan: SweepPlan) {
    super();
    this.precision = new sweep.Precision(plan);
  }

  get count(): number {
    return this.counts.done + this.counts.diverged + this.counts.failed;
  }

  /** Whether a run belongs to the result: a precision target may leave out a point's last seeds. */
  needs(run: number): boolean {
    return this.precision.needs(run);
  }

  /** The numbers of a table, of all runs that there are. */
  async numbersOf(spec: TableSpec): Promise<RunNumbers> {
    if (this.held?.table.name === spec.name) return this.held;
    const numbers = new RunNumbers(this.plan, spec, keyColumns(this.plan.descriptor, spec.name));
    this.held = numbers;
    await this.reread(numbers);
    return numbers;
  }

  /** Hands every record that there already is to `numbers`. */
  protected abstract reread(numbers: RunNumbers): Promise<void>;

  /** As if no run had been seen. */
  protected forget(): void {
    this.counts = { done: 0, diverged: 0, failed: 0 };
    this.failure = '';
    this.precision = new sweep.Precision(this.plan);
  }

  private tally(record: SweepRecord): void {
    ++this.counts[record.status];
    if (record.status === 'failed') this.failure ||= String(record.error?.message ?? '');
    this.precision.add(record);
  }

  protected take(record: SweepRecord): void {
    this.tally(record);
    this.held?.add(record);
  }

  protected changed(): void {
    this.dispatchEvent(new Event('change'));
  }
}

/** The columns that tell a table's rows apart, as its figures use them. */
export function keyColumns(descriptor: Descriptor, table: string): string[] {
  const marks = descriptor.figures.flatMap((figure) => figure.marks);
  const names = marks
    .filter((mark) => mark.table === table)
    .flatMap(({ series, x }) => [series, x])
    .filter((name) => name !== '');
  return [...new Set(names)];
}
