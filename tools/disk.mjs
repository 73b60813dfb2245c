// Free disk, asked before a step that needs much of it.
import { statfsSync } from 'node:fs';
import { Failure } from './failure.mjs';

export function freeMegabytes(folder) {
  const { bavail, bsize } = statfsSync(folder);
  return Math.floor((bavail * bsize) / 1e6);
}

export function requireFreeMegabytes(folder, needed, what) {
  // The variable lets a test pretend that the disk is nearly full.
  const free = Number(process.env.ATTNLAB_PRETEND_FREE_MB ?? freeMegabytes(folder));
  if (free >= needed) return;
  throw new Failure(
    `Not enough disk for ${what}: ${needed} MB needed, ${free} MB free at ${folder}.\n` +
      'Free some space and run the same command again.',
  );
}
