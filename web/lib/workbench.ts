/**
 * Where runs are worked on: in a worker, or on the calling thread when there is none. Takes the
 * messages of protocol.ts, works in slices, and between two slices lets the event loop have its
 * turn. Several runs share it slice by slice.
 */

import type { Engine } from './engine.js';
import { noteOf } from './errors.js';
import { breathe } from './platform.js';
import type { CurrentTask, FinishedTask, FromWorker, RawTables, ToWorker } from './protocol.js';

interface Job {
  readonly run: number;
  readonly session: number;
  readonly keeper: boolean;
  readonly slice: number;
  paused: boolean;
  readonly waiting: number[];
  current: { task: number; progress: number } | undefined;
  finished: FinishedTask[];
  reportedAt: number;
}

interface Advance {
  readonly ended: boolean;
  readonly progress: number;
  readonly divergedAt?: number;
}

/** Milliseconds between two reports of one run. */
const REPORT_EVERY = 50;

export class Workbench {
  readonly #engine: Engine;
  readonly #post: (message: FromWorker, transfer?: Transferable[]) => void;
  readonly #jobs = new Map<number, Job>();
  #working = false;

  constructor(engine: Engine, post: (message: FromWorker, transfer?: Transferable[]) => void) {
    this.#engine = engine;
    this.#post = post;
  }

  handle(message: ToWorker): void {
    if (message.type === 'start') return;
    if (message.type === 'call') return this.#call(message.call, message.name, message.request);
    if (message.type === 'resource') {
      const { run, name, bytes } = message;
      return this.#guard(run, () => this.#engine.call('provideResource', name, bytes));
    }
    if (message.type === 'open') return this.#guard(message.run, () => this.#open(message));
    const job = this.#jobs.get(message.run);
    if (message.type === 'close') return this.#close(message.run, job);
    if (job) this.#guard(message.run, () => this.#handleFor(job, message));
  }

  #handleFor(
    job: Job,
    message: Exclude<ToWorker, { type: 'start' | 'resource' | 'call' | 'open' | 'close' }>,
  ): void {
    switch (message.type) {
      case 'assign':
        job.waiting.push(...message.tasks);
        break;
      case 'put':
        for (const [task, record] of message.records) this.#keep(job, task, record);
        break;
      case 'summarise':
        this.#summarise(job);
        break;
      case 'pause':
        job.paused = true;
        this.#report(job);
        break;
      case 'resume':
        job.paused = false;
        break;
      case 'step':
        this.#advance(job, 0);
        this.#report(job, true);
        break;
    }
    this.#work();
  }

  #open(message: Extract<ToWorker, { type: 'open' }>): void {
    const { run, id, values, seed, keeper, paused, slice } = message;
    const { session, costs } = this.#engine.call<{ session: number; costs: Float64Array }>(
      'sessionOpen',
      id,
      values,
      seed,
    );
    this.#jobs.set(run, {
      run,
      session,
      keeper,
      slice,
      paused,
      waiting: [],
      current: undefined,
      finished: [],
      reportedAt: -Infinity,
    });
    this.#post({ type: 'opened', run, costs });
  }

  #close(run: number, job: Job | undefined): void {
    this.#jobs.delete(run);
    try {
      if (job && !this.#engine.broken) this.#engine.call('sessionClose', job.session);
    } finally {
      this.#post({ type: 'closed', run });
    }
  }

  #guard(run: number, work: () => unknown): void {
    try {
      work();
    } catch (error) {
      const job = this.#jobs.get(run);
      this.#jobs.delete(run);
      this.#post({ type: 'failed', run, error: noteOf(error) });
      if (this.#engine.broken) this.#post({ type: 'broken', error: noteOf(error) });
      else if (job) this.#engine.call('sessionClose', job.session);
    }
  }

  async #work(): Promise<void> {
    if (this.#working) return;
    this.#working = true;
    // The first slice waits a turn too, so that a message never starts work in its own handler.
    for (;;) {
      await breathe();
      const job = this.#nextJob();
      if (!job) break;
      this.#guard(job.run, () => this.#slice(job));
    }
    this.#working = false;
  }

  // In turn: the job that worked goes to the end of the map.
  #nextJob(): Job | undefined {
    for (const job of this.#jobs.values()) {
      if (job.paused || (!job.current && job.waiting.length === 0)) continue;
      this.#jobs.delete(job.run);
      this.#jobs.set(job.run, job);
      return job;
    }
    return undefined;
  }

  #slice(job: Job): void {
    const stop = performance.now() + job.slice;
    let now = performance.now();
    do {
      this.#advance(job, stop - now);
      now = performance.now();
    } while (now < stop && (job.current || job.waiting.length > 0));
    const idle = !job.current && job.waiting.length === 0;
    if (idle || now - job.reportedAt >= REPORT_EVERY) this.#report(job);
  }

  #advance(job: Job, milliseconds: number): void {
    if (!job.current) {
      const task = job.waiting.shift();
      if (task === undefined) return;
      this.#engine.call('sessionBegin', job.session, task);
      job.current = { task, progress: 0 };
    }
    const { ended, progress, divergedAt } = this.#engine.call<Advance>(
      'sessionAdvance',
      job.session,
      milliseconds,
    );
    job.current.progress = progress;
    if (!ended) return;
    const { task } = job.current;
    const record = this.#engine.call<Float64Array>('sessionRecord', job.session);
    job.current = undefined;
    if (job.keeper) this.#keep(job, task, record);
    job.finished.push({
      task,
      ...(job.keeper ? {} : { record }),
      ...(divergedAt === undefined ? {} : { divergedAt }),
    });
  }

  #keep(job: Job, task: number, record: Float64Array): void {
    this.#engine.call('sessionPutRecord', job.session, task, record);
  }

  #partialRecord(job: Job): Float64Array {
    return this.#engine.call<Float64Array>('sessionRecord', job.session);
  }

  #report(job: Job, stepped = false): void {
    const { run, finished, keeper } = job;
    job.finished = [];
    job.reportedAt = performance.now();
    const transfer: Transferable[] = [];
    for (const { record } of finished) if (record) transfer.push(record.buffer);
    let current: CurrentTask | undefined;
    if (job.current) {
      current = { ...job.current };
      if (!keeper) {
        const record = this.#partialRecord(job);
        transfer.push(record.buffer);
        current = { ...current, record };
      }
    }
    const left = job.waiting.length + (job.current ? 1 : 0);
    this.#post(
      { type: 'report', run, finished, left, stepped, ...(current ? { current } : {}) },
      transfer,
    );
  }

  #summarise(job: Job): void {
    if (job.current) this.#keep(job, job.current.task, this.#partialRecord(job));
    const tables = this.#engine.call<RawTables>('sessionSummarise', job.session);
    const transfer: Transferable[] = [];
    for (const column of tables.flat()) {
      if (column instanceof Float64Array) transfer.push(column.buffer);
    }
    this.#post({ type: 'tables', run: job.run, tables }, transfer);
  }

  #call(call: number, name: string, request: unknown): void {
    const onProgress = (progress: number) => {
      this.#post({ type: 'called-progress', call, progress });
      return true;
    };
    try {
      const value = this.#engine.call(name, request, onProgress);
      this.#post({ type: 'called', call, value });
    } catch (error) {
      this.#post({ type: 'uncalled', call, error: noteOf(error) });
    }
  }
}
