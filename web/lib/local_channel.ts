/** A workbench on the calling thread, behind the same channel as a worker. */

import { Channel } from './channel.js';
import type { Engine } from './engine.js';
import { Workbench } from './workbench.js';

export function openLocalChannel(engine: Engine): Channel {
  // Both ways by a microtask: neither side is ever called in the middle of its own work.
  const channel: Channel = new Channel({
    send: (message) => queueMicrotask(() => workbench.handle(message)),
    cut: () => {},
    hold: () => {},
  });
  const workbench = new Workbench(engine, (message) =>
    queueMicrotask(() => channel.receive(message)),
  );
  return channel;
}
