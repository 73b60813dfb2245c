/**
 * Drives one run over its channels: opens it everywhere, hands out tasks, carries the records to
 * the keeper (the first channel), and asks it for tables. Knows nothing of frames and promises.
 */

import type { Channel } from './channel.js';
import { AttnLabError } from './errors.js';
import type { FromWorker, PackedValues, RawTables } from './protocol.js';
import { Share } from './share.js';

export interface RunOrder {
  /** Never used twice. */
  readonly run: number;
  readonly id: string;
  readonly values: PackedValues;
  readonly seed: string;
  readonly slice: number;
}

export interface Audience {
  /** New tables; `ended` with the last ones. */
  tables(tables: RawTables, progress: number, ended: boolean): void;
  failed(error: AttnLabError): void;
}

interface Desk {
  readonly channel: Channel;
  opened: boolean;
  /** Tasks handed out and not reported as finished. */
  left: number;
}

/** Milliseconds between two requests for tables. */
const TABLES_EVERY = 100;

export class Conductor {
  readonly #order: RunOrder;
  readonly #audience: Audience;
  readonly #desks: Desk[];
  #share: Share | undefined;
  #paused: boolean;
  #closed = false;
  #asked = false;
  #askAgain = false;
  #askedAt = -Infinity;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #steps: (() => void)[] = [];
  #stepping: 'no' | 'asked' | 'done' = 'no';
  divergedAt: number | undefined;

  constructor(order: RunOrder, channels: readonly Channel[], paused: boolean, audience: Audience) {
    this.#order = order;
    this.#audience = audience;
    this.#paused = paused;
    this.#desks = channels.map((channel) => ({ channel, opened: false, left: 0 }));
  }

  start(resources: ReadonlyMap<string, Uint8Array>): void {
    const { run, id, values, seed, slice } = this.#order;
    this.#desks.forEach((desk, index) => {
      const { channel } = desk;
      channel.attach(run, {
        receive: (message) => this.#receive(desk, message),
        lost: (error) => this.#fail(error),
      });
      for (const [name, bytes] of resources) channel.provide(run, name, bytes);
      const keeper = index === 0;
      channel.post({ type: 'open', run, id, values, seed, keeper, paused: this.#paused, slice });
    });
  }

  pause(): void {
    this.#paused = true;
    this.#tell('pause');
  }

  resume(): void {
    this.#paused = false;
    this.#tell('resume');
  }

  /** One step of one task; resolves when its tables have been told, or at the run's end. */
  step(): Promise<void> {
    return new Promise((done) => {
      this.#steps.push(done);
      this.#stepNext();
    });
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#timer);
    for (const { channel } of this.#desks) channel.close(this.#order.run);
    this.#endSteps();
  }

  get #keeper(): Channel {
    return this.#desks[0]!.channel;
  }

  #tell(type: 'pause' | 'resume'): void {
    for (const { channel } of this.#desks) channel.post({ type, run: this.#order.run });
  }

  #fail(error: AttnLabError): void {
    if (this.#closed) return;
    this.close();
    this.#audience.failed(error);
  }

  #receive(desk: Desk, message: FromWorker): void {
    if (this.#closed) return;
    switch (message.type) {
      case 'opened':
        this.#share ??= new Share(message.costs, this.#desks.length);
        desk.opened = true;
        this.#handOut(desk);
        this.#stepNext();
        if (this.#share.finished) this.#askForTables();
        break;
      case 'report':
        this.#takeReport(desk, message);
        break;
      case 'tables':
        this.#takeTables(message.tables);
        break;
      case 'failed':
        this.#fail(new AttnLabError(message.error));
        break;
    }
  }

  #takeReport(desk: Desk, report: Extract<FromWorker, { type: 'report' }>): void {
    const share = this.#share!;
    const records: [number, Float64Array][] = [];
    for (const { task, record, divergedAt } of report.finished) {
      share.finish(task);
      if (record) records.push([task, record]);
      if (divergedAt !== undefined) {
        this.divergedAt = Math.min(divergedAt, this.divergedAt ?? divergedAt);
      }
    }
    if (report.current) {
      const { task, progress, record } = report.current;
      share.advance(task, progress);
      if (record) records.push([task, record]);
    }
    desk.left = report.left;
    if (records.length > 0) {
      this.#keeper.post(
        { type: 'put', run: this.#order.run, records },
        records.map(([, record]) => record.buffer as ArrayBuffer),
      );
    }
    this.#handOut(desk);
    if (report.stepped) this.#stepping = 'done';
    if (report.stepped || share.finished) this.#askForTables();
    else this.#askSoon();
  }

  #handOut(desk: Desk): void {
    if (!desk.opened || desk.left > 1) return;
    const tasks = this.#share!.take();
    if (tasks.length === 0) return;
    desk.left += tasks.length;
    desk.channel.post({ type: 'assign', run: this.#order.run, tasks });
  }

  #stepNext(): void {
    if (this.#stepping !== 'no' || this.#steps.length === 0) return;
    const desk = this.#desks.find(({ opened, left }) => opened && left > 0);
    if (!desk) return;
    this.#stepping = 'asked';
    desk.channel.post({ type: 'step', run: this.#order.run });
  }

  #endSteps(): void {
    const steps = this.#steps;
    this.#steps = [];
    for (const done of steps) done();
  }

  #askSoon(): void {
    if (this.#timer !== undefined) return;
    const wait = Math.max(0, this.#askedAt + TABLES_EVERY - performance.now());
    this.#timer = setTimeout(() => this.#askForTables(), wait);
  }

  #askForTables(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#closed) return;
    // One request at a time; a late wish is granted when the answer is in.
    this.#askAgain = this.#asked;
    if (this.#asked) return;
    this.#asked = true;
    this.#askedAt = performance.now();
    this.#keeper.post({ type: 'summarise', run: this.#order.run });
  }

  #takeTables(tables: RawTables): void {
    this.#asked = false;
    // Complete only if every record was in before the request.
    const ended = this.#share!.finished && !this.#askAgain;
    this.#audience.tables(tables, this.#share!.progress, ended);
    if (this.#closed) return;
    if (this.#askAgain) return this.#askForTables();
    if (this.#stepping === 'done') {
      this.#stepping = 'no';
      this.#steps.shift()?.();
      this.#stepNext();
    }
  }
}
