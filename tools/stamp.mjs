// A stamp is a small file that holds the hash of the inputs of a finished step. The step is
// skipped while the hash is the same; a step that was cut short has written no stamp.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

// The hash of strings and objects, in order; their borders count, so ['ab', 'c'] ≠ ['a', 'bc'].
export function hashOf(...inputs) {
  const hash = createHash('sha256');
  for (const input of inputs) hash.update(`${JSON.stringify(input)}\n`);
  return hash.digest('hex').slice(0, 32);
}

// The hash of a file's bytes, or 'absent'.
export function hashOfFile(path) {
  try {
    return createHash('sha256').update(readFileSync(path)).digest('hex').slice(0, 32);
  } catch (error) {
    if (error.code === 'ENOENT') return 'absent';
    throw error;
  }
}

export function hasStamp(path, hash) {
  try {
    return readFileSync(path, 'utf8').trim() === hash;
  } catch {
    return false;
  }
}

// Written beside and renamed: a stamp is whole or it is not there.
export function writeStamp(path, hash) {
  mkdirSync(dirname(path), { recursive: true });
  const beside = `${path}.${process.pid}.tmp`;
  writeFileSync(beside, `${hash}\n`);
  renameSync(beside, path);
}

export function removeStamp(path) {
  rmSync(path, { force: true });
}
