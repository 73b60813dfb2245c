/** The laboratory: one instance of the module, its experiments, its workers. */

import { bindAttention, type Attention } from './attention.js';
import { readSignal } from './caller_signal.js';
import { Calls } from './calls.js';
import type { Channel } from './channel.js';
import type { Descriptor } from './descriptor.js';
import { Engine, type CompiledModule } from './engine.js';
import { AttnLabError, fail, show } from './errors.js';
import type { KnownId, ParametersOf } from './experiments.js';
import { openLocalChannel } from './local_channel.js';
import { bindMeasure, type MeasureCalls } from './measure.js';
import { bindMhla, type Mhla } from './mhla.js';
import { requireName } from './names.js';
import { bindNeedle, type Needle } from './needle.js';
import { Options, requireCount } from './options.js';
import { packParameters, unpackParameters, type ParameterValues } from './parameters.js';
import { Pool } from './pool.js';
import { bindRegression, type Regression } from './regression.js';
import { Resources, type FindResource } from './resources.js';
import { Run } from './run.js';
import { nextRunNumber } from './run_number.js';
import { seedText, type Seed } from './seed.js';
import type { CreateWorker } from './start_worker.js';
import type { Variant } from './variant.js';

/** How a run is made; none of it but `seed` and `preset` changes a number. */
export interface RunOptions {
  /** 0 ... 2^53 - 1, or a decimal string up to 2^64 - 1. Default 1. */
  readonly seed?: Seed;
  /** Values to start from in the place of the defaults. */
  readonly preset?: string;
  /** Cancels the run. */
  readonly signal?: AbortSignal;
  /**
   * How many workers share the work; 0 works on the calling thread, in slices. Changes the time
   * only, never a result. Default: as `load` was told.
   */
  readonly workers?: number;
  /** Start paused, for `step`. Default false. */
  readonly paused?: boolean;
  /** Work between two turns of the event loop, in milliseconds. */
  readonly sliceMilliseconds?: number;
}

/** What `load` found out and was told. @internal */
export interface LabSetting {
  readonly compiled: CompiledModule;
  readonly workers: number;
  readonly createWorker: CreateWorker | undefined;
  readonly findResource: FindResource | undefined;
}

export const MOST_WORKERS = 64;
const RUN_OPTIONS = ['seed', 'preset', 'signal', 'workers', 'paused', 'sliceMilliseconds'];

/**
 * The laboratory: one instance of the module, its experiments, its workers. Made by `load`. Bad input
 * throws an `AttnLabError` before any work, and the lab works on after it.
 */
export class Lab {
  /** The build that the engine took. */
  readonly variant: Variant;
  /** Of the package, as in package.json. */
  readonly version: string;
  /** Version, commit, compiler and flags of the module. */
  readonly provenance: string;
  /** The descriptors, in the order of the page. */
  readonly experiments: readonly Descriptor[];
  /** Attention on given queries, keys and values. */
  readonly attention: Attention;
  /** Attention on a distribution of tokens. */
  readonly measure: MeasureCalls;
  /** Multi-head linear attention by least squares. */
  readonly mhla: Mhla;
  /** Single-location regression. */
  readonly needle: Needle;
  /** In-context linear regression with infinitely long prompts. */
  readonly regression: Regression;

  readonly #setting: LabSetting;
  readonly #pool: Pool;
  readonly #resources: Resources;
  readonly #runs = new Set<Run>();
  readonly #calls: Calls;
  #engine: Engine;
  #local: Channel | undefined;
  #restarting: Promise<void> | undefined;
  #disposed = false;

  /** Made by `load`. @internal */
  constructor(setting: LabSetting, engine: Engine, experiments: readonly Descriptor[]) {
    this.#setting = setting;
    this.#engine = engine;
    this.#pool = new Pool(setting.compiled, setting.workers, setting.createWorker);
    this.#resources = new Resources(setting.findResource);
    this.#calls = new Calls(
      async () => (await this.#hireChannels(Math.min(1, setting.workers)))[0]!,
    );
    const about = engine.call<{ version: string; provenance: string }>('about');
    this.variant = engine.variant;
    this.version = about.version;
    this.provenance = about.provenance;
    this.experiments = experiments;
    const live = (): Engine => this.#live();
    this.attention = Object.freeze(bindAttention(live));
    this.measure = Object.freeze(bindMeasure(live));
    this.mhla = Object.freeze(bindMhla(live, this.#calls));
    this.needle = Object.freeze(bindNeedle(live, this.#calls));
    this.regression = Object.freeze(bindRegression(live, this.#calls));
  }

  /** Why runs use the calling thread although workers were asked for; undefined if they do not. */
  get workerProblem(): string | undefined {
    return this.#pool.problem;
  }

  /** Whether `dispose` was called. */
  get disposed(): boolean {
    return this.#disposed;
  }

  /** Throws 'unknown-name' with the nearest id as a hint. */
  describe(id: string): Descriptor {
    this.#live();
    if (typeof id !== 'string') fail('type', 'experiment', `is ${show(id)}; an id is expected`);
    const known = this.experiments.map((experiment) => experiment.id);
    requireName(id, known, 'experiment');
    return this.experiments.find((experiment) => experiment.id === id)!;
  }

  /**
   * Every parameter as `run` would use it: defaults, the preset's values over them, the given ones
   * over those. Throws what `run` would throw.
   */
  resolveParameters<Id extends string>(
    id: KnownId<Id>,
    parameters?: ParametersOf<Id>,
    options?: Pick<RunOptions, 'preset'>,
  ): ParameterValues {
    const read = new Options(options, ['preset']);
    const descriptor = this.describe(id);
    const preset = read.has('preset') ? read.text('preset') : undefined;
    const values = packParameters(descriptor, preset, parameters);
    this.#live().call('checkValues', id, values);
    return unpackParameters(values);
  }

  /**
   * Starts workers ahead of the runs, for many runs side by side with one worker each. Resolves
   * with how many there are; 0 where none can be had.
   */
  async startWorkers(count: number): Promise<number> {
    this.#live();
    requireCount(new Options({ count }, ['count']).required('count'), 'count', 0, MOST_WORKERS);
    this.#pool.keep(count);
    return (await this.#pool.crew(count)).length;
  }

  /**
   * Starts an experiment. Bad parameters throw at once; what the run itself finds wrong rejects
   * `result` and the frames. The result is a function of id, parameters and seed alone.
   *
   * @example
   * ```js
   * import { load } from 'attnlab';
   *
   * const lab = await load();
   * const run = lab.run('large-prompt.output', { magnitudes: [1], largestCount: 256 }, { seed: 1 });
   * for await (const frame of run) if (frame.status === 'done') console.log(frame.progress); // 1
   * const { status, tables } = await run.result;
   * console.log(status); // done
   * console.log(tables.points.columns.tokenCount.join()); // 16,32,64,128,256
   * lab.dispose();
   * ```
   */
  run<Id extends string>(
    id: KnownId<Id>,
    parameters?: ParametersOf<Id>,
    options?: RunOptions,
  ): Run {
    const engine = this.#live();
    const read = new Options(options, RUN_OPTIONS);
    const descriptor = this.describe(id);
    const seed = seedText(read.has('seed') ? read.get('seed') : 1);
    const preset = read.has('preset') ? read.text('preset') : undefined;
    const signal = readSignal(read);
    const workers = read.count('workers', this.#setting.workers, 0, MOST_WORKERS);
    const paused = read.flag('paused', false);
    // On the calling thread the slices are short, so that a page stays smooth.
    const slice = read.finite('sliceMilliseconds', workers === 0 ? 8 : 12);
    if (slice < 0 || slice > 1000) {
      fail('out-of-range', 'sliceMilliseconds', `is ${slice}; 0 to 1000 is allowed`);
    }
    const values = packParameters(descriptor, preset, parameters);
    engine.call('checkValues', id, values);
    const run: Run = new Run({
      descriptor,
      params: unpackParameters(values),
      order: { run: nextRunNumber(), id, values, seed, slice },
      version: this.version,
      paused,
      signal,
      hireChannels: () => this.#hireChannels(workers),
      fetchResources: () => this.#resources.fetchFor(descriptor, values),
      onEnd: (ended) => this.#runs.delete(ended),
    });
    if (!run.ended) this.#runs.add(run);
    return run;
  }

  /** Ends all runs and workers and lets the memory go. A second call is harmless. */
  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    const error = this.#disposedError();
    for (const run of [...this.#runs]) run.abandon(error);
    this.#calls.abandon(error);
    this.#pool.dispose();
    this.#local?.cut(error);
    this.#local = undefined;
    this.#engine = undefined as unknown as Engine;
  }

  /** The same, for `using`. */
  [Symbol.dispose](): void {
    this.dispose();
  }

  async #hireChannels(workers: number): Promise<readonly Channel[]> {
    const crew = workers > 0 ? await this.#pool.crew(workers) : [];
    if (this.#disposed) throw this.#disposedError();
    if (crew.length > 0) return crew;
    if (this.#engine.broken) await this.#restart();
    if (this.#local === undefined || this.#local.lost) {
      this.#local = openLocalChannel(this.#live());
    }
    return [this.#local];
  }

  #live(): Engine {
    if (this.#disposed) throw this.#disposedError();
    if (this.#engine.broken) void this.#restart();
    return this.#engine;
  }

  // After a trap the instance cannot be trusted: another one takes its place as soon as it runs.
  #restart(): Promise<void> {
    this.#restarting ??= Engine.start(this.#setting.compiled)
      .then((engine) => {
        if (!this.#disposed) this.#engine = engine;
      })
      .finally(() => {
        this.#restarting = undefined;
      });
    // Whoever waits is told; whoever does not meets the broken instance's own error.
    this.#restarting.catch(() => {});
    return this.#restarting;
  }

  #disposedError(): AttnLabError {
    return new AttnLabError({
      code: 'disposed',
      parameter: 'lab',
      message: 'lab: has been disposed of; call load() for another one',
    });
  }
}
