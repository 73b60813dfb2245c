/**
 * Calls that can take longer than 50 ms: they return promises, run on a worker where there is one,
 * tell of their progress and can be cancelled.
 */

import { readSignal } from './caller_signal.js';
import type { Channel } from './channel.js';
import { AttnLabError } from './errors.js';
import type { Options } from './options.js';
import type { FromWorker } from './protocol.js';
import { nextRunNumber } from './run_number.js';

/** For calls that may take long: they run in a worker where there is one. */
export interface CallOptions {
  /** Rejects with an AttnLabError of code 'cancelled'. */
  readonly signal?: AbortSignal;
  /** Called with the share of the work that is done, in [0, 1]. */
  readonly onProgress?: (progress: number) => void;
}

export const CALL_OPTIONS = ['signal', 'onProgress'] as const;

function cancelled(): AttnLabError {
  return new AttnLabError({
    code: 'cancelled',
    parameter: 'signal',
    message: 'signal: the call was cancelled',
  });
}

/** The buffers of a packed request: copies of its own, so they may go over as they are. */
function buffersOf(request: object, found = new Set<ArrayBuffer>()): Set<ArrayBuffer> {
  for (const value of Object.values(request) as unknown[]) {
    if (ArrayBuffer.isView(value)) found.add(value.buffer as ArrayBuffer);
    else if (typeof value === 'object' && value !== null) buffersOf(value, found);
  }
  return found;
}

export class Calls {
  readonly #hireChannel: () => Promise<Channel>;
  readonly #open = new Set<(error: AttnLabError) => void>();

  constructor(hireChannel: () => Promise<Channel>) {
    this.#hireChannel = hireChannel;
  }

  /** Ends every call that is at work. */
  abandon(error: AttnLabError): void {
    for (const reject of [...this.#open]) reject(error);
  }

  async start<Result>(name: string, request: object, options: Options): Promise<Result> {
    const signal = readSignal(options);
    const onProgress = options.callback('onProgress');
    if (signal?.aborted) throw cancelled();
    return new Promise<Result>((resolve, reject) => {
      const run = nextRunNumber();
      let channel: Channel | undefined;
      let settled = false;
      let stopListening = (): void => {};
      const settle = (finish: () => void): void => {
        if (settled) return;
        settled = true;
        this.#open.delete(giveUp);
        stopListening();
        channel?.close(run);
        finish();
      };
      const giveUp = (error: unknown): void => settle(() => reject(error));
      const receive = (message: FromWorker): void => {
        if (message.type === 'failed') giveUp(new AttnLabError(message.error));
        else if (message.type === 'called') {
          onProgressSafely(1);
          settle(() => resolve(message.value as Result));
        } else if (message.type === 'called-progress') onProgressSafely(message.progress);
      };
      const onProgressSafely = (progress: number): void => {
        try {
          if (!settled) onProgress?.(progress);
        } catch (error) {
          // The caller's own error is the caller's to see.
          giveUp(error);
        }
      };
      if (signal) stopListening = signal.listen(() => giveUp(cancelled()));
      // It may have told at once.
      if (settled) return stopListening();
      this.#open.add(giveUp);
      this.#hireChannel().then((hired) => {
        if (settled) return;
        channel = hired;
        hired.attach(run, { receive, lost: giveUp });
        hired.post({ type: 'call', run, name, request }, [...buffersOf(request)]);
      }, giveUp);
    });
  }
}
