import { realpathSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

// A failure with a message meant for the person at the terminal: printed without a stack.
export class Failure extends Error {
  constructor(message, { log } = {}) {
    super(message);
    this.name = 'Failure';
    this.log = log; // file with the full output, if there is one
  }
}

// Runs a command's main function; a Failure ends it with its message and exit code 1.
export async function runMain(main) {
  try {
    process.exitCode = (await main()) ?? 0;
  } catch (error) {
    if (error?.code === 'ENOSPC') {
      error = new Failure('The disk is full. Free some space and run the same command again.');
    }
    process.stderr.write(
      `\n${error instanceof Failure ? error.message : (error?.stack ?? error)}\n`,
    );
    process.exitCode = 1;
  }
}

// Whether the module is the program that was started, not one that was imported.
export function isMain(url) {
  return process.argv[1] !== undefined && pathToFileURL(realpathSync(process.argv[1])).href === url;
}
