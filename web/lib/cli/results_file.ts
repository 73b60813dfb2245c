/**
 * A sweep's results file: a head that says which plan, version and shard, then a record a line in
 * the order in which the runs ended. It is only ever appended to.
 */

import { open, stat, truncate, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { sweep } from '../index.js';
import { cannotWrite } from './output.js';
import { digest, readLines, seal, unseal, type Line } from './sealed_lines.js';

const FORMAT = 'attnlab-sweep';

export interface ResultsHead {
  readonly format: string;
  readonly version: string;
  /** SHA-256 of the plan, spelled out. */
  readonly planHash: string;
  /** "i/n" */
  readonly shard: string;
  readonly plan: unknown;
}

export interface StoredRecord {
  readonly record: sweep.SweepRecord;
  readonly line: Line;
  /** Counted from 1. */
  readonly lineNumber: number;
}

export function headOf(plan: sweep.SweepPlan, shard: string): ResultsHead {
  return {
    format: FORMAT,
    version: plan.version,
    planHash: digest(plan.text),
    shard,
    plan: JSON.parse(plan.text),
  };
}

export function identify(plan: sweep.SweepPlan, run: number): string {
  return digest(plan.identity(run)).slice(0, 32);
}

export function readHead(text: string): ResultsHead | undefined {
  const head = unseal(text) as ResultsHead | undefined;
  return head?.format === FORMAT ? head : undefined;
}

/** Whether a record is one of the plan's runs, with all that its number stands for. */
export function belongsTo(plan: sweep.SweepPlan, { run, id }: sweep.SweepRecord): boolean {
  return Number.isInteger(run) && run >= 0 && run < plan.runs && id === identify(plan, run);
}

/** The first line; undefined for an empty file. */
export async function firstLine(path: string): Promise<Line | undefined> {
  for await (const line of readLines(path)) return line;
  return undefined;
}

/** The records after the head; a line that is damaged has `undefined` for its record. */
export async function* readRecords(
  path: string,
): AsyncGenerator<StoredRecord | { record: undefined; line: Line; lineNumber: number }> {
  let lineNumber = 0;
  for await (const line of readLines(path)) {
    if (++lineNumber === 1) continue;
    const record = line.ended ? (unseal(line.text) as sweep.SweepRecord | undefined) : undefined;
    yield { record, line, lineNumber };
  }
}

/** Bytes cut off. */
export async function cutTail(path: string, offset: number): Promise<number> {
  const { size } = await stat(path);
  await truncate(path, offset);
  return size - offset;
}

const SYNC_EVERY = 1000;

/** Appends whole lines; what is appended is with the system at once and on the disk within seconds. */
export class ResultsWriter {
  readonly #path: string;
  readonly #file: FileHandle;
  #last: Promise<void> = Promise.resolve();
  #pending = '';
  #syncedAt = performance.now();

  private constructor(path: string, file: FileHandle) {
    this.#path = path;
    this.#file = file;
  }

  /** Without a head it goes on with a file that has one. */
  static async open(path: string, head: ResultsHead | undefined): Promise<ResultsWriter> {
    const writer = new ResultsWriter(path, await open(path, 'a'));
    if (!head) return writer;
    await writer.append(head);
    await writer.#file.sync();
    // The name of a new file is in its folder.
    const folder = await open(dirname(path), 'r').catch(() => undefined);
    await folder?.sync().catch(() => {});
    await folder?.close();
    return writer;
  }

  /** Resolves when the line is written. */
  append(object: object): Promise<void> {
    const waiting = this.#pending !== '';
    this.#pending += seal(object);
    if (!waiting) {
      this.#last = this.#last.then(() => this.#write());
      // Each caller is told of its own line's failure.
      this.#last.catch(() => {});
    }
    return this.#last;
  }

  async close(): Promise<void> {
    try {
      await this.#last;
      await this.#file.sync();
    } finally {
      await this.#file.close();
    }
  }

  async #write(): Promise<void> {
    const text = this.#pending;
    this.#pending = '';
    try {
      await this.#file.appendFile(text);
      if (performance.now() - this.#syncedAt < SYNC_EVERY) return;
      await this.#file.datasync();
      this.#syncedAt = performance.now();
    } catch (cause) {
      throw new Error(cannotWrite(this.#path, cause), { cause });
    }
  }
}
