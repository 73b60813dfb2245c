// clang-tidy over src/, two files at a time; a file is looked at again only when it, a header that
// it includes, or .clang-tidy has changed since it was found clean.
import { readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { inToolchain } from './compile.mjs';
import { logFolder, project, stampFolder } from './paths.mjs';
import { hashOf, hashOfFile, hasStamp, removeStamp, writeStamp } from './stamp.mjs';
import { filesUnder } from './source-files.mjs';

const folder = 'build/native';

// From `ninja -t deps`: 'object: #deps …' followed by indented files, the source first.
// → Map from source to the project's files that it includes (itself too), relative paths.
export function readDependencies(text, root) {
  const found = new Map();
  for (const block of text.split(/\n(?=\S)/)) {
    const files = block
      .split('\n')
      .slice(1)
      .map((line) => line.trim())
      .filter(Boolean)
      .map((file) => relative(root, file.startsWith('/') ? file : join(root, folder, file)))
      .filter((file) => !file.startsWith('..') && !file.startsWith('.toolchain'));
    if (files.length > 0) found.set(files[0], files);
  }
  return found;
}

async function dependencies() {
  const log = join(logFolder, 'tidy-deps.log');
  const { code } = await inToolchain(['ninja', '-C', folder, '-t', 'deps'], { log });
  return code === 0 ? readDependencies(readFileSync(log, 'utf8'), project) : new Map();
}

// → { checked, problems: [text] }. Needs a finished native build (compile commands, dependencies).
export async function tidy(log) {
  rmSync(log, { force: true });
  const compiled = new Set(
    JSON.parse(readFileSync(join(project, folder, 'compile_commands.json'), 'utf8')).map(
      ({ file }) => relative(project, file),
    ),
  );
  const uses = await dependencies();
  const queue = filesUnder('src', /\.cpp$/)
    .filter((file) => compiled.has(file))
    .map((file) => {
      const inputs = ['.clang-tidy', ...(uses.get(file) ?? [file])];
      const hash = hashOf(...inputs.map((input) => hashOfFile(join(project, input))));
      return { file, hash, stamp: join(stampFolder, 'tidy', file) };
    })
    .filter(({ stamp, hash }) => !hasStamp(stamp, hash));
  const checked = queue.length;
  const problems = [];
  const worker = async (index) => {
    const own = join(logFolder, `tidy-${index}.log`);
    for (let job = queue.shift(); job; job = queue.shift()) {
      removeStamp(job.stamp);
      const argv = ['clang-tidy', '--quiet', '-p', folder, job.file];
      const { code } = await inToolchain(argv, { log: own, timeout: 600 });
      if (code === 0) writeStamp(job.stamp, job.hash);
      else problems.push(`${job.file}:\n${readFileSync(own, 'utf8').trim()}`);
    }
  };
  await Promise.all([worker(1), worker(2)]);
  return { checked, problems };
}
