/**
 * What stands in a sweep's results file: a head that says which plan, version and shard, then a
 * record a line in the order in which the runs ended.
 */

import type { SweepPlan } from './plan.js';
import type { SweepRecord } from './record.js';
import { unseal, type Digest } from './sealed.js';

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

export function headOf(plan: SweepPlan, shard: string, digest: Digest): ResultsHead {
  return {
    format: FORMAT,
    version: plan.version,
    planHash: digest(plan.text),
    shard,
    plan: JSON.parse(plan.text),
  };
}

export function identify(plan: SweepPlan, run: number, digest: Digest): string {
  return digest(plan.identity(run)).slice(0, 32);
}

export function readHead(text: string, digest: Digest): ResultsHead | undefined {
  const head = unseal(text, digest) as ResultsHead | undefined;
  return head?.format === FORMAT ? head : undefined;
}

/** Whether a record is one of the plan's runs, with all that its number stands for. */
export function belongsTo(plan: SweepPlan, { run, id }: SweepRecord, digest: Digest): boolean {
  const isRun = Number.isInteger(run) && run >= 0 && run < plan.runs;
  return isRun && id === identify(plan, run, digest);
}
