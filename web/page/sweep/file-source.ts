/**
 * A sweep that is read from results files: every line's checksum, every run's id. The lines are not
 * kept; another table's numbers are read from the files again.
 */
import type { SweepPlan } from '../../lib/sweep/plan.ts';
import type { SweepRecord } from '../../lib/sweep/record.ts';
import { belongsTo } from '../../lib/sweep/results.ts';
import { unseal } from '../../lib/sweep/sealed.ts';
import { sha256 } from '../../lib/sweep/sha256.ts';
import type { Offence } from './fault.ts';
import { linesOf, type FileLine } from './file-lines.ts';
import type { RunNumbers } from './run-numbers.ts';
import { Abandoned, Slices } from './slices.ts';
import { SweepSource } from './source.ts';

/** Lines that were left out of one file. */
export interface FileReport {
  readonly name: string;
  /** How many, and the first one's number. */
  readonly left: Record<Offence, { count: number; line: number }>;
  cut: boolean;
}

const STATUSES: readonly unknown[] = ['done', 'diverged', 'failed'];

export class FileSource extends SweepSource {
  reports: readonly FileReport[] = [];
  /** Bytes read, of all. */
  progress = 0;
  /** Set when a file could not be read to its end. */
  problem: unknown;
  private readonly files: readonly File[];
  /** Of each file the lines that were left out. */
  private readonly left: readonly Set<number>[];
  /** By run. */
  private readonly there: Uint8Array;
  /** Whether all lines have been checked. */
  private known = false;
  private reading = 0;

  constructor(plan: SweepPlan, files: readonly File[]) {
    super(plan);
    this.files = files;
    this.left = files.map(() => new Set());
    this.there = new Uint8Array(plan.runs);
  }

  get busy(): boolean {
    return this.progress < 1 && this.problem === undefined;
  }

  /** Ends the reading. */
  close(): void {
    this.reading += 1;
  }

  /** Runs that belong to the result and are in no file: how many, and the first. */
  missing(): { readonly count: number; readonly first: number } {
    let count = 0;
    let first = -1;
    for (let run = 0; run < this.plan.runs; ++run) {
      if (this.there[run] === 1 || !this.needs(run)) continue;
      if (count++ === 0) first = run;
    }
    return { count, first };
  }

  protected override forget(): void {
    super.forget();
    this.there.fill(0);
    for (const lines of this.left) lines.clear();
    this.reports = this.files.map(({ name }) => ({
      name,
      left: { damaged: none(), foreign: none(), twice: none() },
      cut: false,
    }));
  }

  protected override async reread(numbers: RunNumbers): Promise<void> {
    const reading = ++this.reading;
    const slices = new Slices(() => reading === this.reading);
    const total = this.files.reduce((sum, { size }) => sum + size, 0);
    let bytes = 0;
    this.progress = 0;
    this.problem = undefined;
    if (!this.known) this.forget();
    try {
      for (const [f, file] of this.files.entries()) {
        const counted = (more: number): void => {
          bytes += more;
          this.progress = Math.min(0.999, bytes / total);
          this.changed();
        };
        for await (const line of linesOf(file, slices, counted)) {
          if (line.number === 1) continue;
          if (this.known) this.again(f, line, numbers);
          else this.first(f, line);
        }
      }
      this.known = true;
      this.progress = 1;
    } catch (problem) {
      if (problem instanceof Abandoned) throw problem;
      this.problem = problem;
    }
    this.changed();
  }

  /** A line whose content was checked before. */
  private again(file: number, { text, number }: FileLine, numbers: RunNumbers): void {
    if (!this.left[file]!.has(number)) numbers.add(JSON.parse(text) as SweepRecord);
  }

  private first(file: number, line: FileLine): void {
    const record = unseal(line.text, sha256) as SweepRecord | undefined;
    if (!line.ended) {
      this.left[file]!.add(line.number);
      this.reports[file]!.cut = true;
    } else if (!isRecord(record)) this.leave(file, line, 'damaged');
    else if (!belongsTo(this.plan, record, sha256)) this.leave(file, line, 'foreign');
    else if (this.there[record.run] === 1) this.leave(file, line, 'twice');
    else {
      this.there[record.run] = 1;
      this.take(record);
    }
  }

  private leave(file: number, { number }: FileLine, offence: Offence): void {
    this.left[file]!.add(number);
    const found = this.reports[file]!.left[offence];
    if (found.count++ === 0) found.line = number;
  }
}

const none = (): { count: number; line: number } => ({ count: 0, line: 0 });

/** A right checksum says that a line is as it was written, not that it was the lab that wrote it. */
function isRecord(value: unknown): value is SweepRecord {
  const record = value as Partial<SweepRecord> | undefined;
  return (
    typeof record === 'object' &&
    record !== null &&
    STATUSES.includes(record.status) &&
    typeof record.tables === 'object' &&
    record.tables !== null
  );
}
