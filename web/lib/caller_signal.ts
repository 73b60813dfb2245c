/**
 * The caller's signal. It may be any object that looks like one: nothing that it does, or throws,
 * gets further than this.
 */

import { fail, show } from './errors.js';
import { readOnce, type Options } from './options.js';

export class CallerSignal {
  /** When it was handed in. */
  readonly aborted: boolean;
  readonly #signal: AbortSignal;

  /** Throws 'type' where it is no AbortSignal. */
  constructor(value: unknown) {
    if (typeof value !== 'object' || value === null) refuse(value);
    const aborted = readOnce(value, 'aborted', 'signal');
    const methods = ['addEventListener', 'removeEventListener'];
    const isWhole = methods.every((name) => typeof readOnce(value, name, 'signal') === 'function');
    if (typeof aborted !== 'boolean' || !isWhole) refuse(value);
    this.aborted = aborted;
    this.#signal = value as AbortSignal;
  }

  /** Gives what ends the listening. Throws 'type' where the signal does not let anyone listen. */
  listen(handle: () => void): () => void {
    const listener = (): void => handle();
    try {
      this.#signal.addEventListener('abort', listener);
    } catch (cause) {
      fail('type', 'signal', `cannot be listened to: ${String((cause as Error)?.message)}`, {
        cause,
      });
    }
    return () => {
      try {
        this.#signal.removeEventListener('abort', listener);
      } catch {
        // What it still tells finds nobody.
      }
    };
  }
}

/** The option `signal`; undefined where it is not given. */
export function readSignal(options: Options): CallerSignal | undefined {
  return options.has('signal') ? new CallerSignal(options.get('signal')) : undefined;
}

function refuse(value: unknown): never {
  fail('type', 'signal', `is ${show(value)}; an AbortSignal is expected`);
}
