// Redis for the tests of queues: the one that $REDIS_SERVER names or that is on the PATH, else
// Debian's package, unpacked inside the project.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { redisRoot } from './debian-packages.mjs';
import { debianMirrors, folderOf, isComplete, makeDebianRoot } from './debian-root.mjs';
import { Failure } from './failure.mjs';
import { withLock } from './lock.mjs';
import { toolchainFolder } from './paths.mjs';
import { named, onPath } from './programs.mjs';
import { say } from './step.mjs';
import { findVersion, isAtLeast } from './version.mjs';

const minimum = '6.2';

// An unpacked program runs with the C library beside it, whatever the machine's own is.
function inRoot(root) {
  const libraries = join(root, 'usr/lib');
  const triplet = readdirSync(libraries).find((name) =>
    existsSync(join(libraries, name, 'libc.so.6')),
  );
  const folder = join(libraries, triplet);
  const loader = readdirSync(folder).find((name) => /^ld-linux.*\.so\.\d$/.test(name));
  const program = join(root, 'usr/bin/redis-server');
  return { file: join(folder, loader), args: ['--library-path', folder, program] };
}

function versionOf({ file, args }) {
  const { status, stdout } = spawnSync(file, [...args, '--version'], { encoding: 'utf8' });
  return status === 0 ? findVersion(stdout) : null;
}

// → { file, args }: how Redis is started, its own arguments to be added; null where there is none.
export function findRedis() {
  const own = named('REDIS_SERVER');
  if (own) return { file: own, args: [] };
  const installed = onPath('redis-server');
  const found = installed && { file: installed, args: [] };
  if (found && isAtLeast(versionOf(found), minimum)) return found;
  return isComplete(redisRoot) ? inRoot(folderOf(redisRoot)) : null;
}

function check(root) {
  const command = inRoot(root);
  if (isAtLeast(versionOf(command), minimum)) return;
  throw new Failure('The unpacked Redis does not run on this machine.');
}

// → the same, unpacked where need be.
export async function prepareRedis() {
  const found = findRedis();
  if (found) return found;
  const mirrors = debianMirrors();
  if (mirrors.length === 0) {
    throw new Failure(
      `Missing for the tests of queues: redis-server ${minimum} or newer. Install it, or name it:\n` +
        '    REDIS_SERVER=/path/to/redis-server npm test',
    );
  }
  await withLock(
    join(toolchainFolder, 'lock'),
    async () => {
      if (!isComplete(redisRoot)) await makeDebianRoot(redisRoot, mirrors, check);
    },
    (pid) => say(`Another set-up (process ${pid}) is at work here: waiting for it.`),
  );
  return findRedis();
}
