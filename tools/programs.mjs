// Programs of this machine.
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { Failure } from './failure.mjs';

// → the first of the names that is on the PATH, or null.
export function onPath(...names) {
  for (const name of names) {
    for (const folder of (process.env.PATH ?? '').split(delimiter)) {
      const file = join(folder, name);
      try {
        accessSync(file, constants.X_OK);
        return file;
      } catch {
        // Not here: look on.
      }
    }
  }
  return null;
}

// → the program that an environment variable names, or null where it is not set.
export function named(variable) {
  const file = process.env[variable];
  if (!file) return null;
  try {
    accessSync(file, constants.X_OK);
    return file;
  } catch {
    throw new Failure(`$${variable} is '${file}', which is not an executable file.`);
  }
}
