/** What the command line says of a sweep: its plan, its share, its file. */

import { access, readFile } from 'node:fs/promises';
import { withoutMark } from '../format/parse_json.js';
import { sweep as sweeps, type Lab } from '../index.js';
import { single, type Arguments } from './arguments.js';
import { checkOut } from './output.js';
import type { Shard } from './sweep_state.js';
import { UsageError } from './usage.js';

const MOST_SHARDS = 1_000_000;

export async function readPlanFile(lab: Lab, path: string): Promise<sweeps.SweepPlan> {
  let value: unknown;
  try {
    value = JSON.parse(withoutMark(await readFile(path, 'utf8')));
  } catch (cause) {
    const text = (cause as Error).message;
    throw new UsageError(`sweep: ${path} cannot be read: ${text}`, { cause });
  }
  return sweeps.readPlan(lab, value);
}

export function shardOf(args: Arguments): Shard {
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

/** Where the results go: a file that can be written. */
export async function resultsPath(args: Arguments): Promise<string | undefined> {
  const path = single(args, '--out');
  if (path === undefined) {
    if (args.options.has('--resume')) throw new UsageError('--resume: needs --out FILE');
    if (args.options.has('--dry-run')) return undefined;
    throw new UsageError('--out: a file for the results is missing');
  }
  if (path === '-')
    throw new UsageError('--out: is -; a file is expected, which --resume can read');
  await checkOut(path);
  return path;
}

/** What is there already is not written over. */
export async function checkIsNew(path: string): Promise<void> {
  const isThere = await access(path).then(
    () => true,
    () => false,
  );
  if (isThere) throw new UsageError(`--out: ${path} is there already; --resume goes on with it`);
}
