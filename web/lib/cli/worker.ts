/** `attnlab worker`: works for the sweeps at a queue until it is told to end. */

import type { Lab } from '../index.js';
import { single, workerCount, type Arguments } from './arguments.js';
import { print } from './output.js';
import { readQueueAddress, shownUrl } from './queue/address.js';
import { connect } from './queue/connection.js';
import { loadEngine } from './queue/engine.js';
import { Station } from './queue/station.js';
import { Crew } from '../sweep/crew.js';
import { identify } from './results_file.js';
import { EXIT, UsageError } from './usage.js';

const LOOK_MILLISECONDS = 200;

/** After how many seconds without a task it ends by itself. */
function idleSeconds(args: Arguments): number {
  const text = single(args, '--idle');
  if (text === undefined) return Infinity;
  const seconds = /^\d{1,7}(\.\d+)?$/.test(text) ? Number(text) : NaN;
  if (seconds > 0) return seconds;
  throw new UsageError(`--idle: is ${JSON.stringify(text)}; seconds above 0 are expected`);
}

export async function worker(lab: Lab, args: Arguments): Promise<number> {
  const more = args.words.slice(1);
  if (more.length > 0) throw new UsageError(`worker: ${more.join(' ')} is too much`);
  const address = await readQueueAddress(args);
  if (!address) throw new UsageError('--queue: the address of the queue is missing');
  const idle = idleSeconds(args);
  const count = workerCount(args);
  const { bullmq, ioredis } = await loadEngine();
  const client = await connect(ioredis, address);
  const crew = await Crew.hire(lab, count, identify);
  const station = new Station(lab, crew, bullmq, client);
  let isCancelled = false;
  const cancel = (): void => {
    isCancelled = true;
    station.stop();
  };
  process.once('SIGINT', cancel);
  process.once('SIGTERM', cancel);
  const watch = setInterval(() => {
    if (station.idleSeconds >= idle) station.stop();
  }, LOOK_MILLISECONDS);
  process.stderr.write(`attnlab: at work for ${shownUrl(address)}; Ctrl-C gives its tasks back\n`);
  try {
    await station.work();
    await print(station.report());
    return isCancelled ? EXIT.cancelled : EXIT.done;
  } finally {
    clearInterval(watch);
    process.off('SIGINT', cancel);
    process.off('SIGTERM', cancel);
  }
}
