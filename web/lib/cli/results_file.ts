/** A sweep's results file on disk. Work only ever appends to it. */

import { open, stat, truncate, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { sweep } from '../index.js';
import * as results from '../sweep/results.js';
import { cannotWrite } from './output.js';
import { digest, readLines, seal, unseal, type Line } from './sealed_lines.js';

export type ResultsHead = results.ResultsHead;

export interface StoredRecord {
  readonly record: sweep.SweepRecord;
  readonly line: Line;
  /** Counted from 1. */
  readonly lineNumber: number;
}

export const headOf = (plan: sweep.SweepPlan, shard: string): ResultsHead =>
  results.headOf(plan, shard, digest);
export const identify = (plan: sweep.SweepPlan, run: number): string =>
  results.identify(plan, run, digest);
export const readHead = (text: string): ResultsHead | undefined => results.readHead(text, digest);
export const belongsTo = (plan: sweep.SweepPlan, record: sweep.SweepRecord): boolean =>
  results.belongsTo(plan, record, digest);

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

/** The name of a new file is in its folder. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(dirname(path), 'r').catch(() => undefined);
  await folder?.sync().catch(() => {});
  await folder?.close();
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
    await syncFolder(path);
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
