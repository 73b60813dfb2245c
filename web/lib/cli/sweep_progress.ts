/** A sweep's progress on a terminal: runs done, their rate, the time left. */

import { duration } from './duration.js';
import { ProgressBar } from './output.js';
import type { SweepState } from './sweep_state.js';

/** Milliseconds between two views. */
const EVERY = 100;
/** Milliseconds between two counts of what a precision target leaves to do. */
const COUNT_EVERY = 2000;

export class SweepProgress {
  readonly #bar: ProgressBar;
  readonly #state: SweepState;
  readonly #before: number;
  readonly #begun = performance.now();
  #left: number;
  #countedAt: { readonly time: number; readonly finished: number };
  #shownAt = -Infinity;

  constructor(title: string, state: SweepState, runs: number) {
    this.#bar = new ProgressBar(title);
    this.#state = state;
    this.#before = state.finished;
    this.#left = runs;
    this.#countedAt = { time: this.#begun, finished: state.finished };
  }

  show(): void {
    const now = performance.now();
    if (!this.#bar.shown || now - this.#shownAt < EVERY) return;
    this.#shownAt = now;
    const { finished, plan } = this.#state;
    if (plan.stop.target && now - this.#countedAt.time > COUNT_EVERY) {
      this.#left = this.#state.countLeft();
      this.#countedAt = { time: now, finished };
    }
    const left = Math.max(0, this.#left - (finished - this.#countedAt.finished));
    const total = finished + left;
    const rate = ((finished - this.#before) * 1000) / (now - this.#begun);
    const speed = rate >= 1 ? `${rate.toPrecision(3)} a second` : `${duration(1 / rate)} a run`;
    this.#bar.show(finished / total, left / rate, `, ${finished}/${total}, ${speed}`);
  }

  clear(): void {
    this.#bar.clear();
  }
}
