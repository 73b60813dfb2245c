// A step is one line on the terminal: what is done, and how long it took.
import { relative } from 'node:path';
import { Failure } from './failure.mjs';
import { project } from './paths.mjs';
import { tailOf } from './run.mjs';

let open = false;

// Prints the line's beginning, runs the action, completes the line. A Failure with a log is shown
// with the log's tail. The action may return { note } to be shown beside the time.
export async function step(label, action) {
  const start = performance.now();
  process.stdout.write(`${label} … `);
  open = true;
  const seconds = () => `${((performance.now() - start) / 1000).toFixed(1)} s`;
  try {
    const result = await action();
    if (!open) process.stdout.write(`${label}: `);
    process.stdout.write(result?.note ? `${seconds()} (${result.note})\n` : `${seconds()}\n`);
    return result;
  } catch (error) {
    if (!open) process.stdout.write(`${label}: `);
    process.stdout.write(`failed after ${seconds()}\n`);
    if (error instanceof Failure && error.log) {
      const tail = tailOf(error.log);
      if (tail) process.stdout.write(`${tail.replace(/^/gm, '    ')}\n`);
      error.message += `\nFull output: ${relative(project, error.log)}`;
    }
    throw error;
  } finally {
    open = false;
  }
}

// A message in the middle of a step.
export function say(text) {
  if (open) process.stdout.write('\n');
  open = false;
  process.stdout.write(`${text}\n`);
}
