// The peers' packages lie in a folder of their own: only the benchmarks need them.
import { join } from 'node:path';
import { requireFreeMegabytes } from '../../tools/disk.mjs';
import { Failure } from '../../tools/failure.mjs';
import { logFolder, project } from '../../tools/paths.mjs';
import { run } from '../../tools/run.mjs';
import { hasStamp, hashOf, hashOfFile, writeStamp } from '../../tools/stamp.mjs';
import { step } from '../../tools/step.mjs';

const folder = join(project, 'tests/bench');
const stamp = join(folder, 'node_modules/.attnlab-complete');
const log = join(logFolder, 'bench-npm.log');

export async function installPeers() {
  const hash = hashOf(hashOfFile(join(folder, 'package-lock.json')), process.arch);
  if (hasStamp(stamp, hash)) return;
  requireFreeMegabytes(project, 800, 'the peers');
  await step('Peers for the benchmarks: npm ci in tests/bench (about 500 MB)', async () => {
    const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
    const result = await run('npm', args, { cwd: folder, log });
    if (result.code !== 0) throw new Failure('Installing the peers failed.', { log });
    writeStamp(stamp, hash);
  });
}
