// Configures and builds one CMake preset (see CMakePresets.json) with the prepared toolchain.
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { requireFreeMegabytes } from './disk.mjs';
import { Failure } from './failure.mjs';
import { withLock } from './lock.mjs';
import { buildFolder, logFolder, project } from './paths.mjs';
import { run, tailOf } from './run.mjs';
import { hashOf, hashOfFile, hasStamp, writeStamp } from './stamp.mjs';
import { say, step } from './step.mjs';
import { prepareToolchain } from './toolchain.mjs';

const jobs = process.env.ATTNLAB_JOBS ?? '2';

export async function inToolchain(argv, { log, append, timeout, env } = {}) {
  const toolchain = await prepareToolchain();
  const { file, args, ...rest } = toolchain.command(argv, { cwd: project, env });
  return run(file, args, { ...rest, log, append, timeout });
}

function requireSuccess(result, what, log) {
  if (result.code === 0) return;
  const full = /No space left on device/.test(tailOf(log, 100));
  throw new Failure(full ? `${what} failed: the disk is full.` : `${what} failed.`, { log });
}

// A folder configured by another toolchain, or at another path, is of no use: it is made anew.
async function configure(preset, log) {
  const folder = join(buildFolder, preset);
  const toolchain = await prepareToolchain();
  const presets = hashOfFile(join(project, 'CMakePresets.json'));
  const hash = hashOf(project, toolchain.identity, presets);
  const stamp = join(folder, '.attnlab-configured');
  if (hasStamp(stamp, hash) && existsSync(join(folder, 'build.ninja'))) return;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  // Emscripten writes the test program as CommonJS, in a project whose .js files are ES modules.
  writeFileSync(join(folder, 'package.json'), '{ "type": "commonjs" }\n');
  const wrapper = preset.startsWith('wasm-') ? ['emcmake'] : [];
  const result = await inToolchain([...wrapper, 'cmake', '--preset', preset], { log });
  requireSuccess(result, `Configuring ${preset}`, log);
  writeStamp(stamp, hash);
}

// targets: [] builds everything of the preset.
export async function compile(preset, targets = []) {
  const log = join(logFolder, `build-${preset}.log`);
  requireFreeMegabytes(project, 300, 'the build');
  await withLock(
    join(buildFolder, `${preset}.lock`),
    () =>
      step(`Build ${preset}`, async () => {
        rmSync(log, { force: true });
        await configure(preset, log);
        const wanted = targets.length > 0 ? ['--target', ...targets] : [];
        const argv = ['cmake', '--build', '--preset', preset, '-j', jobs, ...wanted];
        requireSuccess(await inToolchain(argv, { log, append: true }), `Building ${preset}`, log);
      }),
    (pid) => say(`Another build of ${preset} (process ${pid}) is at work: waiting for it.`),
  );
}
