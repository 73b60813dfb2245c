/** Places in arrays count from 0, as code does; those in a file count from 1, as editors do. */

import { AttnLabError } from '../errors.js';

/** What `read` gives; its errors name places as a file counts them. */
export function inFile<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof AttnLabError)) throw error;
    const message = error.message.replace(
      /\b(prompt|row|column|number) (\d+)\b/g,
      (_, what: string, index: string) => `${what} ${Number(index) + 1}`,
    );
    const [, row, column] = /\brow (\d+)(?:, column (\d+))?/.exec(message) ?? [];
    throw new AttnLabError(
      { code: error.code, parameter: error.parameter, message },
      {
        ...(row ? { row: Number(row) } : {}),
        ...(column ? { column: Number(column) } : {}),
        cause: error,
      },
    );
  }
}
