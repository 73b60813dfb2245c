/** `attnlab sweep`: a plan's runs, here or by a queue, each on disk as soon as it has ended. */

import type { sweep as sweeps, Lab } from '../index.js';
import { onlyWord, workerCount, type Arguments } from './arguments.js';
import { print } from './output.js';
import { readQueueAddress, type QueueAddress } from './queue/address.js';
import { Dispatcher } from './queue/dispatcher.js';
import { headOf, identify, ResultsWriter } from './results_file.js';
import { lockResults } from './results_lock.js';
import { announce, estimate, type Estimate } from './sweep_estimate.js';
import { checkIsNew, readPlanFile, resultsPath, shardOf } from './sweep_options.js';
import { SweepProgress } from './sweep_progress.js';
import { Crew, type Workforce } from '../sweep/crew.js';
import { resume, SweepState, type Shard } from './sweep_state.js';
import { EXIT, UsageError } from './usage.js';

/** What the command line asks for. */
interface Order {
  readonly plan: sweeps.SweepPlan;
  readonly shard: Shard;
  readonly workers: number;
  readonly queue: QueueAddress | undefined;
  readonly path: string | undefined;
  readonly resumes: boolean;
  readonly isDry: boolean;
}

async function readOrder(lab: Lab, args: Arguments): Promise<Order> {
  const planPath = onlyWord(args, 'a plan');
  const shard = shardOf(args);
  const queue = await readQueueAddress(args);
  if (queue && args.options.has('--workers')) {
    throw new UsageError('--workers: goes with attnlab worker, where a queue is');
  }
  const workers = queue ? 1 : workerCount(args);
  const path = await resultsPath(args);
  const isDry = args.options.has('--dry-run');
  const resumes = path !== undefined && args.options.has('--resume');
  if (path !== undefined && !resumes && !isDry) await checkIsNew(path);
  const plan = await readPlanFile(lab, planPath);
  return { plan, shard, workers, queue, path, resumes, isDry };
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
  force: Workforce,
  state: SweepState,
  { path, needsHead, about }: { path: string; needsHead: boolean; about: Estimate },
): Promise<void> {
  const { plan } = state;
  const head = needsHead ? headOf(plan, state.shardName) : undefined;
  const writer = await ResultsWriter.open(path, head);
  const progress = new SweepProgress(plan.descriptor.id, state, about.runs);
  try {
    const runs = within(state.left(), plan.stop.seconds);
    await force.work(plan, runs, about.secondsPerRun, async (record) => {
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

/** Whoever does the runs can be told to end from the first moment. */
async function cancellable<Result>(
  action: (engage: <Force extends Workforce>(force: Force) => Force) => Promise<Result>,
): Promise<Result> {
  const engaged: Workforce[] = [];
  const cancel = (): void => engaged.forEach((force) => force.cancel());
  process.once('SIGINT', cancel);
  process.once('SIGTERM', cancel);
  try {
    return await action((force) => {
      engaged.push(force);
      return force;
    });
  } finally {
    process.off('SIGINT', cancel);
    process.off('SIGTERM', cancel);
  }
}

async function runSweep(lab: Lab, order: Order): Promise<number> {
  const { plan, queue, path, isDry } = order;
  const state = new SweepState(plan, order.shard);
  const needsHead = order.resumes && path !== undefined ? await resume(path, state, !isDry) : true;
  const crew = await Crew.hire(lab, Math.min(order.workers, state.countLeft()), identify);
  const dispatcher =
    queue && path !== undefined && !isDry ? await Dispatcher.open(queue, state, path) : undefined;
  try {
    return await cancellable(async (engage) => {
      const force = dispatcher ? engage(dispatcher) : crew;
      engage(crew);
      const about = await estimate(crew, state);
      if (!crew.cancelled)
        await print(announce(state, about, { whole: isDry, isQueued: queue !== undefined }));
      if (isDry || path === undefined) return crew.cancelled ? EXIT.cancelled : EXIT.done;
      if (!crew.cancelled) await work(force, state, { path, needsHead, about });
      if (crew.cancelled) {
        process.stderr.write(`attnlab: cancelled; ${report(state, path)}`);
        return EXIT.cancelled;
      }
      if (state.allFailed) {
        process.stderr.write(`attnlab: every run failed; ${report(state, path)}`);
        return EXIT.failed;
      }
      await print(report(state, path));
      return EXIT.done;
    });
  } finally {
    await dispatcher?.close();
  }
}

export async function sweep(lab: Lab, args: Arguments): Promise<number> {
  const order = await readOrder(lab, args);
  if (order.isDry || order.path === undefined) return runSweep(lab, order);
  const unlock = await lockResults(order.path);
  try {
    // Another one may have ended in between.
    if (!order.resumes) await checkIsNew(order.path);
    return await runSweep(lab, order);
  } finally {
    await unlock();
  }
}
