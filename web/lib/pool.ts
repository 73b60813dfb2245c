/**
 * The workers of a lab: started when first needed, shared by its runs, ended by `dispose`. Where
 * no worker can be had, the calling thread does the work and `problem` says why.
 */

import { Channel } from './channel.js';
import type { CompiledModule } from './engine.js';
import { AttnLabError, noteOf } from './errors.js';
import { startWorker, type CreateWorker } from './start_worker.js';

/** How long a worker beyond those that are kept may have nothing to do, in milliseconds. */
const REST = 10_000;

export class Pool {
  readonly #compiled: CompiledModule;
  #kept: number;
  readonly #createWorker: CreateWorker | undefined;
  #hired: Promise<unknown> = Promise.resolve();
  /** The least recently taken first. */
  #channels: Channel[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #disposed = false;
  /** Why there are no workers, where there are none. */
  problem: string | undefined;

  /** `kept`: so many workers stay until `dispose`. */
  constructor(compiled: CompiledModule, kept: number, createWorker: CreateWorker | undefined) {
    this.#compiled = compiled;
    this.#kept = kept;
    this.#createWorker = createWorker;
  }

  get size(): number {
    return this.#channels.length;
  }

  /** So many workers stay from now on, if they are there. */
  keep(count: number): void {
    this.#kept = Math.max(this.#kept, count);
  }

  /** Up to `count` workers, those with the least to do first; none when there can be none. */
  crew(count: number): Promise<Channel[]> {
    // One after the other: runs that begin at once would each start workers of their own.
    const hired = this.#hired.then(() => this.#hire(count));
    this.#hired = hired.catch(() => undefined);
    return hired;
  }

  async #hire(count: number): Promise<Channel[]> {
    // One that a closed run keeps busy is waited for, or given up and replaced.
    await Promise.all(this.#channels.map((channel) => channel.free()));
    const missing = this.problem === undefined ? count - this.#channels.length : 0;
    await Promise.all(Array.from({ length: Math.max(0, missing) }, () => this.#start()));
    const crew = [...this.#channels].sort((left, right) => left.load - right.load).slice(0, count);
    // Two runs that start together must not meet at one worker: neither is a load yet.
    this.#channels = [...this.#channels.filter((channel) => !crew.includes(channel)), ...crew];
    return crew;
  }

  /** Many runs at once take many workers; when they have rested for a while, most of them end. */
  #rest(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      for (const channel of [...this.#channels]) {
        if (this.#channels.length <= this.#kept) return;
        if (channel.load === 0) channel.cut();
      }
    }, REST);
    (this.#timer as { unref?: () => void }).unref?.();
  }

  async #start(): Promise<void> {
    const channel = await this.#open();
    if (!channel) return;
    this.#channels.push(channel);
    channel.onIdle = () => this.#rest();
    channel.onLost = () => {
      this.#channels = this.#channels.filter((other) => other !== channel);
    };
  }

  async #open(): Promise<Channel | undefined> {
    try {
      const channel = await startWorker(this.#compiled, this.#createWorker);
      if (this.#disposed) channel.cut();
      return channel;
    } catch (error) {
      this.problem = noteOf(error).message;
      return undefined;
    }
  }

  dispose(): void {
    this.#disposed = true;
    clearTimeout(this.#timer);
    const error = new AttnLabError({
      code: 'disposed',
      parameter: 'lab',
      message: 'lab: has been disposed of',
    });
    for (const channel of this.#channels) channel.cut(error);
    this.#channels = [];
  }
}
