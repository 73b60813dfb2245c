/** One finished run of a sweep, as it is kept. */

import { noteOf } from '../errors.js';
import { tablesToJson, type Json } from '../format/json.js';
import { fromJsonNumber } from '../format/numbers.js';
import type { RunResult } from '../run.js';
import type { Seed } from '../seed.js';
import type { SweepPlan } from './plan.js';

/** What a sweep keeps of one run: a pure function of its experiment, parameters, seed and version. */
export interface SweepRecord {
  /** Its place in the plan. */
  readonly run: number;
  /** A hash of experiment, parameters, seed and version. */
  readonly id: string;
  readonly values: Readonly<Record<string, Json>>;
  readonly seed: Seed;
  readonly status: 'done' | 'diverged' | 'failed';
  readonly divergedAt?: number;
  /** Why it failed. */
  readonly error?: { readonly code: string; readonly message: string };
  /** As `toJson` writes them. */
  readonly tables: Readonly<Record<string, Json>>;
}

function about(
  plan: SweepPlan,
  run: number,
  id: string,
): Pick<SweepRecord, 'run' | 'id' | 'values' | 'seed'> {
  const { point, seed } = plan.run(run);
  return { run, id, values: plan.values(point), seed };
}

/** The record of a run that ended, whether done or diverged. */
export function recordOfResult(
  plan: SweepPlan,
  run: number,
  id: string,
  { status, divergedAt, tables }: RunResult,
): SweepRecord {
  return {
    ...about(plan, run, id),
    status: status === 'diverged' ? 'diverged' : 'done',
    ...(divergedAt === undefined ? {} : { divergedAt }),
    tables: tablesToJson(tables),
  };
}

/** The record of a run that failed, with its error's code and message. */
export function recordOfFailure(
  plan: SweepPlan,
  run: number,
  id: string,
  cause: unknown,
): SweepRecord {
  const { code, message } = noteOf(cause);
  return { ...about(plan, run, id), status: 'failed', error: { code, message }, tables: {} };
}

/** A table's columns; none where the run failed. */
export function columnsOf(
  { tables }: SweepRecord,
  table: string,
): Readonly<Record<string, readonly unknown[]>> {
  const found = tables[table] as { columns?: Record<string, readonly unknown[]> } | undefined;
  return found?.columns ?? {};
}

export function numbersOf(record: SweepRecord, table: string, column: string): readonly number[] {
  return (columnsOf(record, table)[column] ?? []).map((value) => fromJsonNumber(value) ?? NaN);
}
