/**
 * The calling thread's end of a line to a workbench: hands each message to the run or call that
 * it is for, and knows which of them are still open at the other end.
 */

import { AttnLabError } from './errors.js';
import type { FromWorker, ToWorker } from './protocol.js';

/** How messages travel: to a worker, or within the thread. */
export interface Line {
  send(message: ToWorker, transfer?: ArrayBuffer[]): void;
  /** Ends the worker at once. */
  cut(): void;
  /** While held, the worker keeps a Node process alive. */
  hold(held: boolean): void;
}

export interface Listener {
  receive(message: FromWorker): void;
  /** The worker is gone; nothing more will come. */
  lost(error: AttnLabError): void;
}

/** How long a closed run may keep a worker busy before the worker is given up. */
const CLOSE_PATIENCE = 1000;

export class Channel {
  readonly #line: Line;
  readonly #listeners = new Map<number, Listener>();
  /** What the other end has not let go of yet, each with the end of its patience. */
  readonly #closing = new Map<number, ReturnType<typeof setTimeout>>();
  #waiting: (() => void)[] = [];
  readonly #provided = new Set<string>();
  #lost = false;
  /** Called once when the line is lost or cut. */
  onLost: () => void = () => {};
  /** Called when nothing is open at the other end any more. */
  onIdle: () => void = () => {};

  constructor(line: Line) {
    this.#line = line;
  }

  /** Runs and calls that are open at the other end. */
  get load(): number {
    return this.#listeners.size + this.#closing.size;
  }

  get lost(): boolean {
    return this.#lost;
  }

  attach(run: number, listener: Listener): void {
    this.#listeners.set(run, listener);
    this.#line.hold(true);
  }

  post(message: ToWorker, transfer?: ArrayBuffer[]): void {
    if (!this.#lost) this.#line.send(message, transfer);
  }

  /** Hands a resource in, unless this worker has it already. */
  provide(run: number, name: string, bytes: Uint8Array): void {
    if (this.#provided.has(name)) return;
    this.#provided.add(name);
    this.post({ type: 'resource', run, name, bytes });
  }

  /** Forgets the run here and there. A worker that does not let go in time is given up. */
  close(run: number): void {
    if (!this.#listeners.delete(run) || this.#lost) return;
    this.post({ type: 'close', run });
    const timer = setTimeout(() => {
      if (this.#closing.has(run) && this.#listeners.size === 0) this.cut();
    }, CLOSE_PATIENCE);
    (timer as { unref?: () => void }).unref?.();
    this.#closing.set(run, timer);
  }

  /**
   * Until the worker can take something up, or is given up: where it still has a closed run in hand,
   * and nothing else, it may never answer.
   */
  async free(): Promise<void> {
    if (this.#lost || this.#closing.size === 0 || this.#listeners.size > 0) return;
    for (const timer of this.#closing.values()) (timer as { ref?: () => void }).ref?.();
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** What came over the line. */
  receive(message: FromWorker): void {
    if (this.#lost || message.type === 'started') return;
    if (message.type === 'broken') {
      this.cut(new AttnLabError(message.error));
      return;
    }
    if (message.type === 'closed') {
      clearTimeout(this.#closing.get(message.run));
      this.#closing.delete(message.run);
      this.#settle();
      return;
    }
    this.#listeners.get(message.run)?.receive(message);
  }

  cut(
    error = new AttnLabError({
      code: 'worker',
      parameter: 'workers',
      message: 'workers: a worker ended unexpectedly; run it again',
    }),
  ): void {
    if (this.#lost) return;
    this.#lost = true;
    this.#line.cut();
    const listeners = [...this.#listeners.values()];
    this.#listeners.clear();
    for (const timer of this.#closing.values()) clearTimeout(timer);
    this.#closing.clear();
    this.onLost();
    this.#wake();
    for (const listener of listeners) listener.lost(error);
  }

  #settle(): void {
    if (this.load === 0) {
      this.#line.hold(false);
      this.onIdle();
    }
    if (this.#closing.size === 0) this.#wake();
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }
}
