/**
 * The worker's whole program, in browsers and in Node. It gets the compiled module by message and
 * has its own instance of it.
 */

import { Engine } from './engine.js';
import { noteOf } from './errors.js';
import { inNode, nodeModule } from './platform.js';
import type { FromWorker, ToWorker } from './protocol.js';
import { Workbench } from './workbench.js';

interface Port {
  post(message: FromWorker, transfer?: ArrayBuffer[]): void;
  listen(handle: (message: ToWorker) => void): void;
}

function openPort(): Port {
  const parentPort = inNode
    ? nodeModule<typeof import('node:worker_threads')>('node:worker_threads').parentPort
    : null;
  if (parentPort) {
    return {
      post: (message, transfer) => parentPort.postMessage(message, transfer),
      listen: (handle) => parentPort.on('message', handle),
    };
  }
  // Typed as the little that is used: the DOM's types call the global scope a window.
  const scope = globalThis as unknown as {
    postMessage(message: FromWorker, transfer: ArrayBuffer[]): void;
    addEventListener(type: 'message', listener: (event: MessageEvent<ToWorker>) => void): void;
  };
  return {
    post: (message, transfer = []) => scope.postMessage(message, transfer),
    listen: (handle) => scope.addEventListener('message', (event) => handle(event.data)),
  };
}

const port = openPort();
let workbench: Workbench | undefined;

port.listen((message) => {
  if (message.type !== 'start') {
    workbench?.handle(message);
    return;
  }
  Engine.start(message).then(
    (engine) => {
      workbench = new Workbench(engine, port.post);
      port.post({ type: 'started' });
    },
    (error) => port.post({ type: 'broken', error: noteOf(error) }),
  );
});
