/** What a reader is given: a text, or the bytes of a file. */

import { fail, show } from '../errors.js';
import { readSafely } from '../options.js';

/** More than any experiment takes; asked before anything is read. */
const LARGEST_BYTES = 512 * 2 ** 20;

/** Throws an AttnLabError where it is neither, or too large. */
export function requireSource(source: unknown): string | Uint8Array {
  const bytes = readSafely('file', () => {
    if (typeof source === 'string' || source instanceof Uint8Array) return source;
    if (source instanceof ArrayBuffer) return new Uint8Array(source);
    return fail('type', 'file', `is ${show(source)}; a text or bytes are expected`);
  });
  if (bytes.length > LARGEST_BYTES) {
    fail('too-large', 'file', `has ${bytes.length} bytes; ${LARGEST_BYTES} are allowed`);
  }
  return bytes;
}

export function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    fail('malformed', 'file', 'is neither a .npy file nor UTF-8 text', { cause });
  }
}
