/** What goes wrong with a queue while it is at work, said once. */

import type { EventEmitter } from 'node:events';

/** The connection tells of its own loss; a lock that is lost means that another has the task now. */
const KNOWN = /ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|Connection is closed|LOADING|lock/i;

const told = new Set<string>();

export function warn(text: string): void {
  if (told.has(text)) return;
  told.add(text);
  process.stderr.write(`attnlab: ${text}\n`);
}

/** Without a listener an error of theirs would end the process. */
export function tellErrorsOf(emitter: EventEmitter): void {
  emitter.on('error', ({ code = '', message }: Error & { code?: string }) => {
    if (!KNOWN.test(`${code} ${message}`)) warn(`queue: ${message}`);
  });
}

/** The action's end, or a time in milliseconds: Redis may be away for ever. */
export async function atMost(milliseconds: number, action: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const time = new Promise<void>((resolve) => (timer = setTimeout(resolve, milliseconds)));
  try {
    await Promise.race([action, time]);
  } finally {
    clearTimeout(timer);
  }
}
