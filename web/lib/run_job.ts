/** One run at a workbench: its session in the module, its tasks, its reports. */

import type { Engine } from './engine.js';
import type {
  CurrentTask,
  FinishedTask,
  FromWorker,
  RawTables,
  RunMessage,
  ToWorker,
} from './protocol.js';

export type Post = (message: FromWorker, transfer?: ArrayBuffer[]) => void;

/** Something that can be worked on for a while. */
export interface Job {
  readonly slice: number;
  /** Whether there is work to do now. */
  readonly ready: boolean;
  work(): void;
  close(): void;
}

interface Advance {
  readonly ended: boolean;
  readonly progress: number;
  readonly divergedAt?: number;
}

/** Milliseconds between two reports. */
const REPORT_EVERY = 50;

export class RunJob implements Job {
  readonly slice: number;
  readonly #engine: Engine;
  readonly #post: Post;
  readonly #run: number;
  readonly #session: number;
  readonly #keeper: boolean;
  readonly #waiting: number[] = [];
  #paused: boolean;
  #current: { task: number; progress: number } | undefined;
  #finished: FinishedTask[] = [];
  #reportedAt = -Infinity;

  constructor(engine: Engine, post: Post, order: Extract<ToWorker, { type: 'open' }>) {
    this.#engine = engine;
    this.#post = post;
    this.#run = order.run;
    this.#keeper = order.keeper;
    this.#paused = order.paused;
    this.slice = order.slice;
    const { session, costs } = engine.call<{ session: number; costs: Float64Array }>(
      'sessionOpen',
      order.id,
      order.values,
      order.seed,
    );
    this.#session = session;
    post({ type: 'opened', run: order.run, costs });
  }

  get ready(): boolean {
    return !this.#paused && this.#left > 0;
  }

  get #left(): number {
    return this.#waiting.length + (this.#current ? 1 : 0);
  }

  handle(message: RunMessage): void {
    switch (message.type) {
      case 'assign':
        this.#waiting.push(...message.tasks);
        break;
      case 'put':
        for (const [task, record] of message.records) this.#keep(task, record);
        break;
      case 'summarise':
        this.#summarise();
        break;
      case 'pause':
        this.#paused = true;
        this.#report();
        break;
      case 'resume':
        this.#paused = false;
        break;
      case 'step':
        this.#advance(0);
        this.#report(true);
        break;
    }
  }

  work(): void {
    const stop = performance.now() + this.slice;
    let now = performance.now();
    do {
      this.#advance(stop - now);
      now = performance.now();
    } while (now < stop && this.#left > 0);
    if (this.#left === 0 || now - this.#reportedAt >= REPORT_EVERY) this.#report();
  }

  close(): void {
    this.#engine.call('sessionClose', this.#session);
  }

  #advance(milliseconds: number): void {
    if (!this.#current) {
      const task = this.#waiting.shift();
      if (task === undefined) return;
      this.#engine.call('sessionBegin', this.#session, task);
      this.#current = { task, progress: 0 };
    }
    const { ended, progress, divergedAt } = this.#engine.call<Advance>(
      'sessionAdvance',
      this.#session,
      milliseconds,
    );
    this.#current.progress = progress;
    if (!ended) return;
    const { task } = this.#current;
    const record = this.#record();
    this.#current = undefined;
    if (this.#keeper) this.#keep(task, record);
    this.#finished.push({
      task,
      ...(this.#keeper ? {} : { record }),
      ...(divergedAt === undefined ? {} : { divergedAt }),
    });
  }

  #record(): Float64Array {
    return this.#engine.call<Float64Array>('sessionRecord', this.#session);
  }

  #keep(task: number, record: Float64Array): void {
    this.#engine.call('sessionPutRecord', this.#session, task, record);
  }

  #report(stepped = false): void {
    const finished = this.#finished;
    this.#finished = [];
    this.#reportedAt = performance.now();
    const transfer: ArrayBuffer[] = [];
    for (const { record } of finished) if (record) transfer.push(record.buffer as ArrayBuffer);
    let current: CurrentTask | undefined;
    if (this.#current) {
      current = { ...this.#current };
      if (!this.#keeper) {
        const record = this.#record();
        transfer.push(record.buffer as ArrayBuffer);
        current = { ...current, record };
      }
    }
    this.#post(
      {
        type: 'report',
        run: this.#run,
        finished,
        left: this.#left,
        stepped,
        ...(current ? { current } : {}),
      },
      transfer,
    );
  }

  #summarise(): void {
    if (this.#current) this.#keep(this.#current.task, this.#record());
    const tables = this.#engine.call<RawTables>('sessionSummarise', this.#session);
    const transfer: ArrayBuffer[] = [];
    for (const column of tables.flat()) {
      if (column instanceof Float64Array) transfer.push(column.buffer as ArrayBuffer);
    }
    this.#post({ type: 'tables', run: this.#run, tables }, transfer);
  }
}
