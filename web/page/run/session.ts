/**
 * One experiment in use: its values and seed, the run under way, what it has found, what it is
 * compared with. The page and the embeds show a session and act on it; neither knows the library.
 */
import type { Run } from '../../lib/index.ts';
import type { Descriptor, DescriptorValue } from '../../lib/descriptor.ts';
import { DEFAULT_SEED } from '../state/link.ts';
import { presetValues, sameValues, type Values } from '../state/values.ts';
import { labValues } from './lab-values.ts';
import { holdLab, type LabHold } from './lab.ts';
import { withPin, type End, type Found, type Outcome } from './outcome.ts';
import { site, type BuiltResult } from './site.ts';
import type { Tables } from './tables.ts';

export type Status =
  | 'empty' // nothing has been computed yet
  | 'built' // computed at build time
  | 'kept' // from the notebook
  | 'loading'
  | 'running'
  | 'paused'
  | 'done'
  | 'cancelled'
  | 'diverged'
  | 'failed';

const SETTLE_MILLISECONDS = 60;

export class Session extends EventTarget {
  preset: string;
  values: Values;
  seed = DEFAULT_SEED;
  status: Status = 'empty';
  progress = 0;
  etaSeconds: number | undefined;
  /** The tables that are shown, with what they were computed with: not yet that of the controls. */
  found: Found | undefined;
  failure: Error | undefined;
  /** Whether it was the laboratory that did not come, and not a run that failed. */
  failedToLoad = false;
  ghost: Outcome | undefined;
  pins: readonly Outcome[] = [];

  private run: Run | undefined;
  private hold: LabHold | undefined;
  private generation = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private visible = true;
  private pausedUnseen = false;

  /**
   * `descriptor` may be replaced by the same one in another language. `small`: only small figures
   * are shown of it, so less of the result made at build time has to be there.
   */
  constructor(
    public descriptor: Descriptor,
    private readonly small = false,
  ) {
    super();
    this.preset = descriptor.presets[0]?.name ?? '';
    this.values = presetValues(descriptor, this.preset);
  }

  get tables(): Tables | undefined {
    return this.found?.tables;
  }

  get divergedAt(): number | undefined {
    return this.found?.divergedAt;
  }

  /** All that is said beside the tables is of these. */
  get shown(): Pick<Outcome, 'values' | 'seed'> {
    return this.found ?? this;
  }

  get busy(): boolean {
    return this.status === 'loading' || this.status === 'running' || this.status === 'paused';
  }

  /** Takes up a state from a link; shows the result made at build time when it is that one. */
  async open(state: { preset: string; values: Values; seed: string }): Promise<void> {
    const same =
      this.tables !== undefined &&
      state.seed === this.seed &&
      sameValues(state.values, this.values);
    this.preset = state.preset;
    if (same) return this.announce();
    this.stop();
    this.values = state.values;
    this.seed = state.seed;
    this.status = 'loading';
    this.announce();
    const generation = ++this.generation;
    const { id } = this.descriptor;
    const asked = this.small ? site().picture(id) : site().builtResult(id);
    const built = await asked.catch(() => undefined);
    if (generation !== this.generation) return;
    if (built && this.matches(built)) this.showBuilt(built);
    // It may have been paused meanwhile.
    else if ((this.status as Status) === 'loading') this.start();
  }

  /** Shows a kept run; any touch computes anew. */
  showKept(kept: Found): void {
    this.stop();
    this.preset = kept.preset;
    this.values = kept.values;
    this.seed = kept.seed;
    this.showFinished('kept', kept);
  }

  set(name: string, value: DescriptorValue): void {
    this.values = { ...this.values, [name]: value };
    this.changed();
  }

  setAll(values: Values): void {
    this.values = { ...this.values, ...values };
    this.changed();
  }

  choosePreset(name: string): void {
    this.preset = name;
    this.values = presetValues(this.descriptor, name);
    this.changed();
  }

  setSeed(seed: string): void {
    this.seed = seed;
    this.changed();
  }

  newDraw(): void {
    this.setSeed(String(Math.floor(Math.random() * 2 ** 32)));
  }

  /** Starts, or goes on with, the computation. */
  resume(): void {
    if (this.status === 'paused' && this.run) {
      this.run.resume();
      this.status = 'running';
      this.announce();
    } else if (!this.busy || this.status === 'paused') {
      this.start(); // Paused before it had begun.
    }
  }

  pause(): void {
    if (this.status !== 'running' && this.status !== 'loading') return;
    clearTimeout(this.timer);
    this.run?.pause();
    this.pausedUnseen = false;
    this.status = 'paused';
    this.announce();
  }

  /** One step of a paused run; a run that has not begun is begun and held. */
  step(): void {
    if (this.status === 'paused' && this.run) stepOn(this.run);
    else if (!this.busy || this.status === 'paused') this.start({ held: true });
  }

  /** Back to before the first step, with the same values and seed. */
  reset(): void {
    this.stop();
    this.keepGhost();
    this.found = undefined;
    this.progress = 0;
    this.status = 'empty';
    this.failure = undefined;
    this.announce();
  }

  cancel(): void {
    if (!this.busy) return;
    this.stop();
    this.status = 'cancelled';
    this.announce();
  }

  pin(): void {
    if (!this.found) return;
    this.pins = withPin(this.pins, this.found);
    this.announce();
  }

  unpin(place: number): void {
    this.pins = this.pins.filter((_, index) => index !== place);
    this.announce();
  }

  /** Nothing computes where nobody looks. */
  setVisible(visible: boolean): void {
    this.visible = visible;
    if (!visible && this.status === 'running') {
      this.run?.pause();
      this.pausedUnseen = true;
    } else if (visible && this.pausedUnseen) {
      this.pausedUnseen = false;
      if (this.status === 'running') this.run?.resume();
    }
  }

  dispose(): void {
    this.stop();
    this.generation += 1;
    this.pins = [];
    this.ghost = undefined;
    this.found = undefined;
    this.hold?.release();
    this.hold = undefined;
  }

  private matches(built: BuiltResult): boolean {
    return built.seed === this.seed && sameValues(built.params, this.values);
  }

  private showBuilt(built: BuiltResult): void {
    const { params, seed, tables, version, divergedAt } = built;
    const found = { preset: this.preset, values: params, seed, tables, version, divergedAt };
    this.showFinished('built', { ...found, status: built.status as End });
  }

  private showFinished(status: 'built' | 'kept', found: Found): void {
    this.found = found;
    this.status = status;
    this.progress = 1;
    this.failure = undefined;
    this.announce();
  }

  /** A control was moved: the old curve stays as a ghost and the run starts again at once. */
  private changed(): void {
    this.stop();
    this.keepGhost();
    this.status = 'loading';
    this.progress = 0;
    this.etaSeconds = undefined;
    this.failure = undefined;
    this.announce('values');
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.start(), SETTLE_MILLISECONDS);
  }

  private keepGhost(): void {
    this.ghost = this.found ?? this.ghost;
  }

  private stop(): void {
    clearTimeout(this.timer);
    this.generation += 1;
    this.run?.cancel();
    this.run = undefined;
    this.pausedUnseen = false;
  }

  private start(options: { held?: boolean } = {}): void {
    clearTimeout(this.timer);
    const generation = ++this.generation;
    this.status = options.held ? 'paused' : 'loading';
    this.progress = 0;
    this.etaSeconds = undefined;
    this.failure = undefined;
    this.announce();
    void this.follow(generation, options.held ?? false);
  }

  private async follow(generation: number, held: boolean): Promise<void> {
    const { preset, values, seed } = this;
    let loaded = false;
    try {
      this.hold ??= holdLab();
      const lab = await this.hold.lab();
      loaded = true;
      if (generation !== this.generation) return;
      const take = (tables: Tables, status: End, divergedAt?: number): void => {
        const { version } = lab;
        this.found = { preset, values, seed, tables, version, status, divergedAt };
      };
      const run = lab.run(this.descriptor.id, labValues(values), { seed });
      this.run = run;
      if (held) run.pause();
      else if ((this.status as Status) === 'paused') run.pause();
      else this.status = 'running';
      if (held) stepOn(run);
      if (!this.visible && this.status === 'running') {
        run.pause();
        this.pausedUnseen = true;
      }
      this.announce();
      for await (const frame of run) {
        if (generation !== this.generation) return;
        this.progress = frame.progress;
        this.etaSeconds = frame.etaSeconds;
        if (frame.tables) take(frame.tables, 'cancelled');
        this.announce();
      }
      const result = await run.result;
      if (generation !== this.generation) return;
      take(result.tables, result.status, result.divergedAt);
      this.status = result.status;
      this.progress = 1;
    } catch (failure) {
      if (generation !== this.generation) return;
      this.failure = failure instanceof Error ? failure : new Error(String(failure));
      this.failedToLoad = !loaded;
      this.status = 'failed';
    }
    this.run = undefined;
    this.etaSeconds = undefined;
    this.announce();
  }

  private announce(type: 'change' | 'values' = 'change'): void {
    if (type === 'values') this.dispatchEvent(new Event('values'));
    this.dispatchEvent(new Event('change'));
  }
}

/** What fails is told by the frames. */
function stepOn(run: Run): void {
  run.step().catch(() => undefined);
}
