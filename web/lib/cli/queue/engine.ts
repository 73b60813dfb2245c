/**
 * BullMQ on Redis, which whoever wants queues installs beside the lab: it is loaded when it is
 * asked for and never before.
 */

import { loadOptional } from '../optional.js';

export type BullMq = typeof import('bullmq');
export type IoRedis = typeof import('ioredis');

export interface Engine {
  readonly bullmq: BullMq;
  readonly ioredis: IoRedis;
}

export async function loadEngine(): Promise<Engine> {
  const load = <Module>(call: () => Promise<Module>): Promise<Module> =>
    loadOptional('--queue', ['bullmq', 'ioredis'], call);
  return {
    bullmq: await load(() => import('bullmq')),
    ioredis: await load(() => import('ioredis')),
  };
}
