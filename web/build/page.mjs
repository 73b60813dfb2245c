// The static site: index.html, embed.html, embed/attention-lab.js, standalone.html, results made at
// build time, a service worker. Expects the finished library in dist/lib. Called by web/build.mjs.
import { createHash } from 'node:crypto';
import { cp, mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'vite';
import { makeIndex } from './index.mjs';
import { leaveOutPlugin } from './leave-out-plugin.mjs';
import { bundledPackages, licenceList } from './licences.mjs';
import { buildReference } from './reference.mjs';
import { builtResults, pictureOf } from './results.mjs';
import { serviceWorker } from './service-worker.mjs';
import { standalone } from './standalone.mjs';
import { textPlugin } from './text-plugin.mjs';
import { virtualPlugin } from './virtual-plugin.mjs';

export async function buildPage({ root, dist, say = console.log }) {
  const web = join(root, 'web');
  const lib = join(dist, 'lib');
  const out = join(dist, 'site.tmp');
  await rm(out, { recursive: true, force: true });
  await mkdir(join(out, 'assets'), { recursive: true });

  const { load } = await import(pathToFileURL(join(lib, 'index.js')).href);
  const lab = await load({ variant: 'simd' });
  const parts = { root, web, lib, out, folders: new Set() };
  const simd = await readFile(join(lib, 'attnlab-simd.wasm'));
  const cacheFolder = join(root, 'build/page/results');
  const results = await builtResults({ lab, moduleBytes: simd, cacheFolder, say });
  const index = await makeIndex(lab.experiments, join(web, 'text'));
  const pictures = Object.fromEntries(
    lab.experiments.map((each) => [each.id, pictureOf(results[each.id], each)]),
  );
  lab.dispose();

  const made = { simd, index, results, pictures };
  const files = await placeFiles(parts, made);
  await viteSite(parts, files);
  await copyStatics(parts);
  await standalone(parts, made);
  await buildReference(parts);
  await writeFile(
    join(out, 'LICENSES.txt'),
    await licenceList({ root, folders: parts.folders, what: 'the page and the embeds' }),
  );
  await serviceWorker(out);
  await rm(join(dist, 'site'), { recursive: true, force: true });
  await rename(out, join(dist, 'site'));
}

// Files that are fetched at run time, under names with their hashes.
async function placeFiles({ lib, out }, { simd, index, results, pictures }) {
  const place = async (name, content) => {
    const hash = createHash('sha256').update(content).digest('hex').slice(0, 8);
    const dot = name.lastIndexOf('.');
    const path = `assets/${name.slice(0, dot)}-${hash}${name.slice(dot)}`;
    await writeFile(join(out, path), content);
    return path;
  };
  const files = {
    simd: await place('attnlab-simd.wasm', simd),
    relaxed: await place('attnlab-relaxed.wasm', await readFile(join(lib, 'attnlab-relaxed.wasm'))),
    worker: await place('worker.js', await readFile(join(lib, 'worker.js'))),
    index: {},
    descriptors: {},
    resources: {},
    results: {},
    pictures: {},
  };
  for (const name of await readdir(join(lib, 'data')).catch(() => [])) {
    if (!name.endsWith('.bin')) continue;
    files.resources[name.replace(/\.bin$/, '')] = await place(name, await readFile(join(lib, 'data', name)));
  }
  for (const [language, { entries, descriptors }] of Object.entries(index)) {
    files.index[language] = await place(`index-${language}.json`, JSON.stringify(entries));
    files.descriptors[language] = {};
    for (const [id, text] of Object.entries(descriptors)) {
      files.descriptors[language][id] = await place(`experiment-${language}-${id}.json`, text);
    }
  }
  for (const [id, text] of Object.entries(results)) {
    files.results[id] = await place(`result-${id}.json`, text);
    files.pictures[id] = await place(`picture-${id}.json`, pictures[id]);
  }
  return files;
}

export function viteOptions({ root, web, lib, folders }, virtual) {
  return {
    configFile: false,
    root: join(web, 'page'),
    base: './',
    logLevel: 'warn',
    publicDir: false,
    plugins: [
      leaveOutPlugin(),
      textPlugin(join(web, 'text')),
      virtualPlugin(web, lib, virtual),
      bundledPackages(root, folders),
    ],
  };
}

async function viteSite(parts, files) {
  const { web, out } = parts;
  await build({
    ...viteOptions(parts, { files }),
    build: {
      outDir: out,
      emptyOutDir: false,
      target: 'es2022',
      modulePreload: { polyfill: false },
      assetsInlineLimit: 0,
      cssCodeSplit: true,
      rollupOptions: {
        input: {
          index: join(web, 'page/index.html'),
          embed: join(web, 'page/embed.html'),
          'attention-lab': join(web, 'embed/attention-lab.ts'),
        },
        output: {
          entryFileNames: (chunk) =>
            chunk.name === 'attention-lab' ? 'embed/attention-lab.js' : 'assets/[name]-[hash].js',
          chunkFileNames: 'assets/[name]-[hash].js',
          assetFileNames: 'assets/[name]-[hash][extname]',
        },
      },
    },
  });
}

async function copyStatics({ web, out }) {
  for (const name of ['icon.svg', 'attnlab.webmanifest']) {
    await cp(join(web, 'page', name), join(out, name));
  }
  await cp(join(web, 'embed/examples'), join(out, 'examples'), { recursive: true });
  await cp(join(web, 'embed/frame.js'), join(out, 'embed/frame.js'));
}
