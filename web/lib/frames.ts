/**
 * The frames of a run, as an async iterable. A reader that is slower than the run gets the newest
 * frame, never a backlog; each `for await` loop reads for itself.
 */

import type { AttnLabError } from './errors.js';
import type { Tables } from './tables.js';

/** How far a run is, and what it has found so far. */
export interface Frame {
  /** In [0, 1]. */
  readonly progress: number;
  /** What is known so far: a simulated curve gains points and its error bars shrink. */
  readonly tables: Tables;
  /** Of the run at this moment. */
  readonly status: 'running' | 'paused' | 'done' | 'cancelled' | 'diverged';
  /** An estimate of the seconds of work left; absent until there is something to go by. */
  readonly etaSeconds?: number;
}

export class FrameFeed {
  #latest: Frame | undefined;
  #version = 0;
  #ended = false;
  #error: AttnLabError | undefined;
  #waiting: (() => void)[] = [];

  get latest(): Frame | undefined {
    return this.#latest;
  }

  push(frame: Frame): void {
    this.#latest = frame;
    ++this.#version;
    this.#wake();
  }

  end(error?: AttnLabError): void {
    this.#ended = true;
    this.#error = error;
    this.#wake();
  }

  async *read(): AsyncGenerator<Frame, void, undefined> {
    let seen = 0;
    for (;;) {
      if (this.#latest && this.#version > seen) {
        seen = this.#version;
        yield this.#latest;
      } else if (this.#error) {
        throw this.#error;
      } else if (this.#ended) {
        return;
      } else {
        await new Promise<void>((wake) => this.#waiting.push(wake));
      }
    }
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }
}
