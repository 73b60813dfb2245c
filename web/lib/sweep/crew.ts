/** Runs of a sweep side by side, one worker each, and a short calibration before them. */

import { AttnLabError, sweep, type Lab, type Run } from '../index.js';

/** Runs in a row on one worker: while one's last messages travel, the next is at work. */
const IN_HAND = 2;
/** Runs longer than this gain nothing from that, and hold memory. */
const SHORT_SECONDS = 0.05;
/** What shows less than this of itself is taken to be here. */
const LEAST_PROGRESS = 0.01;
/** A worker that is lost, or a fault, may have come from outside the run. */
const MOST_TRIES = 3;
const MAY_PASS = ['worker', 'internal'];
/** These are of the machine, not of the run. */
const NOT_THE_RUN = ['load', 'disposed', 'version-mismatch', 'unsupported', 'cancelled'];

/** The id of a plan's run. */
type Identify = (plan: sweep.SweepPlan, run: number) => string;

/** What works through runs of a plan. */
export interface Workforce {
  readonly cancelled: boolean;
  cancel(): void;
  /** Works through the runs; `take` is awaited before more of them begin. */
  work(
    plan: sweep.SweepPlan,
    runs: Iterator<number, void>,
    secondsPerRun: number,
    take: TakeRecord,
  ): Promise<void>;
}

export type TakeRecord = (record: sweep.SweepRecord) => Promise<void>;

/** Runs on this machine: starts them and can end them all. */
export class Crew implements Workforce {
  readonly #lab: Lab;
  readonly #workers: number;
  readonly #identify: Identify;
  readonly #active = new Set<Run>();
  #cancelled = false;

  private constructor(lab: Lab, workers: number, identify: Identify) {
    this.#lab = lab;
    this.#workers = workers;
    this.#identify = identify;
  }

  static async hire(lab: Lab, workers: number, identify: Identify): Promise<Crew> {
    return new Crew(lab, workers === 0 ? 0 : await lab.startWorkers(workers), identify);
  }

  /** 0: the calling thread works. */
  get workers(): number {
    return this.#workers;
  }

  get cancelled(): boolean {
    return this.#cancelled;
  }

  cancel(): void {
    this.#cancelled = true;
    for (const run of this.#active) run.cancel();
  }

  /** A run's record; undefined when it was cancelled. */
  async record(plan: sweep.SweepPlan, run: number): Promise<sweep.SweepRecord | undefined> {
    const id = this.#identify(plan, run);
    for (let tries = 1; ; ++tries) {
      try {
        const result = await this.#start(plan, run, (going) => going.result);
        if (result === undefined || result.status === 'cancelled') return undefined;
        return sweep.recordOfResult(plan, run, id, result);
      } catch (error) {
        if (!(error instanceof AttnLabError) || NOT_THE_RUN.includes(error.code)) throw error;
        if (MAY_PASS.includes(error.code) && tries < MOST_TRIES) continue;
        return sweep.recordOfFailure(plan, run, id, error);
      }
    }
  }

  /** Seconds that a run takes: by its progress where it takes longer than `patience`. */
  async time(plan: sweep.SweepPlan, run: number, patience: number): Promise<number> {
    const begun = performance.now();
    let progress: number | undefined;
    try {
      progress = await this.#start(plan, run, async (going) => {
        const timer = setTimeout(() => going.cancel(), patience * 1000);
        await going.result.finally(() => clearTimeout(timer));
        return going.latest?.progress;
      });
    } catch (error) {
      if (!(error instanceof AttnLabError) || NOT_THE_RUN.includes(error.code)) throw error;
    }
    return (performance.now() - begun) / 1000 / Math.max(progress ?? 1, LEAST_PROGRESS);
  }

  /** `take` is awaited before the next run of its lane begins. */
  async work(
    plan: sweep.SweepPlan,
    runs: Iterator<number, void>,
    secondsPerRun: number,
    take: TakeRecord,
  ): Promise<void> {
    const inHand = secondsPerRun < SHORT_SECONDS ? IN_HAND : 1;
    const lanes = Math.max(1, this.#workers * inHand);
    let failed = false;
    const lane = async (): Promise<void> => {
      try {
        while (!this.#cancelled && !failed) {
          const next = runs.next();
          if (next.done) return;
          const record = await this.record(plan, next.value);
          if (record) await take(record);
        }
      } catch (error) {
        failed = true;
        for (const run of this.#active) run.cancel();
        throw error;
      }
    };
    const ended = await Promise.allSettled(Array.from({ length: lanes }, lane));
    for (const one of ended) if (one.status === 'rejected') throw one.reason;
  }

  async #start<Result>(
    plan: sweep.SweepPlan,
    run: number,
    follow: (going: Run) => Promise<Result>,
  ): Promise<Result | undefined> {
    // A worker that was lost is replaced.
    if (this.#workers > 0) await this.#lab.startWorkers(this.#workers);
    if (this.#cancelled) return undefined;
    const { point, seed } = plan.run(run);
    const going: Run = this.#lab.run<string>(plan.descriptor.id, plan.parameters(point), {
      seed,
      workers: Math.min(1, this.#workers),
    });
    this.#active.add(going);
    try {
      return await follow(going);
    } finally {
      this.#active.delete(going);
    }
  }
}
