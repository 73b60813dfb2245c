/** A run as its caller holds it. */

import type { CallerSignal } from './caller_signal.js';
import { Conductor, type RunOrder } from './conductor.js';
import type { Channel } from './channel.js';
import type { Descriptor } from './descriptor.js';
import { AttnLabError } from './errors.js';
import { FrameFeed, type Frame } from './frames.js';
import type { RawTables } from './protocol.js';
import { seedValue, type Seed } from './seed.js';
import { Stopwatch } from './stopwatch.js';
import { emptyTables, nameTables, type Tables } from './tables.js';
import type { ParameterValues } from './parameters.js';

/** What a run has found, and all that is needed to run it again. */
export interface RunResult {
  /** How it ended; the tables of a cancelled run hold what was known by then. */
  readonly status: 'done' | 'cancelled' | 'diverged';
  /** The first step at which a number stopped being finite; the tables hold the finite part. */
  readonly divergedAt?: number;
  /** The id. */
  readonly experiment: string;
  /** Every parameter, defaults included. */
  readonly params: ParameterValues;
  /** A number where that is exact, else a decimal string. */
  readonly seed: Seed;
  /** Of the package that computed it. */
  readonly version: string;
  /** By name, as the descriptor lists them. */
  readonly tables: Tables;
}

export interface RunRequest {
  readonly descriptor: Descriptor;
  readonly params: ParameterValues;
  readonly order: RunOrder;
  readonly version: string;
  readonly paused: boolean;
  readonly signal: CallerSignal | undefined;
  /** At least one channel; the first one keeps the records. */
  hireChannels(): Promise<readonly Channel[]>;
  fetchResources(): Promise<ReadonlyMap<string, Uint8Array>>;
  onEnd(run: Run): void;
}

/**
 * A run as its caller holds it: its frames by `for await`, its outcome by `result`. Made by `lab.run`.
 */
export class Run implements AsyncIterable<Frame> {
  /** Settles when the run has ended: also when it was cancelled or has diverged. */
  readonly result: Promise<RunResult>;

  readonly #request: RunRequest;
  readonly #feed = new FrameFeed();
  readonly #stopwatch = new Stopwatch();
  #conductor: Conductor | undefined;
  #paused: boolean;
  #ended = false;
  #error: AttnLabError | undefined;
  #tables: Tables;
  #progress = 0;
  #settle!: { resolve(result: RunResult): void; reject(error: AttnLabError): void };
  /** Steps asked for before there was anything to step. */
  #earlySteps: (() => void)[] = [];
  #stopListening = (): void => {};

  /** Made by `lab.run`. @internal */
  constructor(request: RunRequest) {
    this.#request = request;
    this.#paused = request.paused;
    this.#tables = emptyTables(request.descriptor.tables);
    this.result = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    // Whoever only reads the frames is told by them.
    this.result.catch(() => {});
    if (request.signal?.aborted) this.cancel();
    else {
      if (request.signal) this.#stopListening = request.signal.listen(() => this.cancel());
      // It may have told at once.
      if (this.#ended) this.#stopListening();
      queueMicrotask(() => this.#start());
    }
  }

  /** Whether it is held; false once it has ended. */
  get paused(): boolean {
    return this.#paused && !this.#ended;
  }

  /** Whether it is done, cancelled, diverged or failed. */
  get ended(): boolean {
    return this.#ended;
  }

  /** The newest frame, for whoever does not iterate. */
  get latest(): Frame | undefined {
    return this.#feed.latest;
  }

  /** The frames from here on. A slow reader gets the newest one, never a backlog. */
  [Symbol.asyncIterator](): AsyncGenerator<Frame, void, undefined> {
    return this.#feed.read();
  }

  /** Holds the work where it is; workers are free for other runs meanwhile. */
  pause(): void {
    if (this.#ended || this.#paused) return;
    this.#paused = true;
    this.#stopwatch.stop();
    this.#conductor?.pause();
    this.#pushFrame('paused');
  }

  /** Goes on after `pause` or `step`. */
  resume(): void {
    if (this.#ended || !this.#paused) return;
    this.#paused = false;
    if (this.#conductor) this.#stopwatch.start();
    this.#conductor?.resume();
    this.#pushFrame('running');
  }

  /**
   * Pauses if need be, does one step of one task, and resolves with the frame after it. Rejects
   * with the run's error where the run has failed.
   */
  async step(): Promise<Frame> {
    this.pause();
    if (!this.#ended) {
      if (this.#conductor) await this.#conductor.step();
      else await new Promise<void>((done) => this.#earlySteps.push(done));
    }
    if (this.#error) throw this.#error;
    return this.#feed.latest!;
  }

  /** Ends the run now, with the tables known so far. Harmless when it has ended. */
  cancel(): void {
    if (!this.#ended) this.#end('cancelled');
  }

  /** Ends the run with an error. @internal */
  abandon(error: AttnLabError): void {
    this.#fail(error);
  }

  async #start(): Promise<void> {
    try {
      const resources = await this.#request.fetchResources();
      if (this.#ended) return;
      const channels = await this.#request.hireChannels();
      if (this.#ended) return;
      this.#conductor = new Conductor(this.#request.order, channels, this.#paused, {
        tables: (raw, progress, ended) => this.#takeTables(raw, progress, ended),
        failed: (error) => this.#fail(error),
      });
      if (!this.#paused) this.#stopwatch.start();
      this.#conductor.start(resources);
      for (const done of this.#earlySteps.splice(0)) void this.#conductor.step().then(done);
    } catch (error) {
      this.#fail(
        error instanceof AttnLabError
          ? error
          : new AttnLabError(
              {
                code: 'internal',
                parameter: 'attnlab',
                message: `attnlab: a fault of this library: ${String(error)}`,
              },
              { cause: error },
            ),
      );
    }
  }

  #takeTables(raw: RawTables, progress: number, ended: boolean): void {
    if (this.#ended) return;
    this.#tables = nameTables(this.#request.descriptor.tables, raw);
    this.#progress = progress;
    if (!ended) return this.#pushFrame(this.#paused ? 'paused' : 'running');
    this.#end(this.#conductor!.divergedAt === undefined ? 'done' : 'diverged');
  }

  #pushFrame(status: Frame['status']): void {
    const progress = this.#progress;
    const { seconds } = this.#stopwatch;
    const estimated = status === 'running' && progress > 0.01 && seconds > 0.2;
    this.#feed.push({
      progress,
      tables: this.#tables,
      status,
      ...(estimated ? { etaSeconds: (seconds * (1 - progress)) / progress } : {}),
    });
  }

  #end(status: RunResult['status']): void {
    const divergedAt = this.#conductor?.divergedAt;
    if (status !== 'cancelled') this.#progress = 1;
    this.#close();
    this.#pushFrame(status);
    this.#feed.end();
    this.#settle.resolve({
      status,
      ...(divergedAt === undefined ? {} : { divergedAt }),
      experiment: this.#request.descriptor.id,
      params: this.#request.params,
      seed: seedValue(this.#request.order.seed),
      version: this.#request.version,
      tables: this.#tables,
    });
  }

  #fail(error: AttnLabError): void {
    if (this.#ended) return;
    this.#error = error;
    this.#close();
    this.#feed.end(error);
    this.#settle.reject(error);
  }

  #close(): void {
    this.#ended = true;
    this.#stopwatch.stop();
    this.#conductor?.close();
    for (const done of this.#earlySteps.splice(0)) done();
    this.#stopListening();
    this.#request.onEnd(this);
  }
}
