/**
 * Where runs and long calls are worked on: in a worker, or on the calling thread when there is
 * none. Takes the messages of protocol.ts, works in slices, and between two slices lets the event
 * loop have its turn. All jobs share it, slice by slice.
 */

import { CallJob } from './call_job.js';
import type { Engine } from './engine.js';
import { noteOf } from './errors.js';
import { breathe } from './platform.js';
import type { ToWorker } from './protocol.js';
import { RunJob, type Job, type Post } from './run_job.js';

export class Workbench {
  readonly #engine: Engine;
  readonly #post: Post;
  readonly #jobs = new Map<number, Job>();
  #working = false;

  constructor(engine: Engine, post: Post) {
    this.#engine = engine;
    this.#post = post;
  }

  handle(message: ToWorker): void {
    if (message.type === 'start') return;
    if (message.type === 'close') return this.#close(message.run);
    this.#guard(message.run, () => {
      switch (message.type) {
        case 'resource':
          this.#engine.call('provideResource', message.name, message.bytes);
          break;
        case 'open':
          this.#jobs.set(message.run, new RunJob(this.#engine, this.#post, message));
          break;
        case 'call':
          this.#jobs.set(message.run, new CallJob(this.#engine, this.#post, message));
          break;
        default: {
          const job = this.#jobs.get(message.run);
          if (job instanceof RunJob) job.handle(message);
        }
      }
    });
    void this.#work();
  }

  #close(run: number): void {
    const job = this.#jobs.get(run);
    this.#jobs.delete(run);
    if (job && !this.#engine.broken) job.close();
    this.#post({ type: 'closed', run });
  }

  #guard(run: number, work: () => void): void {
    try {
      work();
    } catch (error) {
      const job = this.#jobs.get(run);
      this.#jobs.delete(run);
      this.#post({ type: 'failed', run, error: noteOf(error) });
      if (this.#engine.broken) this.#post({ type: 'broken', error: noteOf(error) });
      else job?.close();
    }
  }

  async #work(): Promise<void> {
    if (this.#working) return;
    this.#working = true;
    // The first slice waits a turn too, so that a message never starts work in its own handler.
    for (;;) {
      await breathe();
      const next = this.#nextJob();
      if (!next) break;
      const [run, job] = next;
      this.#guard(run, () => job.work());
    }
    this.#working = false;
  }

  // In turn: the job that worked goes to the end of the map.
  #nextJob(): readonly [number, Job] | undefined {
    for (const [run, job] of this.#jobs) {
      if (!job.ready) continue;
      this.#jobs.delete(run);
      this.#jobs.set(run, job);
      return [run, job];
    }
    return undefined;
  }
}
