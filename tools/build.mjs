// npm run build: the WebAssembly modules, then the library, the page and the embeds (web/build.mjs).
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { compile } from './compile.mjs';
import { Failure, isMain, runMain } from './failure.mjs';
import { withLock } from './lock.mjs';
import { prepareNpmPackages } from './npm-packages.mjs';
import { buildFolder, logFolder, project } from './paths.mjs';
import { run, tailOf } from './run.mjs';
import { say, step } from './step.mjs';
import { prepareToolchain } from './toolchain.mjs';

let dist;
// dist/ whole, once a process; does little when nothing changed. Only the modules: a test that does
// not compile stops its own stage and not those that need dist/.
export function buildDist() {
  dist ??= (async () => {
    await compile('wasm-simd', ['attnlab']);
    await compile('wasm-relaxed', ['attnlab']);
    await buildWeb();
  })();
  return dist;
}

export async function build() {
  await prepareToolchain();
  await prepareNpmPackages();
  await buildDist();
}

export async function buildWeb() {
  const script = join(project, 'web/build.mjs');
  if (!existsSync(script)) return;
  const log = join(logFolder, 'build-web.log');
  await withLock(
    join(buildFolder, 'web.lock'),
    () =>
      step('Build library, page and embeds', async () => {
        const result = await run(process.execPath, [script], { cwd: project, log, timeout: 900 });
        if (result.code === 0) return;
        const full = /ENOSPC/.test(tailOf(log, 100));
        throw new Failure(
          full ? 'The web build failed: the disk is full.' : 'The web build failed.',
          { log },
        );
      }),
    (pid) => say(`Another web build (process ${pid}) is at work: waiting for it.`),
  );
}

if (isMain(import.meta.url)) {
  await runMain(async () => {
    if (process.argv.length > 2) throw new Failure('usage: npm run build');
    await build();
  });
}
