/** Lines of JSON that carry a checksum of themselves, and reading a file of them piece by piece. */

import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';

export function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

const checksum = (text: string): string => digest(text).slice(0, 16);
const SEAL = /,"check":"([0-9a-f]{16})"\}$/;

/** The object as one line; "check" is the SHA-256 of the line without it, 16 digits. */
export function seal(object: object): string {
  const text = JSON.stringify(object);
  return `${text.slice(0, -1)},"check":"${checksum(text)}"}\n`;
}

/** undefined where the line is not as it was written. */
export function unseal(line: string): unknown {
  const found = SEAL.exec(line);
  if (!found) return undefined;
  const text = `${line.slice(0, found.index)}}`;
  if (checksum(text) !== found[1]) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export interface Line {
  readonly text: string;
  readonly offset: number;
  /** With its line end. */
  readonly bytes: number;
  /** Whether it has a line end; the last one may lack it. */
  readonly ended: boolean;
}

const CHUNK = 1 << 20;

/** Holds one line at a time. */
export async function* readLines(path: string): AsyncGenerator<Line, void, undefined> {
  const file = await open(path, 'r');
  try {
    const chunk = Buffer.alloc(CHUNK);
    let pieces: Buffer[] = [];
    let offset = 0;
    const take = (last: Buffer, ended: boolean): Line => {
      const bytes = Buffer.concat([...pieces, last]);
      pieces = [];
      const line = { text: bytes.toString('utf8'), offset, bytes: bytes.length + +ended, ended };
      offset += line.bytes;
      return line;
    };
    for (;;) {
      const { bytesRead } = await file.read(chunk, 0, CHUNK);
      if (bytesRead === 0) break;
      let from = 0;
      for (
        let end: number;
        (end = chunk.indexOf(10, from)) >= 0 && end < bytesRead;
        from = end + 1
      ) {
        yield take(chunk.subarray(from, end), true);
      }
      pieces.push(Buffer.from(chunk.subarray(from, bytesRead)));
    }
    if (pieces.some(({ length }) => length > 0)) yield take(Buffer.alloc(0), false);
  } finally {
    await file.close();
  }
}
