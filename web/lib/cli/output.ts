/** Where results go: standard output, or a file that is whole or not there. */

import { access, constants, open, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { duration } from './duration.js';
import { UsageError } from './usage.js';

/** Resolves when all is written. A reader that has gone away (EPIPE) is no error. */
export function print(piece: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(piece, (error) => {
      if (error && (error as NodeJS.ErrnoException).code !== 'EPIPE') reject(error);
      else resolve();
    });
  });
}

/** Before the work: whether there is a place for its result at all. */
export async function checkOut(path: string | undefined): Promise<void> {
  if (path === undefined || path === '-') return;
  try {
    const there = await stat(path).catch(() => undefined);
    if (there?.isDirectory()) throw new Error('it is a folder');
    if (there && !there.isFile()) return await access(path, constants.W_OK);
    const target = there ? await realpath(path) : path;
    await access(dirname(target), constants.W_OK);
  } catch (cause) {
    throw new UsageError(cannotWrite(path, cause), { cause });
  }
}

/** An input that would be gone after the work. */
export async function checkIsNoInput(
  out: string | undefined,
  inputs: readonly (string | undefined)[],
): Promise<void> {
  if (out === undefined || out === '-') return;
  const target = await stat(out).catch(() => undefined);
  if (!target?.isFile()) return;
  for (const input of inputs) {
    const source = input === undefined ? undefined : await stat(input).catch(() => undefined);
    if (source && source.dev === target.dev && source.ino === target.ino) {
      throw new UsageError(`--out: ${out} is an input; choose another file`);
    }
  }
}

export const cannotWrite = (path: string, cause: unknown): string =>
  `--out: ${path} cannot be written: ${(cause as Error).message}`;

export async function writeOut(path: string | undefined, text: string): Promise<void> {
  return streamOut(path, [text]);
}

const PIECE = 1 << 16;

/** Short texts in pieces that are worth writing. */
function* inPieces(texts: Iterable<string>): Generator<string, void, undefined> {
  let piece = '';
  for (const text of texts) {
    piece += text;
    if (piece.length < PIECE) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}

/** As `writeOut`, for what is too large to be held as one text. */
export function streamOut(path: string | undefined, texts: Iterable<string>): Promise<void> {
  return writePieces(path, inPieces(texts));
}

/** Piece by piece, as they come. */
export async function writePieces(
  path: string | undefined,
  pieces: Iterable<string> | AsyncIterable<Uint8Array>,
): Promise<void> {
  if (path === undefined || path === '-') {
    for await (const piece of pieces) await print(piece);
    return;
  }
  let beside: string | undefined;
  try {
    const there = await stat(path).catch(() => undefined);
    // A pipe or a device is written to, never replaced.
    if (there && !there.isFile()) return await writeFile(path, pieces);
    // What a link points to is replaced, not the link.
    const target = there ? await realpath(path) : path;
    beside = `${target}.${process.pid}.tmp`;
    const file = await open(beside, 'wx', there?.mode);
    try {
      for await (const piece of pieces) await file.appendFile(piece);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(beside, target);
  } catch (cause) {
    if (beside) await rm(beside, { force: true }).catch(() => {});
    throw new Error(cannotWrite(path, cause), { cause });
  }
}

/** A bar on a terminal's standard error; nothing where that is not a terminal. */
export class ProgressBar {
  readonly shown = process.stderr.isTTY === true;
  readonly #title: string;

  constructor(title: string) {
    this.#title = title;
  }

  show(progress: number, etaSeconds?: number, note = ''): void {
    if (!this.shown) return;
    const left = etaSeconds === undefined ? '' : `, ${duration(Math.ceil(etaSeconds))} left`;
    const percent = `${Math.floor(progress * 100)} %`.padStart(5);
    const text = `${percent}${note}${left}`;
    // A line that is too long for the terminal could not be taken back.
    const room = (process.stderr.columns || 80) - this.#title.length - text.length - 3;
    const width = Math.max(3, Math.min(30, room));
    const filled = Math.round(progress * width);
    const bar = '█'.repeat(filled) + '░'.repeat(width - filled);
    process.stderr.write(`\r\x1b[K${this.#title} ${bar} ${text}`);
  }

  clear(): void {
    if (this.shown) process.stderr.write('\r\x1b[K');
  }
}
