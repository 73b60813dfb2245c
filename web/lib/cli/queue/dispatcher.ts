/** A sweep's side of a queue: hands its runs out as tasks and takes in what the workers send. */

import type { Queue, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { resolve } from 'node:path';
import { hostname } from 'node:os';
import type { sweep } from '../../index.js';
import { belongsTo } from '../results_file.js';
import { digest } from '../sealed_lines.js';
import type { TakeRecord, Workforce } from '../../sweep/crew.js';
import type { SweepState } from '../sweep_state.js';
import { shownUrl, type QueueAddress } from './address.js';
import { connect } from './connection.js';
import { loadEngine, type BullMq } from './engine.js';
import { endsWithin, tellErrorsOf, warn } from './messages.js';
import { OpenTasks, runsPerTask } from './open_tasks.js';
import { PREFIX, recordOf, taskId, TASKS, type Message, type Task } from './tasks.js';

const LOOK_MILLISECONDS = 2000;
const MOST_TASKS = 1000;
/** With a precision target no more than this for each lane that works: others may be for nothing. */
const TASKS_A_LANE = 2;
const LEAST_AHEAD = 4;
const LEAVE_MILLISECONDS = 5000;

/** The same for a sweep that goes on with its file, so that it finds what has come meanwhile. */
function resultsName({ plan, shardName }: SweepState, path: string): string {
  const place = [hostname(), resolve(path), plan.version, digest(plan.text), shardName];
  return `results-${digest(place.join('\n')).slice(0, 32)}`;
}

export class Dispatcher implements Workforce {
  readonly #address: QueueAddress;
  readonly #bullmq: BullMq;
  readonly #client: Redis;
  readonly #state: SweepState;
  readonly #tasks: Queue<Task>;
  readonly #results: Queue<Message>;
  readonly #open: OpenTasks;
  #lanes = 0;
  #cancelled = false;
  #isOver = false;
  #failure: unknown;
  #wake = (): void => {};
  #stop = (): void => {};
  readonly #stopped = new Promise<void>((resolve) => (this.#stop = resolve));

  private constructor(
    address: QueueAddress,
    bullmq: BullMq,
    client: Redis,
    state: SweepState,
    path: string,
  ) {
    const results = resultsName(state, path);
    const options = { connection: client, prefix: PREFIX };
    this.#address = address;
    this.#bullmq = bullmq;
    this.#client = client;
    this.#state = state;
    this.#open = new OpenTasks(state.plan, results);
    this.#tasks = new bullmq.Queue(TASKS, options);
    this.#results = new bullmq.Queue(results, options);
    tellErrorsOf(this.#tasks);
    tellErrorsOf(this.#results);
  }

  static async open(address: QueueAddress, state: SweepState, path: string): Promise<Dispatcher> {
    const { bullmq, ioredis } = await loadEngine();
    return new Dispatcher(address, bullmq, await connect(ioredis, address), state, path);
  }

  get cancelled(): boolean {
    return this.#cancelled;
  }

  cancel(): void {
    this.#cancelled = true;
    this.#stop();
    this.#wake();
  }

  async work(
    plan: sweep.SweepPlan,
    runs: Iterator<number, void>,
    secondsPerRun: number,
    take: TakeRecord,
  ): Promise<void> {
    const perTask = runsPerTask(secondsPerRun, this.#state.countLeft());
    await this.#withdraw(await this.#leftBehind());
    const receiver = new this.#bullmq.Worker<Message>(
      this.#results.name,
      ({ data }) => this.#receive(data, take),
      { connection: this.#client, prefix: PREFIX, runRetryDelay: 1000, stalledInterval: 5000 },
    );
    tellErrorsOf(receiver);
    const resubmit = (): void => void this.#add(this.#open.tasks).catch(this.#fail);
    this.#client.on('ready', resubmit);
    const { seconds } = plan.stop;
    const over = seconds === undefined ? undefined : setTimeout(this.#end, 1000 * seconds);
    try {
      const handing = this.#drain().then(() => this.#handOut(runs, perTask));
      // Once stopped, it may wait for a Redis that is away.
      handing.catch(this.#fail);
      await Promise.race([handing, this.#stopped]);
    } finally {
      clearTimeout(over);
      this.#client.off('ready', resubmit);
      const hasLeft = await endsWithin(LEAVE_MILLISECONDS, this.#leave(receiver));
      if (!hasLeft) await endsWithin(LEAVE_MILLISECONDS, receiver.close(true));
    }
    if (this.#failure !== undefined) throw this.#failure;
  }

  async close(): Promise<void> {
    const all = Promise.allSettled([this.#tasks.close(), this.#results.close()]);
    await endsWithin(LEAVE_MILLISECONDS, all);
    this.#client.disconnect();
  }

  readonly #fail = (error: unknown): void => {
    this.#failure ??= error;
    this.#stop();
    this.#wake();
  };

  readonly #end = (): void => {
    this.#isOver = true;
    this.#wake();
  };

  /** Until every run has come in, or the sweep ends before. */
  async #handOut(runs: Iterator<number, void>, perTask: number): Promise<void> {
    let looks = 0;
    let lookAt = performance.now() + LOOK_MILLISECONDS;
    while (!this.#cancelled && this.#failure === undefined) {
      if (this.#isOver) await this.#withdraw(this.#open.ids);
      const made = this.#isOver ? [] : this.#open.next(runs, perTask, this.#mostTasks());
      await this.#add(made);
      if (made.length === 0 && this.#open.size === 0) return;
      await this.#changed(lookAt - performance.now());
      if (performance.now() < lookAt) continue;
      await this.#look(++looks);
      lookAt = performance.now() + LOOK_MILLISECONDS;
    }
  }

  #mostTasks(): number {
    if (!this.#state.plan.stop.target) return MOST_TASKS;
    return Math.max(LEAST_AHEAD, TASKS_A_LANE * this.#lanes);
  }

  #changed(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, Math.max(0, milliseconds));
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** A task that is there already is not added again. */
  async #add(tasks: readonly Task[]): Promise<void> {
    if (tasks.length === 0) return;
    const jobs = tasks.map((task) => ({
      name: 'runs',
      data: task,
      opts: { jobId: taskId(task), removeOnComplete: true },
    }));
    await this.#tasks.addBulk(jobs);
  }

  /** Who works, and whether a task has failed for good. */
  async #look(times: number): Promise<void> {
    const workers = await this.#tasks.getWorkers();
    const lanes = workers.map(({ rawname }) => Number(/:w:lanes-(\d+)$/.exec(rawname ?? '')?.[1]));
    this.#lanes = lanes.reduce((sum, count) => sum + (count || 1), 0);
    if (workers.length === 0 && times > 1) {
      warn(`no worker is at this queue: attnlab worker --queue ${shownUrl(this.#address)}`);
    }
    const mine = new Set(this.#open.ids);
    for (const { id, data, failedReason } of await this.#tasks.getFailed(0, 99)) {
      if (!mine.has(id ?? '')) continue;
      const first = data.runs[0]?.run;
      this.#fail(
        new Error(`queue: the task that begins with run ${first} failed: ${failedReason}`),
      );
    }
  }

  async #receive(message: Message, take: TakeRecord): Promise<void> {
    const { plan } = this.#state;
    if ('refusal' in message) {
      const { host, version } = message.refusal;
      warn(`a worker on ${host} is attnlab ${version}; this sweep takes ${plan.version} alone`);
      return;
    }
    try {
      for (const outcome of message.outcomes) {
        const record = recordOf(plan, outcome);
        if (!belongsTo(plan, record)) throw new Error('queue: a result is of no run of this plan');
        if (!this.#state.has(record.run)) await take(record);
        this.#open.settle(record.run);
      }
    } catch (error) {
      this.#fail(error);
      throw error;
    }
    this.#wake();
  }

  /** Takes in what waits. */
  async #drain(): Promise<void> {
    while (this.#failure === undefined) {
      const { waiting, active } = await this.#results.getJobCounts('waiting', 'active');
      if (waiting === 0 && active === 0) return;
      await this.#changed(50);
    }
  }

  /** Tasks of this sweep from before that nobody has begun. */
  async #leftBehind(): Promise<readonly string[]> {
    const ids = await this.#tasks.getRanges(['waiting', 'delayed', 'failed'], 0, -1);
    return ids.filter((id) => id.startsWith(`${this.#results.name}-`));
  }

  /** What a worker has in hand stays. */
  async #withdraw(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      const removed = await this.#tasks.remove(id).catch(() => 0);
      if (removed === 1) this.#open.drop(id);
    }
  }

  async #leave(receiver: Worker<Message>): Promise<void> {
    // Also what was handed out anew while its result was on the way.
    await this.#withdraw([...this.#open.ids, ...(await this.#leftBehind())]);
    await this.#drain();
    await receiver.close();
    const isDone = !this.#cancelled && this.#failure === undefined && this.#open.size === 0;
    if (isDone) await this.#results.obliterate({ force: true });
  }
}
