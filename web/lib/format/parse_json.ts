/** JSON text to a value; a byte-order mark before it is skipped, as in CSV. */

import { fail, show } from '../errors.js';

export const withoutMark = (text: string): string =>
  text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;

/** Throws 'malformed' where it is no JSON. */
export function parseJson(text: string): unknown {
  if (typeof text !== 'string') fail('type', 'json', `is ${show(text)}; a text is expected`);
  try {
    return JSON.parse(withoutMark(text));
  } catch (cause) {
    fail('malformed', 'json', `cannot be read: ${(cause as Error).message}`, { cause });
  }
}
