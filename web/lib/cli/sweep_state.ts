/** What of a sweep is done: from an empty file or from one that a sweep has left. */

import { access } from 'node:fs/promises';
import { sweep } from '../index.js';
import {
  belongsTo,
  cutTail,
  firstLine,
  headOf,
  readHead,
  readRecords,
  type ResultsHead,
} from './results_file.js';
import { Damage, mend } from './mend_results.js';
import { seal } from './sealed_lines.js';
import { UsageError } from './usage.js';

export interface Shard {
  /** From 0. */
  readonly index: number;
  readonly count: number;
}

export interface Counts {
  done: number;
  diverged: number;
  failed: number;
}

export class SweepState {
  readonly plan: sweep.SweepPlan;
  readonly shard: Shard;
  readonly counts: Counts = { done: 0, diverged: 0, failed: 0 };
  readonly #precision: sweep.Precision;
  readonly #finished: Uint8Array;

  constructor(plan: sweep.SweepPlan, shard: Shard) {
    this.plan = plan;
    this.shard = shard;
    this.#precision = new sweep.Precision(plan);
    this.#finished = new Uint8Array(plan.runs);
  }

  /** The shard as the head of a file names it. */
  get shardName(): string {
    return `${this.shard.index + 1}/${this.shard.count}`;
  }

  get finished(): number {
    return this.counts.done + this.counts.diverged + this.counts.failed;
  }

  /** Of some runs, so that nothing came out. */
  get allFailed(): boolean {
    return this.counts.failed > 0 && this.counts.failed === this.finished;
  }

  add(record: sweep.SweepRecord): void {
    this.#finished[record.run] = 1;
    ++this.counts[record.status];
    this.#precision.add(record);
  }

  has(run: number): boolean {
    return this.#finished[run] === 1;
  }

  /** The shard's runs that are not finished and, as far as is known, are needed. */
  *left(): Generator<number, void, undefined> {
    for (let run = 0; run < this.plan.runs; ++run) if (this.#wants(run)) yield run;
  }

  countLeft(): number {
    let count = 0;
    for (const _ of this.left()) ++count;
    return count;
  }

  #wants(run: number): boolean {
    const { index, count } = this.shard;
    if (count > 1 && this.plan.shardOf(run, count) !== index) return false;
    return !this.has(run) && this.#precision.needs(run);
  }
}

function say(path: string, text: string): void {
  process.stderr.write(`attnlab: ${path}: ${text}\n`);
}

function requireSame(path: string, found: ResultsHead, expected: ResultsHead): void {
  const fields = [
    ['version', `was made by attnlab ${found.version}; this is ${expected.version}`],
    ['planHash', 'holds the results of another plan'],
    ['shard', `holds shard ${found.shard}, not ${expected.shard}`],
  ] as const;
  for (const [field, text] of fields) {
    if (found[field] !== expected[field]) throw new UsageError(`--resume: ${path} ${text}`);
  }
}

/**
 * Takes in what a file holds. Damaged lines are left out and said, so that their runs are done
 * again; of a last line that is cut short the rest is cut off. Gives whether the file still needs
 * its head.
 */
export async function resume(path: string, state: SweepState, change: boolean): Promise<boolean> {
  const there = await access(path).then(
    () => true,
    () => false,
  );
  if (!there) return true;
  const cut = async (offset: number, what: string): Promise<void> => {
    const bytes = change ? await cutTail(path, offset) : 0;
    const verb = change ? `${bytes} bytes are cut off` : 'would be cut off';
    say(path, `${what}; ${verb}`);
  };
  const head = headOf(state.plan, state.shardName);
  const first = await firstLine(path);
  if (!first) return true;
  const found = first.ended ? readHead(first.text) : undefined;
  if (!found) {
    // Ended while the head was written: nothing else can be in it.
    if (first.ended || !seal(head).startsWith(first.text)) {
      throw new UsageError(`--resume: ${path} is not a sweep's results file`);
    }
    await cut(0, 'the head is cut short');
    return true;
  }
  requireSame(path, found, head);
  const damage = new Damage();
  let tail: { offset: number; lineNumber: number } | undefined;
  for await (const { record, line, lineNumber } of readRecords(path)) {
    if (record === undefined) {
      if (line.ended) damage.add(line, lineNumber);
      else tail = { offset: line.offset, lineNumber };
      continue;
    }
    if (!belongsTo(state.plan, record)) {
      throw new UsageError(`--resume: ${path}, line ${lineNumber}: is not a run of this plan`);
    }
    if (state.has(record.run)) {
      throw new UsageError(
        `--resume: ${path}, line ${lineNumber}: run ${record.run} is there twice`,
      );
    }
    state.add(record);
  }
  if (tail) await cut(tail.offset, `line ${tail.lineNumber} is cut short`);
  if (damage.isThere) {
    if (change) await mend(path);
    const verb = change ? `${damage.bytes} bytes are left out` : 'would be left out';
    say(path, `${damage.subject} damaged; ${verb}`);
  }
  return false;
}
