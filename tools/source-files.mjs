// The project's own source files, by folder and ending.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { project } from './paths.mjs';

// Paths relative to the project, sorted; nothing of installed packages. A folder that is not there
// has no files.
export function filesUnder(folder, pattern) {
  let entries;
  try {
    entries = readdirSync(join(project, folder), { withFileTypes: true });
  } catch (error) {
    if (error.code === 'ENOENT') return [];
    throw error;
  }
  return entries
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`;
      if (entry.name === 'node_modules') return [];
      if (entry.isDirectory()) return filesUnder(path, pattern);
      return pattern.test(entry.name) ? [path] : [];
    })
    .sort();
}

export const cppFiles = () =>
  ['src', 'tests'].flatMap((folder) => filesUnder(folder, /\.(cpp|h)$/));
