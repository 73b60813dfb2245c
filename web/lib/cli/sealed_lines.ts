/** Reading a file of sealed lines piece by piece. */

import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import * as sealed from '../sweep/sealed.js';

export function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

export const seal = (object: object): string => sealed.seal(object, digest);
export const unseal = (line: string): unknown => sealed.unseal(line, digest);

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
