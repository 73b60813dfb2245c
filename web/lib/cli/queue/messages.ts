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

/** Whether the action ended within a time in milliseconds: Redis may be away for ever. */
export async function endsWithin(milliseconds: number, action: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const time = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), milliseconds);
  });
  try {
    return await Promise.race([action.then(() => true), time]);
  } finally {
    clearTimeout(timer);
  }
}
