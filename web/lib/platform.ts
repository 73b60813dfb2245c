/**
 * Where the library runs. Node's own modules are reached through `process.getBuiltinModule`, so
 * that bundlers find no import of `fs` or `path` in a file that is meant for browsers too.
 */

interface NodeProcess {
  readonly versions?: { readonly node?: string };
  getBuiltinModule?(name: string): unknown;
}

const nodeProcess = (globalThis as { process?: NodeProcess }).process;

export const inNode =
  nodeProcess?.versions?.node !== undefined && typeof nodeProcess.getBuiltinModule === 'function';

export function nodeModule<Module>(name: `node:${string}`): Module {
  return nodeProcess!.getBuiltinModule!(name) as Module;
}

/** Gives the event loop a turn: messages, timers and painting get their chance. */
export const breathe: () => Promise<void> = (() => {
  const immediate = (globalThis as { setImmediate?: (done: () => void) => void }).setImmediate;
  if (inNode && immediate) return () => new Promise<void>((done) => immediate(done));
  // setTimeout would wait for 4 ms once nested.
  const waiting: (() => void)[] = [];
  let port: MessagePort | undefined;
  return () =>
    new Promise<void>((done) => {
      if (!port) {
        const channel = new MessageChannel();
        channel.port1.onmessage = () => waiting.shift()?.();
        port = channel.port2;
      }
      waiting.push(done);
      port.postMessage(0);
    });
})();
