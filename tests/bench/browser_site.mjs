// A folder with the benchmark as a page: bundled by the esbuild that the project has anyway.
import { copyFileSync, cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import * as esbuild from 'esbuild';
import { buildFolder, distFolder, project } from '../../tools/paths.mjs';

const folder = join(buildFolder, 'bench/site');
const bench = join(project, 'tests/bench');
const require = createRequire(join(bench, 'package.json'));

function copyWasm(from, to) {
  mkdirSync(to, { recursive: true });
  for (const file of readdirSync(from)) {
    if (/\.(wasm|mjs)$/.test(file)) copyFileSync(join(from, file), join(to, file));
  }
}

function copyKernels(variant) {
  const from = join(buildFolder, `wasm-${variant}/tests/bench`);
  const to = join(folder, 'kernels');
  mkdirSync(to, { recursive: true });
  // The glue asks for the module under its own name, beside it: one folder a build.
  const own = join(to, variant);
  mkdirSync(own, { recursive: true });
  for (const ending of ['mjs', 'wasm'])
    copyFileSync(join(from, `bench_kernels.${ending}`), join(own, `bench_kernels.${ending}`));
  writeFileSync(
    join(to, `${variant}.mjs`),
    `export { default } from './${variant}/bench_kernels.mjs';\n`,
  );
}

// → the folder's path.
export async function makeSite() {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await esbuild.build({
    entryPoints: [join(bench, 'in_browser.mjs')],
    outfile: join(folder, 'bench.js'),
    bundle: true,
    format: 'esm',
    platform: 'browser',
    // Kernels are loaded by address; Node's own modules only where there is Node.
    external: ['node:*', '/kernels/*'],
    // Where the peers are installed: an alias is looked up from here.
    absWorkingDir: bench,
    alias: { 'onnxruntime-web': 'onnxruntime-web/wasm' },
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'error',
  });
  cpSync(join(distFolder, 'lib'), join(folder, 'lib'), { recursive: true });
  copyWasm(dirname(require.resolve('@tensorflow/tfjs-backend-wasm')), join(folder, 'tfjs'));
  copyWasm(dirname(require.resolve('onnxruntime-web/wasm')), folder);
  copyKernels('simd');
  copyKernels('relaxed');
  writeFileSync(
    join(folder, 'index.html'),
    '<!doctype html><title>bench</title><script type="module" src="bench.js"></script>\n',
  );
  return folder;
}
