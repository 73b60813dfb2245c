// node_modules as package-lock.json says. Nothing is done while it is up to date.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { requireFreeMegabytes } from './disk.mjs';
import { Failure } from './failure.mjs';
import { withLock } from './lock.mjs';
import { buildFolder, logFolder, project } from './paths.mjs';
import { run, tailOf } from './run.mjs';
import { hasStamp, hashOf, hashOfFile, removeStamp, writeStamp } from './stamp.mjs';
import { say, step } from './step.mjs';

const log = join(logFolder, 'npm.log');
// Inside the folder: whoever deletes the folder deletes the stamp.
const stamp = join(project, 'node_modules/.attnlab-complete');

function hashOfWishes() {
  const files = ['package.json', 'package-lock.json'].map((name) =>
    hashOfFile(join(project, name)),
  );
  // package.json counts only through the lock, which npm checks it against; scripts may change.
  return hashOf(files[1] === 'absent' ? files : files[1], process.arch);
}

function explain(output) {
  if (/ENOSPC/.test(output)) return 'Installing npm packages failed: the disk is full.';
  if (/E404|ETARGET|notarget/.test(output))
    return 'Installing npm packages failed: the registry lacks one of them.';
  if (/EUSAGE|in sync/.test(output))
    return 'package.json and package-lock.json disagree: run npm install and commit the lock.';
  if (/ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ECONNREFUSED|ECONNRESET|ENETUNREACH|network/i.test(output)) {
    return 'Installing npm packages failed: the network or the registry failed. Run the same command again.';
  }
  return 'Installing npm packages failed.';
}

async function install() {
  const hash = hashOfWishes();
  if (hasStamp(stamp, hash)) return;
  requireFreeMegabytes(project, 400, 'the npm packages');
  const verb = existsSync(join(project, 'package-lock.json')) ? 'ci' : 'install';
  await step(`npm packages: npm ${verb}`, async () => {
    removeStamp(stamp);
    // No package needs its install script; none may run one.
    const args = [verb, '--ignore-scripts', '--no-audit', '--no-fund'];
    const result = await run('npm', args, { cwd: project, log });
    if (result.code === 127)
      throw new Failure('npm is not on the PATH. Install Node 20.16 or newer with npm.');
    if (result.code !== 0) throw new Failure(explain(tailOf(log, 200)), { log });
    writeStamp(stamp, hashOfWishes());
  });
}

export async function prepareNpmPackages() {
  if (hasStamp(stamp, hashOfWishes())) return;
  await withLock(join(buildFolder, 'npm.lock'), install, (pid) =>
    say(`Another set-up (process ${pid}) is at work here: waiting for it.`),
  );
}
