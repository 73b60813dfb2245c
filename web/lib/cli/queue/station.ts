/** A worker's side of a queue: takes tasks, runs them on this machine, sends what comes of them. */

import type { Job, Queue, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { hostname } from 'node:os';
import type { Lab, sweep } from '../../index.js';
import type { Crew } from '../../sweep/crew.js';
import type { BullMq } from './engine.js';
import { endsWithin, tellErrorsOf } from './messages.js';
import {
  planOf,
  PREFIX,
  TASKS,
  type Message,
  type Outcome,
  type Task,
  type TaskRun,
} from './tasks.js';

/** Without a sign of life for so long a worker's task is taken over. */
const LOCK_MILLISECONDS = 10_000;
const STALLED_MILLISECONDS = 3000;
/** A task whose workers are lost so often is taken to be their end. */
const MOST_LOSSES = 20;
/** Characters of results that are sent together. */
const PARCEL = 1 << 18;
const LEAVE_MILLISECONDS = 5000;

export class Station {
  readonly #lab: Lab;
  readonly #crew: Crew;
  readonly #bullmq: BullMq;
  readonly #client: Redis;
  readonly #worker: Worker<Task>;
  readonly #results = new Map<string, Queue<Message>>();
  readonly #ended: Promise<void>;
  #end = (): void => {};
  #isStopping = false;
  #failure: unknown;
  #inHand = 0;
  #runs = 0;
  #workMilliseconds = 0;
  #firstAt = Infinity;
  #busyUntil = performance.now();

  constructor(lab: Lab, crew: Crew, bullmq: BullMq, client: Redis) {
    this.#lab = lab;
    this.#crew = crew;
    this.#bullmq = bullmq;
    this.#client = client;
    this.#ended = new Promise((resolve) => (this.#end = resolve));
    const lanes = Math.max(1, crew.workers);
    this.#worker = new bullmq.Worker<Task>(
      TASKS,
      (job: Job<Task>, token?: string) => this.#process(job, token),
      {
        connection: client,
        prefix: PREFIX,
        name: `lanes-${lanes}`,
        concurrency: lanes,
        lockDuration: LOCK_MILLISECONDS,
        stalledInterval: STALLED_MILLISECONDS,
        maxStalledCount: MOST_LOSSES,
        runRetryDelay: 1000,
      },
    );
    tellErrorsOf(this.#worker);
  }

  /** What was done, and how much of the time between the first task and the last it took. */
  report(): string {
    const begun = Math.min(this.#firstAt, this.#busyUntil);
    const time = (this.#busyUntil - begun) * this.#worker.concurrency;
    const share = (100 * this.#workMilliseconds) / time;
    return `${this.#runs} runs done${time > 0 ? ` (at work ${share.toFixed(1)} % of the time)` : ''}\n`;
  }

  /** Seconds without anything to do. */
  get idleSeconds(): number {
    return this.#inHand > 0 ? 0 : (performance.now() - this.#busyUntil) / 1000;
  }

  /** Gives back what is in hand, and takes no more. */
  stop(failure?: unknown): void {
    if (this.#isStopping) return;
    this.#isStopping = true;
    this.#failure = failure;
    this.#crew.cancel();
    this.#end();
  }

  /** Resolves when it has been stopped; rejects with what stopped it. */
  async work(): Promise<void> {
    await this.#ended;
    const queues = [...this.#results.values()];
    await endsWithin(LEAVE_MILLISECONDS, this.#worker.close());
    await endsWithin(LEAVE_MILLISECONDS, Promise.allSettled(queues.map((queue) => queue.close())));
    this.#client.disconnect();
    if (this.#failure !== undefined) throw this.#failure;
  }

  async #process(job: Job<Task>, token: string | undefined): Promise<void> {
    this.#firstAt = Math.min(this.#firstAt, performance.now());
    ++this.#inHand;
    try {
      const isDone = !this.#isStopping && (await this.#workThrough(job.data));
      if (isDone) return;
    } catch (error) {
      if (error instanceof this.#bullmq.UnrecoverableError) throw error;
      // What is wrong is this machine or this program, not the task.
      this.stop(error);
    } finally {
      --this.#inHand;
      this.#busyUntil = performance.now();
    }
    await job.moveToWait(token);
    throw new this.#bullmq.WaitingError();
  }

  /** Whether it came to the task's end. */
  async #workThrough(task: Task): Promise<boolean> {
    if (task.version !== this.#lab.version) return this.#refuse(task);
    let parcel: Outcome[] = [];
    let size = 0;
    for (const run of task.runs) {
      const plan = this.#read(task, run);
      const begun = performance.now();
      const record = await this.#crew.record(plan, 0);
      this.#workMilliseconds += performance.now() - begun;
      if (record === undefined) break;
      const { values: _, seed: _seed, ...outcome } = record;
      parcel.push({ ...outcome, run: run.run });
      ++this.#runs;
      size += JSON.stringify(outcome.tables).length;
      if (size < PARCEL) continue;
      await this.#send(task, { outcomes: parcel });
      [parcel, size] = [[], 0];
    }
    if (parcel.length > 0) await this.#send(task, { outcomes: parcel });
    return !this.#isStopping;
  }

  /** A task that is not what it says would be so for every worker: it is not given back. */
  #read(task: Task, run: TaskRun): sweep.SweepPlan {
    try {
      return planOf(this.#lab, task, run);
    } catch (cause) {
      throw new this.#bullmq.UnrecoverableError((cause as Error).message);
    }
  }

  async #refuse(task: Task): Promise<never> {
    const { version } = this.#lab;
    await this.#send(task, { refusal: { version, host: hostname() } });
    const text = `the sweep at this queue is of attnlab ${task.version}; this worker is ${version}`;
    throw new Error(`worker: ${text}; both have to be the same`);
  }

  async #send({ results }: Task, message: Message): Promise<void> {
    let queue = this.#results.get(results);
    if (!queue) {
      queue = new this.#bullmq.Queue(results, { connection: this.#client, prefix: PREFIX });
      tellErrorsOf(queue);
      this.#results.set(results, queue);
    }
    await queue.add('results', message, { removeOnComplete: true });
  }
}
