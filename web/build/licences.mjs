// LICENSES: whose work is in what is built. The npm packages are those whose code the bundler kept;
// what the compilers put into the WebAssembly is listed here.
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';

const PACKAGE = /^(.*\/node_modules\/((?:@[^/]+\/)?[^/]+))\//;

// What the bundler itself adds, by the name of the module that it makes.
const HELPERS = [
  [/^\0?vite\//, 'vite'],
  [/^\0?rolldown\//, 'rolldown'],
];

const MODULE_PARTS = [
  {
    name: 'Eigen',
    licence: 'MPL-2.0',
    what: 'dense matrices and their decompositions, in the WebAssembly files',
    by: 'Gaël Guennebaud, Benoît Jacob and others',
    source: 'https://eigen.tuxfamily.org',
    note: 'Unchanged. Its source is had at that address.',
  },
  {
    name: 'musl',
    licence: 'MIT',
    what: 'the C library, in the WebAssembly files',
    by: 'Copyright 2005-2020 Rich Felker and others',
    source: 'https://musl.libc.org',
  },
  {
    name: 'libc++, libc++abi, libunwind and compiler-rt',
    licence: 'Apache-2.0 WITH LLVM-exception',
    what: 'the C++ library, in the WebAssembly files',
    by: 'the LLVM project',
    source: 'https://llvm.org',
  },
  {
    name: 'Emscripten',
    licence: 'MIT OR NCSA',
    what: 'emmalloc and Embind in the WebAssembly files, and the JavaScript that starts them',
    by: 'Copyright 2010 and later, the Emscripten authors',
    source: 'https://emscripten.org',
  },
];

const DATA_PARTS = [
  {
    name: 'GloVe word vectors',
    licence: 'PDDL-1.0',
    what: 'glove-4000.bin, made from the 100-dimensional set',
    by: 'Jeffrey Pennington, Richard Socher and Christopher D. Manning',
    source: 'https://nlp.stanford.edu/projects/glove',
  },
];

// The folder of the npm package that a bundled module comes from; undefined for our own.
export function packageFolder(id, root) {
  const found = PACKAGE.exec(id)?.[1];
  if (found) return found;
  const helper = HELPERS.find(([pattern]) => pattern.test(id))?.[1];
  return helper && join(root, 'node_modules', helper);
}

// A plugin of the page's bundler that tells the packages whose code is in the output.
export function bundledPackages(root, folders) {
  return {
    name: 'attnlab-bundled-packages',
    generateBundle(_, bundle) {
      for (const { modules } of Object.values(bundle)) {
        for (const [id, { code }] of Object.entries(modules ?? {})) {
          const kept = code?.replaceAll(/^\s*\/\/.*$/gm, '').trim();
          const folder = kept && packageFolder(id, root);
          if (folder) folders.add(folder);
        }
      }
    },
  };
}

// The same from esbuild's metafile, whose paths are relative to `root`.
export function packagesOf(metafile, root) {
  const inputs = Object.values(metafile.outputs).flatMap((output) => Object.entries(output.inputs));
  const kept = inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0);
  return new Set(kept.map(([id]) => packageFolder(join(root, id), root)).filter(Boolean));
}

async function readPackage(folder) {
  const { name, version, license, author, homepage } = JSON.parse(
    await readFile(join(folder, 'package.json'), 'utf8'),
  );
  const file = (await readdir(folder)).find((each) => /^(licen[cs]e|copying)/i.test(each));
  if (!license || !file) throw new Error(`${name} does not say its licence`);
  // Of a bundler only a few lines of its own are in the output, nothing of what it holds itself.
  const [text] = (await readFile(join(folder, file), 'utf8')).split(/^#+ .*bundled dependencies/im);
  return { name, version, licence: license, by: author?.name ?? author, source: homepage, text: text.trim() };
}

function section({ name, version, licence, what, by, source, note, text }) {
  const facts = [`Licence: ${licence}`, what && `What: ${what}`, by && `By: ${by}`];
  return [
    `## ${[name, version].filter(Boolean).join(' ')}`,
    '',
    ...[...facts, source && `Source: ${source}`, note].filter(Boolean).map((line) => `- ${line}`),
    '',
    ...(text ? ['```text', text.replaceAll(/\r/g, ''), '```', ''] : []),
  ];
}

// → the list as Markdown; `what` names the thing that holds the packages of these folders.
export async function licenceList({ root, folders, what }) {
  const packages = await Promise.all([...folders].map(readPackage));
  packages.sort((a, b) => (a.name < b.name ? -1 : 1));
  const own = (await readFile(join(root, 'LICENSE'), 'utf8')).trim();
  const parts = [...MODULE_PARTS, ...DATA_PARTS, ...packages];
  return [
    '# Licences',
    '',
    `What is bundled into ${what}, besides AttnLab's own code: ${parts.length} works.`,
    '',
    ...section({ name: 'AttnLab', licence: 'MIT', text: own }),
    ...parts.flatMap(section),
  ].join('\n');
}
