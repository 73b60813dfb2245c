/**
 * The records of several results files by run. Only where each one stands is held, so that a sweep
 * of any size fits in little memory.
 */

import { closeSync, openSync, readSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { sweep, type Lab } from '../index.js';
import { belongsTo, firstLine, readHead, readRecords, type ResultsHead } from './results_file.js';
import { digest, unseal } from './sealed_lines.js';
import { UsageError } from './usage.js';

/** A file that is not what it should be: a failure, not wrong usage. */
class DamagedFile extends Error {}

async function headOfFile(path: string): Promise<ResultsHead> {
  try {
    await access(path);
  } catch (cause) {
    const text = (cause as Error).message;
    throw new UsageError(`merge: ${path} cannot be read: ${text}`, { cause });
  }
  const line = await firstLine(path).catch((cause: Error) => {
    throw new UsageError(`merge: ${path} cannot be read: ${cause.message}`, { cause });
  });
  const head = line?.ended ? readHead(line.text) : undefined;
  if (!head) throw new UsageError(`merge: ${path} is not a sweep's results file`);
  return head;
}

export class ResultsIndex {
  readonly plan: sweep.SweepPlan;
  readonly #paths: readonly string[];
  readonly #precision: sweep.Precision;
  /** By run: file from 1 (0: missing), place and length in it. */
  readonly #file: Uint16Array;
  readonly #offset: Float64Array;
  readonly #bytes: Uint32Array;
  readonly #open: number[] = [];
  #buffer = Buffer.alloc(1 << 16);

  private constructor(plan: sweep.SweepPlan, paths: readonly string[]) {
    this.plan = plan;
    this.#paths = paths;
    this.#precision = new sweep.Precision(plan);
    this.#file = new Uint16Array(plan.runs);
    this.#offset = new Float64Array(plan.runs);
    this.#bytes = new Uint32Array(plan.runs);
  }

  /** Reads every file once: checksums, version, plan, and that no run is there twice. */
  static async open(lab: Lab, paths: readonly string[]): Promise<ResultsIndex> {
    if (paths.length > 65535) throw new UsageError('merge: takes 65535 files at most');
    const heads: ResultsHead[] = [];
    for (const path of paths) heads.push(await headOfFile(path));
    const [first] = heads as [ResultsHead];
    heads.forEach(({ version, planHash }, i) => {
      if (version !== lab.version) {
        const text = `was made by attnlab ${version}; this is ${lab.version}`;
        throw new UsageError(`merge: ${paths[i]} ${text}`);
      }
      if (planHash !== first.planHash) {
        throw new UsageError(`merge: ${paths[i]} holds another plan than ${paths[0]}`);
      }
    });
    const plan = sweep.readPlan(lab, first.plan);
    if (digest(plan.text) !== first.planHash) {
      throw new DamagedFile(`merge: ${paths[0]}: the plan is not the one it names`);
    }
    const index = new ResultsIndex(plan, paths);
    for (const i of paths.keys()) await index.#take(i);
    return index;
  }

  async #take(i: number): Promise<void> {
    const path = this.#paths[i]!;
    for await (const { record, line, lineNumber } of readRecords(path)) {
      const where = `merge: ${path}, line ${lineNumber}:`;
      if (record === undefined) {
        throw new DamagedFile(`${where} is damaged; attnlab sweep --resume mends the file`);
      }
      if (!belongsTo(this.plan, record)) throw new DamagedFile(`${where} is no run of its plan`);
      const other = this.#file[record.run]!;
      if (other > 0) {
        const first = this.#paths[other - 1]!;
        throw new DamagedFile(`${where} run ${record.run} is there twice, first in ${first}`);
      }
      this.#file[record.run] = i + 1;
      this.#offset[record.run] = line.offset;
      this.#bytes[record.run] = line.bytes;
      this.#precision.add(record);
    }
    this.#open[i] = openSync(path, 'r');
  }

  /** Runs that belong to the result and are in no file. */
  missing(): { readonly count: number; readonly first: string } {
    let count = 0;
    let first = -1;
    for (let run = 0; run < this.plan.runs; ++run) {
      if (this.#file[run] !== 0 || !this.#precision.needs(run)) continue;
      if (count++ === 0) first = run;
    }
    if (first < 0) return { count, first: '' };
    const { point, seed } = this.plan.run(first);
    const values = Object.entries(this.plan.values(point));
    const entries = [
      ...values.map(([name, value]) => [name, JSON.stringify(value)]),
      ['seed', seed],
    ];
    return { count, first: `run ${first} (${entries.map((entry) => entry.join('=')).join(' ')})` };
  }

  /** A point's records that belong to the result, in the order of the seeds. */
  *recordsOf(point: number): Generator<sweep.SweepRecord, void, undefined> {
    for (let seedIndex = 0; seedIndex < this.plan.seeds; ++seedIndex) {
      const run = this.plan.runAt(point, seedIndex);
      if (run >= this.plan.runs) return;
      if (this.#file[run] !== 0 && this.#precision.needs(run)) yield this.#read(run);
    }
  }

  close(): void {
    for (const file of this.#open) if (file !== undefined) closeSync(file);
  }

  #read(run: number): sweep.SweepRecord {
    const bytes = this.#bytes[run]!;
    if (this.#buffer.length < bytes) this.#buffer = Buffer.alloc(2 * bytes);
    const i = this.#file[run]! - 1;
    readSync(this.#open[i]!, this.#buffer, 0, bytes, this.#offset[run]!);
    // Without its line end.
    const record = unseal(this.#buffer.toString('utf8', 0, bytes - 1));
    if (record === undefined)
      throw new DamagedFile(`merge: ${this.#paths[i]} has changed meanwhile`);
    return record as sweep.SweepRecord;
  }
}
