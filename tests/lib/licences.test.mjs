// The lists of licences name whatever a bundler takes from npm, found here by another bundler.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8');

// What the build makes itself, and what it leaves out (web/build/leave-out-plugin.mjs).
const outside = {
  name: 'outside',
  setup(build) {
    const filter = /^(virtual:.*|attnlab-glue|node:.*)$/;
    build.onResolve({ filter }, ({ path }) => ({ path, external: true }));
  },
};

const leftOut = ['node_modules/d3-geo/', 'node_modules/d3-scale-chromatic/'];

// → the folders of the packages; those of `beside` are not bundled.
async function packagesIn(entries, beside = []) {
  const { metafile } = await esbuild.build({
    entryPoints: entries.map((entry) => `${root}web/${entry}`),
    absWorkingDir: root,
    bundle: true,
    splitting: true,
    format: 'esm',
    outdir: `${root}build/nowhere`,
    write: false,
    metafile: true,
    loader: { '.css': 'empty' },
    plugins: [outside],
    external: beside,
    logLevel: 'error',
  });
  const kept = Object.values(metafile.outputs)
    .flatMap(({ inputs }) => Object.entries(inputs))
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .map(([path]) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+\//.exec(path)?.[0]);
  return new Set(kept.filter((folder) => folder && !leftOut.includes(folder)));
}

const listed = (text) => [...text.matchAll(/^## (.*)$/gm)].map(([, name]) => name);

test('every npm package in the page and the embeds is in the list beside them', async () => {
  const entries = ['page/main.ts', 'embed/attention-lab.ts', 'embed/frame-page.ts'];
  const packages = await packagesIn(entries);
  for (const name of ['lit-html', '@observablehq/plot', 'd3-scale']) {
    assert.ok(packages.has(`node_modules/${name}/`), name);
  }
  const list = await read('dist/site/LICENSES.txt');
  for (const folder of packages) {
    const { name, version, license } = JSON.parse(await read(`${folder}package.json`));
    assert.ok(listed(list).includes(`${name} ${version}`), name);
    const [, section] = list.split(`## ${name} ${version}\n`);
    assert.ok(section.startsWith(`\n- Licence: ${license}\n`), name);
    assert.match(section.split('\n## ')[0], /copyright/i, name);
  }
});

test('every npm package in the library and the command is in the list that ships with them', async () => {
  const library = ['index', 'data', 'worker', 'cli'].map((name) => `lib/${name}.ts`);
  const entries = [...library, 'page/figure/in-node.ts'];
  const list = await read('dist/lib/LICENSES.md');
  // Options of the command ask for them; whoever uses these installs them.
  const { peerDependencies } = JSON.parse(await read('package.json'));
  for (const folder of await packagesIn(entries, Object.keys(peerDependencies))) {
    const { name, version } = JSON.parse(await read(`${folder}package.json`));
    assert.ok(listed(list).includes(`${name} ${version}`), name);
  }
});

test('the page in one file carries its list in itself', async () => {
  const [, comment] = (await read('dist/site/standalone.html')).split('</html>\n<!--');
  const beside = listed(await read('dist/site/LICENSES.txt'));
  assert.deepEqual(listed(comment), beside);
  assert.ok(comment.endsWith('\n-->\n') && comment.indexOf('-->') === comment.length - 4);
});

test('both lists name the parts of the WebAssembly files and the word vectors', async () => {
  for (const path of ['dist/lib/LICENSES.md', 'dist/site/LICENSES.txt']) {
    const names = listed(await read(path)).join('\n');
    for (const part of ['Eigen', 'musl', 'libc\\+\\+', 'compiler-rt', 'Emscripten', 'GloVe']) {
      assert.match(names, new RegExp(part), path);
    }
  }
});
