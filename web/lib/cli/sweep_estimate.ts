/** How many runs a sweep has and how long they take, from a few that are timed and thrown away. */

import { availableParallelism } from 'node:os';
import type { sweep } from '../index.js';
import { duration } from './duration.js';
import type { Crew } from '../sweep/crew.js';
import type { SweepState } from './sweep_state.js';

export interface Estimate {
  /** Left to do. */
  readonly runs: number;
  readonly secondsPerRun: number;
  readonly seconds: number;
  /** How many runs were timed. */
  readonly timed: number;
  readonly workers: number;
}

const TIMED = 3;
/** Seconds that short runs are repeated for, and that long ones are waited for. */
const TIMING = 0.5;
const PATIENCE = 2;
/** Of the sweep's runs, how many are timed at most. */
const SHARE = 0.25;
const FIRST_RUNS = 5;

/** Runs from the first to the last in even steps. */
function spread(state: SweepState, count: number): number[] {
  const places = new Set(
    Array.from({ length: TIMED }, (_, i) => Math.round((i * (count - 1)) / (TIMED - 1))),
  );
  const found: number[] = [];
  let place = 0;
  for (const run of state.left()) if (places.has(place++)) found.push(run);
  return found;
}

/** Seconds a run, on average over the chosen ones; of each the best time, since the first is cold. */
async function timeRuns(
  crew: Crew,
  plan: sweep.SweepPlan,
  chosen: readonly number[],
  passes: number,
): Promise<number> {
  if (chosen.length === 0) return 0;
  const best = chosen.map(() => Infinity);
  const end = performance.now() + 1000 * TIMING;
  for (let pass = 0; pass === 0 || (pass < passes && performance.now() < end); ++pass) {
    for (const [i, run] of chosen.entries()) {
      best[i] = Math.min(best[i]!, await crew.time(plan, run, PATIENCE / chosen.length));
    }
  }
  return best.reduce((sum, seconds) => sum + seconds, 0) / chosen.length;
}

export async function estimate(crew: Crew, state: SweepState): Promise<Estimate> {
  const runs = state.countLeft();
  const chosen = runs === 0 ? [] : spread(state, runs);
  const secondsPerRun = await timeRuns(crew, state.plan, chosen, (runs / chosen.length) * SHARE);
  const atOnce = Math.max(1, Math.min(crew.workers, availableParallelism()));
  return {
    runs,
    secondsPerRun,
    seconds: (secondsPerRun * runs) / atOnce,
    timed: chosen.length,
    workers: crew.workers,
  };
}

const counted = (count: number, what: string): string =>
  `${count} ${what}${count === 1 ? '' : 's'}`;

function limits({ plan }: SweepState): string {
  const { target, runs, seconds } = plan.stop;
  const lines = [
    target &&
      `fewer where the standard error of ${target.table}.${target.column} is ${target.standardError} or less`,
    runs !== undefined && `the plan's first ${counted(runs, 'run')} alone`,
    seconds !== undefined && `no run begins after ${duration(seconds)}`,
  ];
  return lines.map((line) => (line ? `  ${line}\n` : '')).join('');
}

function firstRuns(state: SweepState): string {
  const { plan } = state;
  const lines: string[] = [];
  for (const run of state.left()) {
    if (lines.length === FIRST_RUNS) break;
    const { point, seed } = plan.run(run);
    const values = Object.entries(plan.values(point)).map(([name, value]) => {
      const text = typeof value === 'string' ? value : JSON.stringify(value);
      return `${name}=${text.length > 40 ? `${text.slice(0, 40)}…` : text}`;
    });
    lines.push(`  ${[...values, `seed=${seed}`].join(' ')}\n`);
  }
  return lines.length === 0 ? '' : `the first of them:\n${lines.join('')}`;
}

function timeText(
  { runs, seconds, secondsPerRun, timed, workers }: Estimate,
  isQueued: boolean,
): string {
  if (runs === 0) return 'nothing is left to do\n';
  const work = workers === 0 ? 'one thread' : counted(workers, 'worker');
  const by = isQueued ? "of one worker's time in all" : `with ${work}`;
  const each = `${duration(secondsPerRun)} a run, from ${counted(timed, 'run')}`;
  return `about ${duration(seconds)} ${by} (${each})\n`;
}

export interface Announcement {
  /** The first runs too. */
  readonly whole: boolean;
  readonly isQueued: boolean;
}

/** What is said before a sweep begins. */
export function announce(
  state: SweepState,
  about: Estimate,
  { whole, isQueued }: Announcement,
): string {
  const { plan, finished, shard } = state;
  const size = `${counted(plan.points, 'point')} x ${counted(plan.seeds, 'seed')}`;
  const share = shard.count > 1 ? `, shard ${state.shardName}` : '';
  const before = finished > 0 ? `, ${finished} done before` : '';
  const head = `${plan.descriptor.id}: ${counted(about.runs, 'run')} (${size}${share}${before})\n`;
  return head + limits(state) + timeText(about, isQueued) + (whole ? firstRuns(state) : '');
}
