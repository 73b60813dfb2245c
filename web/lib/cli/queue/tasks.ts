/**
 * Tasks: some runs of a sweep with all that their results depend on, and what comes back of them.
 * To work through a task twice does no harm.
 */

import { sweep, type Lab } from '../../index.js';
import { identify } from '../results_file.js';
import { digest } from '../sealed_lines.js';

/** The prefix of every key in Redis. */
export const PREFIX = 'attnlab';
/** Shared by all sweeps on one Redis. */
export const TASKS = 'tasks';

export interface TaskRun {
  /** Its number in the plan. */
  readonly run: number;
  readonly id: string;
  readonly values: sweep.SweepRecord['values'];
  readonly seed: sweep.SweepRecord['seed'];
}

export interface Task {
  readonly version: string;
  /** The queue that the results go to. */
  readonly results: string;
  /** What the plan fixes: experiment, preset and parameters. */
  readonly fixed: Readonly<Record<string, unknown>>;
  readonly runs: readonly TaskRun[];
}

/** A record without what the plan says of it. */
export type Outcome = Omit<sweep.SweepRecord, 'values' | 'seed'>;

/** What a worker sends: outcomes, or that it may not do the sweep's tasks. */
export type Message =
  | { readonly outcomes: readonly Outcome[] }
  | { readonly refusal: { readonly version: string; readonly host: string } };

export function fixedOf(plan: sweep.SweepPlan): Task['fixed'] {
  const { experiment, preset, parameters } = JSON.parse(plan.text) as Record<string, unknown>;
  return { experiment, ...(preset === undefined ? {} : { preset }), parameters };
}

export function taskRun(plan: sweep.SweepPlan, run: number): TaskRun {
  const { point, seed } = plan.run(run);
  return { run, id: identify(plan, run), values: plan.values(point), seed };
}

/** Its id in the queue: the same runs of the same sweep are one task. */
export function taskId({ results, runs }: Task): string {
  return `${results}-${digest(runs.map(({ id }) => id).join()).slice(0, 32)}`;
}

/** The one run as a plan of its own, which is checked as any plan is. */
export function planOf(lab: Lab, { fixed }: Task, { id, values, seed }: TaskRun): sweep.SweepPlan {
  const parameters = { ...(fixed.parameters as object), ...values };
  const plan = sweep.readPlan(lab, { ...fixed, parameters, seeds: [seed] });
  if (identify(plan, 0) !== id) throw new Error(`run ${id} is not the one that its id names`);
  return plan;
}

/** The record as the sweep's own machine would have made it. */
export function recordOf(plan: sweep.SweepPlan, outcome: Outcome): sweep.SweepRecord {
  const { run, id, ...rest } = outcome;
  const { point, seed } = plan.run(run);
  return { run, id, values: plan.values(point), seed, ...rest };
}
