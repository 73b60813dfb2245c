/** Taking damaged lines out of a results file: it is written anew beside itself, then replaced. */

import { open, realpath, rename, rm, stat } from 'node:fs/promises';
import { syncFolder } from './results_file.js';
import { cannotWrite } from './output.js';
import { readLines, unseal, type Line } from './sealed_lines.js';

/** The damaged lines of a file, as they are found. */
export class Damage {
  /** First and last line number of each piece. */
  readonly #pieces: [number, number][] = [];
  bytes = 0;

  add({ bytes }: Line, lineNumber: number): void {
    this.bytes += bytes;
    const last = this.#pieces.at(-1);
    if (last?.[1] === lineNumber - 1) last[1] = lineNumber;
    else this.#pieces.push([lineNumber, lineNumber]);
  }

  get isThere(): boolean {
    return this.#pieces.length > 0;
  }

  /** "line 3 is" or "lines 3, 5-9 are". */
  get subject(): string {
    const names = this.#pieces.map(([first, last]) =>
      first === last ? `${first}` : `${first}-${last}`,
    );
    const text = names.join(', ');
    return /^\d+$/.test(text) ? `line ${text} is` : `lines ${text} are`;
  }
}

const PIECE = 1 << 16;

async function* goodLines(path: string): AsyncGenerator<string, void, undefined> {
  let piece = '';
  for await (const { text, ended } of readLines(path)) {
    if (!ended || unseal(text) === undefined) continue;
    piece += `${text}\n`;
    if (piece.length < PIECE) continue;
    yield piece;
    piece = '';
  }
  yield piece;
}

/** Leaves out what is damaged. Ended at any moment, it leaves the file as it was or mended. */
export async function mend(path: string): Promise<void> {
  let beside: string | undefined;
  try {
    const target = await realpath(path);
    // One process writes a results file: what an earlier one left of this is in nobody's use.
    beside = `${target}.mended.tmp`;
    await rm(beside, { force: true });
    const file = await open(beside, 'wx', (await stat(target)).mode);
    try {
      for await (const piece of goodLines(target)) await file.appendFile(piece);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(beside, target);
    await syncFolder(target);
  } catch (cause) {
    if (beside) await rm(beside, { force: true }).catch(() => {});
    throw new Error(cannotWrite(path, cause), { cause });
  }
}
