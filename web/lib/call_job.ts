/** One long call at a workbench (src/wasm/long_call.h). */

import type { Engine } from './engine.js';
import type { ToWorker } from './protocol.js';
import type { Job, Post } from './run_job.js';

/** Milliseconds between two tellings of progress. */
const TELL_EVERY = 50;

export class CallJob implements Job {
  readonly slice = 12;
  readonly #engine: Engine;
  readonly #post: Post;
  readonly #run: number;
  readonly #call: number;
  #toldAt = 0;
  #ended = false;

  constructor(engine: Engine, post: Post, order: Extract<ToWorker, { type: 'call' }>) {
    this.#engine = engine;
    this.#post = post;
    this.#run = order.run;
    this.#call = engine.call<number>('callOpen', order.name, order.request);
  }

  get ready(): boolean {
    return !this.#ended;
  }

  work(): void {
    const { ended, progress } = this.#engine.call<{ ended: boolean; progress: number }>(
      'callAdvance',
      this.#call,
      this.slice,
    );
    if (ended) {
      this.#ended = true;
      const value = this.#engine.call('callResult', this.#call);
      this.#post({ type: 'called', run: this.#run, value });
    } else if (performance.now() - this.#toldAt >= TELL_EVERY) {
      this.#toldAt = performance.now();
      this.#post({ type: 'called-progress', run: this.#run, progress });
    }
  }

  close(): void {
    this.#engine.call('callClose', this.#call);
  }
}
