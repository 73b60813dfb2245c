// The package as npm would ship it: packed, installed where there is no network, run and looked over.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { publint } from 'publint';

const root = fileURLToPath(new URL('../../', import.meta.url));
await mkdir(join(root, 'build'), { recursive: true });
const folder = await mkdtemp(join(root, 'build/package-'));
after(() => rm(folder, { recursive: true, force: true }));
const consumer = join(folder, 'a consumer');
await mkdir(consumer);
await writeFile(join(consumer, 'package.json'), '{ "name": "consumer", "private": true }\n');

function run(program, args, cwd) {
  const env = {
    ...process.env,
    npm_config_cache: join(folder, 'cache'),
    npm_config_update_notifier: 'false',
  };
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, env, encoding: 'utf8' });
  assert.equal(status, 0, `${program} ${args.join(' ')}\n${stdout}${stderr}`);
  return stdout;
}

const [{ filename }] = JSON.parse(
  run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder], root),
);
const tarball = join(folder, filename);

test('it installs without a network, in a folder with a space in its name', () => {
  const quiet = ['--ignore-scripts', '--no-save', '--no-audit', '--no-fund'];
  run('npm', ['install', '--offline', ...quiet, tarball], consumer);
});

test('it brings no other package along, though options of the command may ask for some', async () => {
  const names = await readdir(join(consumer, 'node_modules'));
  const packages = names.filter((name) => !name.startsWith('.'));
  assert.deepEqual(packages, ['attnlab']);
  const code = await readFile(join(consumer, 'node_modules/attnlab/dist/lib/cli.js'), 'utf8');
  const imported = [...code.matchAll(/\bimport\("([^".]+)"\)/g)].map(([, name]) => name);
  const { peerDependencies, peerDependenciesMeta } = JSON.parse(
    await readFile(join(consumer, 'node_modules/attnlab/package.json'), 'utf8'),
  );
  assert.deepEqual(new Set(imported), new Set(Object.keys(peerDependencies)));
  for (const name of imported) assert.ok(peerDependenciesMeta[name].optional, name);
});

test('it brings its changelog, whose newest version is its own, and the licences', async () => {
  const installed = join(consumer, 'node_modules/attnlab');
  const changelog = await readFile(join(installed, 'CHANGELOG.md'), 'utf8');
  const { version } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'));
  const versions = [...changelog.matchAll(/^## \[(.*)\] - \d{4}-\d{2}-\d{2}$/gm)];
  assert.equal(versions.length, changelog.match(/^## /gm).length);
  assert.equal(versions[0][1], version);
  assert.match(await readFile(join(installed, 'LICENSE'), 'utf8'), /MIT License/);
  assert.match(await readFile(join(installed, 'dist/lib/LICENSES.md'), 'utf8'), /Eigen/);
});

test('its command runs', () => {
  const said = run('npx', ['--no-install', 'attnlab', 'list'], consumer);
  assert.match(said, /large-prompt\.output/);
});

test('its library computes a softmax', () => {
  const program = `import { load } from 'attnlab';
    const lab = await load();
    const { output } = lab.attention.forward({
      queries: [[1]], keys: [[0], [Math.log(3)]], values: [[4], [8]],
    });
    console.log(output.data[0].toFixed(12));
    lab.dispose();`;
  const said = run(process.execPath, ['--input-type=module', '-e', program], consumer);
  assert.equal(said, '7.000000000000\n');
});

test('publint finds nothing wrong with it', async () => {
  const bytes = await readFile(tarball);
  const { buffer, byteOffset, byteLength } = bytes;
  const packed = buffer.slice(byteOffset, byteOffset + byteLength);
  const { messages } = await publint({ pack: { tarball: packed }, strict: true });
  assert.deepEqual(messages, []);
});

test('its types are found by whoever imports it', () => {
  // For ES modules alone, which it is; WebAssembly and data have no types.
  const attw = join(root, 'node_modules/@arethetypeswrong/cli/dist/index.js');
  const plain = ['attnlab-simd.wasm', 'attnlab-relaxed.wasm', 'data/glove-4000.bin', 'worker.js'];
  const options = ['--profile', 'esm-only', '--exclude-entrypoints', ...plain];
  run(process.execPath, [attw, tarball, '--no-color', '--no-emoji', ...options], folder);
});
