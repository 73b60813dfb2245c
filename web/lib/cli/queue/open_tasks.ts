/** The tasks that are in the queue: which runs of each are still awaited. */

import type { sweep } from '../../index.js';
import { fixedOf, taskId, taskRun, type Task } from './tasks.js';

interface OpenTask {
  readonly task: Task;
  awaited: number;
}

/** Seconds that a task shall take at least, so that its way through the queue weighs nothing. */
const TASK_SECONDS = 0.5;
const MOST_RUNS_A_TASK = 500;
/** Tasks that a sweep is cut into at least, so that many workers end together. */
const LEAST_TASKS = 64;
/** Runs in the queue at most. */
const MOST_RUNS = 50_000;

/** How many runs make a task. */
export function runsPerTask(secondsPerRun: number, runs: number): number {
  const most = Math.min(MOST_RUNS_A_TASK, Math.ceil(runs / LEAST_TASKS));
  return Math.max(1, Math.min(most, Math.ceil(TASK_SECONDS / secondsPerRun)));
}

export class OpenTasks {
  readonly #plan: sweep.SweepPlan;
  readonly #head: Omit<Task, 'runs'>;
  readonly #open = new Map<string, OpenTask>();
  readonly #taskOf = new Map<number, string>();

  constructor(plan: sweep.SweepPlan, results: string) {
    this.#plan = plan;
    this.#head = { version: plan.version, results, fixed: fixedOf(plan) };
  }

  get size(): number {
    return this.#open.size;
  }

  get ids(): readonly string[] {
    return [...this.#open.keys()];
  }

  get tasks(): readonly Task[] {
    return [...this.#open.values()].map(({ task }) => task);
  }

  /** New tasks of the next runs, as many as there is room for. */
  next(runs: Iterator<number, void>, perTask: number, mostTasks: number): Task[] {
    const made: Task[] = [];
    while (this.#open.size < mostTasks && this.#taskOf.size < MOST_RUNS) {
      const numbers: number[] = [];
      while (numbers.length < perTask) {
        const next = runs.next();
        if (next.done) break;
        numbers.push(next.value);
      }
      if (numbers.length === 0) break;
      made.push(this.#begin(numbers));
    }
    return made;
  }

  #begin(numbers: readonly number[]): Task {
    const task = { ...this.#head, runs: numbers.map((run) => taskRun(this.#plan, run)) };
    const id = taskId(task);
    this.#open.set(id, { task, awaited: numbers.length });
    for (const run of numbers) this.#taskOf.set(run, id);
    return task;
  }

  /** A run that has come in. */
  settle(run: number): void {
    const id = this.#taskOf.get(run);
    if (id === undefined) return;
    this.#taskOf.delete(run);
    const open = this.#open.get(id)!;
    if (--open.awaited === 0) this.#open.delete(id);
  }

  /** A task that nobody will do. */
  drop(id: string): void {
    for (const { run } of this.#open.get(id)?.task.runs ?? []) this.#taskOf.delete(run);
    this.#open.delete(id);
  }
}
