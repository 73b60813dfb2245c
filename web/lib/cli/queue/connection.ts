/** The connection to Redis: short of patience at the start, patient once it has been there. */

import type { Redis } from 'ioredis';
import { placeOf, PASSWORD_VARIABLE, type QueueAddress } from './address.js';
import type { IoRedis } from './engine.js';

const RETRY_MILLISECONDS = 200;
const LONGEST_PAUSE = 2000;

interface Failure extends Error {
  readonly code?: string;
}

const CERTIFICATE = /SELF_SIGNED|UNABLE_TO_|CERT_|ERR_TLS_CERT/;

/** What waiting does not mend. */
function explain({ code = '', message }: Failure): string | undefined {
  if (/WRONGPASS|invalid password/i.test(message)) return 'refuses the user or the password';
  if (/NOAUTH/.test(message)) {
    return `wants a password: redis://:PASSWORD@HOST, or the variable ${PASSWORD_VARIABLE}`;
  }
  if (/NOPERM/.test(message)) return `does not let this user in: ${message}`;
  if (CERTIFICATE.test(code)) {
    const how = '--queue-ca FILE or NODE_EXTRA_CA_CERTS names the authority that is trusted';
    return `has a certificate that is not trusted (${code}); ${how}`;
  }
  if (code === 'EPROTO' || code.startsWith('ERR_SSL')) return 'does not speak TLS; is it redis://?';
  return undefined;
}

function optionsOf(address: QueueAddress, isUp: () => boolean) {
  const { host, port, database, username, password, tls, patience } = address;
  return {
    host,
    port,
    db: database,
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(tls ? { tls } : {}),
    lazyConnect: true,
    disconnectTimeout: 100,
    // A request waits for as long as Redis is away.
    maxRetriesPerRequest: null,
    connectTimeout: 1000 * Math.max(1, patience),
    retryStrategy: (times: number) =>
      isUp() ? Math.min(LONGEST_PAUSE, RETRY_MILLISECONDS * times) : RETRY_MILLISECONDS,
  };
}

function firstReady(client: Redis, address: QueueAddress): Promise<void> {
  const place = placeOf(address);
  let last: Failure | undefined;
  return new Promise<void>((resolve, reject) => {
    const giveUp = (): void => {
      const why = last ? last.code || last.message : 'no answer';
      const text = `Redis at ${place} cannot be reached (${why}); given up after ${address.patience} s`;
      reject(new Error(`--queue: ${text}`));
    };
    const timer = setTimeout(giveUp, 1000 * address.patience);
    client.on('error', (error: Failure) => {
      last = error;
      const why = explain(error);
      if (why === undefined) return;
      clearTimeout(timer);
      reject(new Error(`--queue: Redis at ${place} ${why}`, { cause: error }));
    });
    client.once('ready', () => {
      clearTimeout(timer);
      resolve();
    });
    client.connect().catch(() => {
      // The events tell of it.
    });
  });
}

/** Open, or an error that says why not. Later losses and returns are told on standard error. */
export async function connect({ Redis }: IoRedis, address: QueueAddress): Promise<Redis> {
  let isUp = false;
  const client = new Redis(optionsOf(address, () => isUp));
  try {
    await firstReady(client, address);
  } catch (error) {
    client.disconnect();
    throw error;
  }
  isUp = true;
  tellOfLosses(client, placeOf(address));
  return client;
}

function tellOfLosses(client: Redis, place: string): void {
  let isLost = false;
  client.on('reconnecting', () => {
    if (isLost) return;
    isLost = true;
    process.stderr.write(`attnlab: Redis at ${place} is away; waiting for it\n`);
  });
  client.on('ready', () => {
    if (isLost) process.stderr.write(`attnlab: Redis at ${place} is back\n`);
    isLost = false;
  });
}
