/**
 * Which seeds a precision target asks for. A point's seeds are judged in their order, however they
 * come in: the answer is the same for any number of workers.
 */

import { Moments } from './moments.js';
import type { SweepPlan } from './plan.js';
import type { SweepRecord } from './record.js';
import { numbersOf } from './record.js';

interface Progress {
  /** Seeds judged so far. */
  judged: number;
  /** What came before its turn. */
  readonly early: Map<number, readonly number[]>;
  readonly rows: Moments[];
  /** How many seeds are enough, once that is known. */
  enough: number | undefined;
}

/** Judges, seed by seed, whether a point has reached the plan's standard error. */
export class Precision {
  readonly #plan: SweepPlan;
  readonly #points = new Map<number, Progress>();

  constructor(plan: SweepPlan) {
    this.#plan = plan;
  }

  add(record: SweepRecord): void {
    const { target } = this.#plan.stop;
    if (!target) return;
    const { point, seedIndex } = this.#plan.run(record.run);
    let progress = this.#points.get(point);
    if (!progress) {
      this.#points.set(
        point,
        (progress = { judged: 0, early: new Map(), rows: [], enough: undefined }),
      );
    }
    if (progress.enough !== undefined) return;
    progress.early.set(seedIndex, numbersOf(record, target.table, target.column));
    this.#judge(progress, target.standardError, target.minimumSeeds);
  }

  /** Whether the run belongs to the result, as far as is known. */
  needs(run: number): boolean {
    if (!this.#plan.stop.target) return true;
    const { point, seedIndex } = this.#plan.run(run);
    const enough = this.#points.get(point)?.enough;
    return enough === undefined || seedIndex < enough;
  }

  #judge(progress: Progress, standardError: number, minimumSeeds: number): void {
    const { early, rows } = progress;
    for (;;) {
      const values = early.get(progress.judged);
      if (!values) return;
      early.delete(progress.judged);
      ++progress.judged;
      values.forEach((value, row) => (rows[row] ??= new Moments()).add(value));
      const precise = rows.every((row) => row.count > 1 && row.standardError <= standardError);
      if (progress.judged >= minimumSeeds && rows.length > 0 && precise) {
        progress.enough = progress.judged;
        early.clear();
        return;
      }
    }
  }
}
