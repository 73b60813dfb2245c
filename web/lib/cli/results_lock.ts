/**
 * One writer for a results file. Each process lays a claim beside the file, a file of its own, and
 * then looks whether another living one has done so: of two that come together at least one sees
 * the other. The claim of a process that is gone (kill -9, power cut) is cleared away.
 */

import { readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { cannotWrite } from './output.js';
import { UsageError } from './usage.js';

interface Claim {
  readonly pid: number;
  readonly host: string;
  /** When the process began, since a number is used again; '' where the system does not tell. */
  readonly started: string;
}

const TRIES = 5;
const LONGEST_PAUSE = 60;

/** undefined where there is no such process. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The 22nd field (proc(5)); the second may hold spaces and brackets. The third is Z of one that
    // has ended and that nobody has asked about yet.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? undefined : (fields[19] ?? '');
  } catch {
    try {
      process.kill(pid, 0);
      return '';
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'EPERM' ? '' : undefined;
    }
  }
}

/** On another machine nobody can tell. */
function isAlive({ pid, host, started }: Claim): boolean {
  if (host !== hostname()) return true;
  const now = startOf(pid);
  return now !== undefined && (started === '' || now === '' || now === started);
}

/** From HOST-PID.lock, which is there before the content is. */
async function readClaim(path: string, name: string): Promise<Claim | undefined> {
  const [, host, pid] = /^(.+)-(\d+)\.lock$/.exec(name) ?? [];
  if (host === undefined) return undefined;
  const started = await readFile(path, 'utf8').catch(() => undefined);
  return started === undefined ? undefined : { pid: Number(pid), host, started };
}

async function othersOf(path: string, mine: string): Promise<readonly [string, Claim][]> {
  const start = `${basename(path)}.`;
  const found: [string, Claim][] = [];
  for (const name of await readdir(dirname(path))) {
    if (!name.startsWith(start)) continue;
    const file = join(dirname(path), name);
    const claim = file === mine ? undefined : await readClaim(file, name.slice(start.length));
    if (!claim) continue;
    if (isAlive(claim)) found.push([file, claim]);
    else await rm(file, { force: true });
  }
  return found;
}

function refusal(path: string, [file, { pid, host }]: readonly [string, Claim]): UsageError {
  const where =
    host === hostname() ? '' : ` of ${host}; if that is gone, delete ${basename(file)} beside it`;
  return new UsageError(`--out: ${path} is being written by process ${pid}${where}`);
}

/** Takes the file for this process, whether it is there or not; gives what lets it go again. */
export async function lockResults(path: string): Promise<() => Promise<void>> {
  const target = await realpath(path).catch(async () =>
    join(await realpath(dirname(path)), basename(path)),
  );
  const mine = `${target}.${hostname()}-${process.pid}.lock`;
  for (let tries = 1; ; ++tries) {
    try {
      await writeFile(mine, startOf(process.pid) ?? '');
    } catch (cause) {
      throw new Error(cannotWrite(mine, cause), { cause });
    }
    const [other] = await othersOf(target, mine);
    if (!other) return () => rm(mine, { force: true });
    await rm(mine, { force: true });
    if (tries === TRIES) throw refusal(path, other);
    // Two that came together must not both go away.
    await new Promise((resolve) => setTimeout(resolve, LONGEST_PAUSE * Math.random()));
  }
}
