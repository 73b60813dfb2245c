// A consumer's Vite and esbuild: no warning, nothing missing.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';
import * as vite from 'vite';

const root = fileURLToPath(new URL('../../', import.meta.url));
await mkdir(join(root, 'build'), { recursive: true });
const folder = await mkdtemp(join(root, 'build/consumer-'));
after(() => rm(folder, { recursive: true, force: true }));
await mkdir(join(folder, 'node_modules'));
await symlink(root, join(folder, 'node_modules/attnlab'), 'dir');
await writeFile(
  join(folder, 'page.js'),
  `import { load } from 'attnlab'; load().then(console.log);`,
);
await writeFile(join(folder, 'index.html'), '<script type="module" src="./page.js"></script>');

test('esbuild bundles the library for a browser without a warning', async () => {
  const built = await esbuild.build({
    entryPoints: [join(folder, 'page.js')],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    logLevel: 'silent',
    preserveSymlinks: true,
    absWorkingDir: folder,
  });
  assert.deepEqual(built.warnings, []);
  assert.match(built.outputFiles[0].text, /attnlab-simd\.wasm/);
});

test('Vite bundles the library without a warning, with both modules, the worker and the data', async () => {
  const said = [];
  const logger = vite.createLogger('warn');
  logger.info = () => {};
  for (const level of ['warn', 'warnOnce', 'error']) {
    // How long the machine took is no fault of the library.
    logger[level] = (text) => text.includes('PLUGIN_TIMINGS') || said.push(text);
  }
  await vite.build({
    root: folder,
    base: './',
    configFile: false,
    customLogger: logger,
    logLevel: 'warn',
    resolve: { preserveSymlinks: true },
    build: { outDir: 'out', assetsInlineLimit: 0, chunkSizeWarningLimit: 5000 },
  });
  assert.deepEqual(said, []);
  const assets = await readdir(join(folder, 'out/assets'));
  for (const pattern of [
    /^attnlab-simd-.*\.wasm$/,
    /^attnlab-relaxed-.*\.wasm$/,
    /^worker-.*\.js$/,
    /^glove-4000-.*\.bin$/,
  ]) {
    const found = assets.filter((name) => pattern.test(name));
    assert.equal(found.length, 1, `${pattern} in ${assets.join(' ')}`);
  }
  const script = assets.find((name) => /^index-.*\.js$/.test(name));
  const text = await readFile(join(folder, 'out/assets', script), 'utf8');
  for (const name of assets.filter((one) => one !== script))
    assert.ok(text.includes(name), `${name} is named`);
});
