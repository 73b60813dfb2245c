/** Starts a worker of the browser or of Node and waits until its module runs. */

import { Channel, type Line } from './channel.js';
import type { CompiledModule } from './engine.js';
import { AttnLabError, fail, show } from './errors.js';
import { inNode, nodeModule } from './platform.js';
import type { FromWorker } from './protocol.js';

/** Makes a browser's worker that runs `worker.js` of this library. */
export type CreateWorker = () => BrowserWorker | Promise<BrowserWorker>;

/** What is used of a browser's `Worker`; not every platform declares it. */
export interface BrowserWorker {
  /** Hands a message in. */
  postMessage(message: unknown, transfer: ArrayBuffer[]): void;
  /** Ends it. */
  terminate(): void;
  /** Takes a message. */
  onmessage: ((event: any) => unknown) | null;
  /** Where a message could not be read. */
  onmessageerror: ((event: any) => unknown) | null;
  /** Where its script fails. */
  onerror: ((event: any) => unknown) | null;
}

interface Started {
  readonly line: Line;
  listen(receive: (message: FromWorker) => void, died: (reason: string) => void): void;
}

// Written once, and not inside `new Worker(…)`: bundlers then copy the file as it is, which is
// right since it stands alone.
const scriptUrl = (): URL => new URL('./worker.js', import.meta.url);

function startNodeWorker(): Started {
  const threads = nodeModule<typeof import('node:worker_threads')>('node:worker_threads');
  const worker = new threads.Worker(scriptUrl(), {
    // The parent's own flags (--input-type, --test, ...) are not meant for it.
    execArgv: [],
  });
  return {
    line: {
      send: (message, transfer) => worker.postMessage(message, transfer as ArrayBuffer[]),
      cut: () => void worker.terminate(),
      hold: (held) => (held ? worker.ref() : worker.unref()),
    },
    listen(receive, died) {
      worker.on('message', receive);
      worker.on('messageerror', () => died('a message could not be read'));
      worker.on('error', (error) => died(error.message));
      worker.on('exit', (code) => died(`it ended with code ${code}`));
    },
  };
}

function browserLine(worker: BrowserWorker): Started {
  return {
    line: {
      send: (message, transfer) => worker.postMessage(message, transfer ?? []),
      cut: () => worker.terminate(),
      hold: () => {},
    },
    listen(receive, died) {
      worker.onmessage = (event: MessageEvent<FromWorker>) => receive(event.data);
      worker.onmessageerror = () => died('a message could not be read');
      worker.onerror = (event: ErrorEvent) => {
        event.preventDefault();
        died(event.message || 'its script could not be loaded');
      };
    },
  };
}

function makeDefaultWorker(): Worker {
  try {
    return new Worker(scriptUrl(), { type: 'module' });
  } catch {
    // From another origin than the page: a script of the page's own origin imports it.
    const { href } = scriptUrl();
    const trampoline = URL.createObjectURL(
      new Blob([`import ${JSON.stringify(href)};`], { type: 'text/javascript' }),
    );
    try {
      return new Worker(trampoline, { type: 'module' });
    } finally {
      // The worker fetches its script after this; a moment's delay is enough for it.
      setTimeout(() => URL.revokeObjectURL(trampoline), 10_000);
    }
  }
}

function requireWorker(made: unknown): BrowserWorker {
  if (typeof (made as BrowserWorker | undefined)?.postMessage === 'function')
    return made as BrowserWorker;
  throw new TypeError(`createWorker gave ${show(made)}; a Worker is expected`);
}

async function startAny(createWorker: CreateWorker | undefined): Promise<Started> {
  if (createWorker) return browserLine(requireWorker(await createWorker()));
  if (inNode) return startNodeWorker();
  if (typeof Worker !== 'function') fail('unsupported', 'workers', 'are not available here');
  return browserLine(makeDefaultWorker());
}

/** How long a worker may take to load its script and start the module. */
const START_PATIENCE = 10_000;

/** Throws an AttnLabError when there can be no worker. */
export async function startWorker(
  { module, variant }: CompiledModule,
  createWorker: CreateWorker | undefined,
): Promise<Channel> {
  let started: Started;
  try {
    started = await startAny(createWorker);
  } catch (cause) {
    fail('worker', 'workers', `cannot be started: ${String((cause as Error)?.message)}`, { cause });
  }
  const { line } = started;
  const channel = new Channel(line);
  await new Promise<void>((resolve, reject) => {
    let settled = false;
    const settle = (reason?: string): void => {
      if (settled) return;
      settled = true;
      clearTimeout(timer);
      if (reason === undefined) return resolve();
      channel.cut();
      const message = `workers: cannot be started: ${reason}`;
      reject(new AttnLabError({ code: 'worker', parameter: 'workers', message }));
    };
    const timer = setTimeout(() => settle('no answer'), START_PATIENCE);
    started.listen(
      (message) => {
        // Whoever makes the worker may post what is not ours.
        if (typeof message !== 'object' || message === null) return;
        if (message.type === 'started') settle();
        else if (message.type === 'broken' && !settled) settle(message.error.message);
        else channel.receive(message);
      },
      (reason) => {
        settle(reason);
        channel.cut();
      },
    );
    line.send({ type: 'start', module, variant });
  });
  line.hold(false);
  return channel;
}
