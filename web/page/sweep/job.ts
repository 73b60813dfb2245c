/** A sweep on this page: its plan checked, a few runs timed, then all of them over the workers. */
import type { Json } from '../../lib/format/json.ts';
import { sweep, type Lab } from '../../lib/index.ts';
import { Crew } from '../../lib/sweep/crew.ts';
import type { SweepPlan } from '../../lib/sweep/plan.ts';
import { identify } from '../../lib/sweep/results.ts';
import { sha256 } from '../../lib/sweep/sha256.ts';
import { holdLab, type LabHold } from '../run/lab.ts';
import { RecordedSource } from './recorded-source.ts';

/** More runs than these are for the command line, which keeps them on disk. */
export const MOST_RUNS = 5000;
/** Characters of results that a tab can hold at ease. */
const MOST_SIZE = 2 ** 28;
const MOST_WORKERS = 8;
const TIMED = 3;
/** Milliseconds between two tellings of how many runs there are. */
const EVERY = 250;
/** Seconds that a timed run is waited for. */
const PATIENCE = 0.7;

export type JobStatus =
  | 'empty' // no plan, or one that cannot be
  | 'timing'
  | 'ready'
  | 'running'
  | 'done'
  | 'cancelled'
  | 'full' // the results are larger than a tab can hold
  | 'failed';

/** Says 'change' when its status, its times or its runs are others. */
export class SweepJob extends EventTarget {
  status: JobStatus = 'empty';
  plan: SweepPlan | undefined;
  failure: unknown;
  source: RecordedSource | undefined;
  workers = 1;
  private secondsPerRun: number | undefined;
  private begun = 0;
  private told = 0;
  private crew: Crew | undefined;
  private hold: LabHold | undefined;
  private generation = 0;

  get running(): boolean {
    return this.status === 'running';
  }

  get finished(): number {
    return this.source?.count ?? 0;
  }

  /** Left to wait for; undefined where that is not known. */
  get seconds(): number | undefined {
    const { plan, secondsPerRun, finished } = this;
    if (!plan || secondsPerRun === undefined) return undefined;
    if (!this.running) return (secondsPerRun * plan.runs) / Math.max(1, this.workers);
    const passed = (performance.now() - this.begun) / 1000;
    return finished > 0 ? (passed / finished) * (plan.runs - finished) : undefined;
  }

  /** Reads a plan and times a few of its runs. */
  async consider(value: Json): Promise<void> {
    this.stop();
    const generation = ++this.generation;
    this.plan = undefined;
    this.secondsPerRun = undefined;
    this.failure = undefined;
    this.become('timing');
    try {
      this.hold ??= holdLab();
      const lab = await this.hold.lab();
      if (generation !== this.generation) return;
      const plan = sweep.readPlan(lab, value);
      this.plan = plan;
      this.dispatchEvent(new Event('change'));
      const crew = await this.hire(lab, plan);
      if (generation !== this.generation) return;
      if (plan.runs > MOST_RUNS) return this.become('ready');
      const seconds = await timeRuns(crew, plan);
      if (generation !== this.generation) return;
      this.secondsPerRun = seconds;
      this.become('ready');
    } catch (failure) {
      if (generation === this.generation) this.fail(failure);
    }
  }

  /** Forgets the plan: what it was made of has changed. */
  drop(): void {
    this.stop();
    this.generation += 1;
    this.plan = undefined;
    this.failure = undefined;
    this.become('empty');
  }

  /** Runs the plan that was considered. */
  async start(): Promise<void> {
    const { plan, hold } = this;
    if (!plan || !hold || this.running) return;
    this.stop();
    const generation = ++this.generation;
    const source = new RecordedSource(plan);
    this.source = source;
    this.begun = performance.now();
    this.become('running');
    try {
      const crew = await this.hire(await hold.lab(), plan);
      if (generation !== this.generation) return crew.cancel();
      let next = 0;
      const runs = { next: () => nextRun(next++, plan.runs) };
      await crew.work(plan, runs, this.secondsPerRun ?? 1, async (record) => {
        source.add(record);
        this.tell();
        if (generation === this.generation && source.size > MOST_SIZE) this.end('full');
      });
      if (generation === this.generation) this.become('done');
    } catch (failure) {
      if (generation === this.generation) this.fail(failure);
    }
  }

  /** What has been run stays. */
  cancel(): void {
    if (this.running) this.end('cancelled');
  }

  dispose(): void {
    this.stop();
    this.generation += 1;
    this.hold?.release();
    this.hold = undefined;
    this.status = 'empty';
  }

  private end(status: 'cancelled' | 'full'): void {
    this.stop();
    this.generation += 1;
    this.become(status);
  }

  private async hire(lab: Lab, plan: SweepPlan): Promise<Crew> {
    const cores = Math.min(navigator.hardwareConcurrency || 1, MOST_WORKERS);
    const named = (of: SweepPlan, run: number): string => identify(of, run, sha256);
    const crew = await Crew.hire(lab, Math.min(cores, plan.runs), named);
    this.crew = crew;
    this.workers = crew.workers;
    return crew;
  }

  /** A crew that was cancelled is done with. */
  private stop(): void {
    this.crew?.cancel();
    this.crew = undefined;
  }

  private fail(failure: unknown): void {
    this.failure = failure;
    this.become(this.running ? 'failed' : 'empty');
  }

  /** Now and then, that there are more runs. */
  private tell(): void {
    if (performance.now() - this.told < EVERY) return;
    this.told = performance.now();
    this.dispatchEvent(new Event('change'));
  }

  private become(status: JobStatus): void {
    this.status = status;
    this.dispatchEvent(new Event('change'));
  }
}

function nextRun(run: number, count: number): IteratorResult<number, void> {
  return run < count ? { done: false, value: run } : { done: true, value: undefined };
}

/** Seconds a run, on average over the first, a middle and the last one. */
async function timeRuns(crew: Crew, plan: SweepPlan): Promise<number> {
  const chosen = new Set(
    Array.from({ length: TIMED }, (_, i) => Math.round((i * (plan.runs - 1)) / (TIMED - 1))),
  );
  let sum = 0;
  // The first of all is cold: it is run once more.
  await crew.time(plan, 0, PATIENCE);
  for (const run of chosen) sum += await crew.time(plan, run, PATIENCE);
  return sum / chosen.size;
}
