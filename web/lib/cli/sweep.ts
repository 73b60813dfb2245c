/** `attnlab sweep`: a plan's runs on this machine, each on disk as soon as it has ended. */

import { access, readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { sweep as sweeps, type Lab } from '../index.js';
import { onlyWord, single, workersOf, type Arguments } from './arguments.js';
import { checkOut, print } from './output.js';
import { headOf, ResultsWriter } from './results_file.js';
import { Crew } from './sweep_runs.js';
import { resume, SweepState, type Shard } from './sweep_state.js';
import { SweepProgress } from './sweep_progress.js';
import { announce, estimate, type Estimate } from './sweep_estimate.js';
import { EXIT, UsageError } from './usage.js';

const MOST_SHARDS = 1_000_000;
const MOST_WORKERS = 64;

async function readPlanFile(lab: Lab, path: string): Promise<sweeps.SweepPlan> {
  let value: unknown;
  try {
    value = JSON.parse(await readFile(path, 'utf8'));
  } catch (cause) {
    const text = (cause as Error).message;
    throw new UsageError(`sweep: ${path} cannot be read: ${text}`, { cause });
  }
  return sweeps.readPlan(lab, value);
}

function shardOf(args: Arguments): Shard {
  const text = single(args, '--shard');
  if (text === undefined) return { index: 0, count: 1 };
  const [, i, n] = /^(\d{1,7})\/(\d{1,7})$/.exec(text) ?? [];
  const [index, count] = [Number(i) - 1, Number(n)];
  if (i !== undefined && index >= 0 && index < count && count <= MOST_SHARDS) {
    return { index, count };
  }
  const expected = `I/N is expected, with I from 1 to N and N up to ${MOST_SHARDS}`;
  throw new UsageError(`--shard: is ${JSON.stringify(text)}; ${expected}`);
}

function workerCount(args: Arguments): number {
  const count = workersOf(args) ?? Math.min(availableParallelism(), MOST_WORKERS);
  if (count <= MOST_WORKERS) return count;
  throw new UsageError(`--workers: is ${count}; 0 to ${MOST_WORKERS} is allowed`);
}

/** Where the results go: checked, and not to be overwritten. */
async function resultsPath(args: Arguments): Promise<string | undefined> {
  const path = single(args, '--out');
  if (path === undefined) {
    if (args.options.has('--resume')) throw new UsageError('--resume: needs --out FILE');
    if (args.options.has('--dry-run')) return undefined;
    throw new UsageError('--out: a file for the results is missing');
  }
  if (path === '-')
    throw new UsageError('--out: is -; a file is expected, which --resume can read');
  await checkOut(path);
  const there = await access(path).then(
    () => true,
    () => false,
  );
  if (there && !args.options.has('--resume') && !args.options.has('--dry-run')) {
    throw new UsageError(`--out: ${path} is there already; --resume goes on with it`);
  }
  return path;
}

/** Hands out runs until the time is over. */
function* within(
  runs: Iterable<number>,
  seconds: number | undefined,
): Generator<number, void, undefined> {
  const end = performance.now() + 1000 * (seconds ?? Infinity);
  for (const run of runs) {
    if (performance.now() >= end) return;
    yield run;
  }
}

async function work(
  crew: Crew,
  state: SweepState,
  { path, needsHead, about }: { path: string; needsHead: boolean; about: Estimate },
): Promise<void> {
  const { plan } = state;
  const head = needsHead ? headOf(plan, state.shardName) : undefined;
  const writer = await ResultsWriter.open(path, head);
  const progress = new SweepProgress(plan.descriptor.id, state, about.runs);
  try {
    const runs = within(state.left(), plan.stop.seconds);
    await crew.work(runs, about.secondsPerRun, async (record) => {
      await writer.append(record);
      state.add(record);
      progress.show();
    });
  } finally {
    progress.clear();
    await writer.close();
  }
}

function report(state: SweepState, path: string): string {
  const { counts, finished } = state;
  const left = state.countLeft();
  const odd = (['diverged', 'failed'] as const)
    .filter((status) => counts[status] > 0)
    .map((status) => `, ${counts[status]} ${status}`);
  const rest = left > 0 ? `; ${left} are left, --resume goes on` : '';
  return `${finished} runs are in ${path}${odd.join('')}${rest}\n`;
}

export async function sweep(lab: Lab, args: Arguments): Promise<number> {
  const planPath = onlyWord(args, 'a plan');
  const shard = shardOf(args);
  const workers = workerCount(args);
  const dry = args.options.has('--dry-run');
  const path = await resultsPath(args);
  const plan = await readPlanFile(lab, planPath);
  const state = new SweepState(plan, shard);
  const resumes = path !== undefined && args.options.has('--resume');
  const needsHead = resumes ? await resume(path, state, !dry) : true;

  const crew = await Crew.hire(lab, plan, Math.min(workers, state.countLeft()));
  const cancel = (): void => crew.cancel();
  process.once('SIGINT', cancel);
  process.once('SIGTERM', cancel);
  try {
    const about = await estimate(crew, state);
    if (!crew.cancelled) await print(announce(state, about, dry));
    if (dry || path === undefined) return crew.cancelled ? EXIT.cancelled : EXIT.done;
    if (!crew.cancelled) await work(crew, state, { path, needsHead, about });
    if (crew.cancelled) {
      process.stderr.write(`attnlab: cancelled; ${report(state, path)}`);
      return EXIT.cancelled;
    }
    await print(report(state, path));
    return EXIT.done;
  } finally {
    process.off('SIGINT', cancel);
    process.off('SIGTERM', cancel);
  }
}
