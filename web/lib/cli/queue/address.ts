/** Where a queue is: `--queue`, and what else says how to get in. */

import { readFile } from 'node:fs/promises';
import { single, type Arguments } from '../arguments.js';
import { UsageError } from '../usage.js';

export interface QueueAddress {
  readonly host: string;
  readonly port: number;
  readonly database: number;
  readonly username?: string;
  readonly password?: string;
  /** Absent without TLS. */
  readonly tls?: { readonly ca?: string };
  /** Seconds that the first connection is waited for. */
  readonly patience: number;
}

/** What those options are called; all take a value. */
export const QUEUE_OPTIONS = ['--queue', '--queue-ca', '--queue-wait'] as const;

export const PASSWORD_VARIABLE = 'ATTNLAB_QUEUE_PASSWORD';

const EXPECTED = 'redis://[[USER]:PASSWORD@]HOST[:PORT][/DATABASE], or rediss:// for TLS';
const PORT = 6379;
const PATIENCE = 10;
const MOST_PATIENCE = 86_400;

/** Without the password, which no message may show. */
export function placeOf({ host, port }: QueueAddress): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** The address as it may be shown. */
export function shownUrl(address: QueueAddress): string {
  const scheme = address.tls ? 'rediss' : 'redis';
  const database = address.database === 0 ? '' : `/${address.database}`;
  return `${scheme}://${placeOf(address)}${database}`;
}

function patienceOf(args: Arguments): number {
  const text = single(args, '--queue-wait');
  if (text === undefined) return PATIENCE;
  const seconds = /^\d{1,5}(\.\d+)?$/.test(text) ? Number(text) : NaN;
  if (seconds > 0 && seconds <= MOST_PATIENCE) return seconds;
  const expected = `seconds above 0 and up to ${MOST_PATIENCE} are expected`;
  throw new UsageError(`--queue-wait: is ${JSON.stringify(text)}; ${expected}`);
}

async function readCertificates(path: string): Promise<string> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (cause) {
    const why = (cause as Error).message;
    throw new UsageError(`--queue-ca: ${path} cannot be read: ${why}`, { cause });
  }
  if (text.includes('-----BEGIN CERTIFICATE-----')) return text;
  throw new UsageError(`--queue-ca: ${path} holds no certificate; a PEM file is expected`);
}

function parse(text: string): URL {
  // What was given is not repeated: it may hold a password.
  const wrong = (what: string): UsageError =>
    new UsageError(`--queue: ${what}; ${EXPECTED} is expected`);
  if (!URL.canParse(text)) throw wrong('is no address');
  const url = new URL(text);
  if (url.protocol !== 'redis:' && url.protocol !== 'rediss:') {
    // Of a password with an odd character the "protocol" could be a part.
    throw wrong(/^[a-z]{2,6}:\/\//.test(text) ? `begins with ${url.protocol}//` : 'is no address');
  }
  if (url.hostname === '') throw wrong('names no host');
  if (!/^\/?\d{0,4}$/.test(url.pathname)) throw wrong('has a path that is no number of a database');
  if (url.search !== '' || url.hash !== '') throw wrong('has more behind its database');
  return url;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new UsageError('--queue: a % in the user or password is written %25');
  }
}

/** Of the options; undefined where --queue is absent. */
export async function readQueueAddress(args: Arguments): Promise<QueueAddress | undefined> {
  const text = single(args, '--queue');
  const ca = single(args, '--queue-ca');
  if (text === undefined) {
    for (const option of QUEUE_OPTIONS) {
      if (args.options.has(option)) throw new UsageError(`${option}: goes with --queue`);
    }
    return undefined;
  }
  const url = parse(text);
  const secure = url.protocol === 'rediss:';
  if (ca !== undefined && !secure) throw new UsageError('--queue-ca: goes with a rediss:// queue');
  const password = decoded(url.password) || process.env[PASSWORD_VARIABLE];
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? PORT : Number(url.port),
    database: Number(url.pathname.slice(1)),
    ...(url.username === '' ? {} : { username: decoded(url.username) }),
    ...(password ? { password } : {}),
    ...(secure ? { tls: ca === undefined ? {} : { ca: await readCertificates(ca) } } : {}),
    patience: patienceOf(args),
  };
}
