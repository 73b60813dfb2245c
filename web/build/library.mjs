// web/lib → dist/lib: bundles without dependencies, declarations, WebAssembly, data.
import { spawnSync } from 'node:child_process';
import { chmod, cp, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as esbuild from 'esbuild';
import { makeGlue } from './glue.mjs';
import { writeExperimentDocs } from './experiment_docs.mjs';
import { writeExperimentTypes } from './experiment_types.mjs';
import { licenceList, packagesOf } from './licences.mjs';

// Bundled each on its own: worker.js must run alone, and a page may take a reader without the lab.
// figures.js is for the command, which loads it when it is to draw.
const entries = ['index', 'worker', 'data', 'cli', 'figures'];

function readCommit(root) {
  const git = spawnSync('git', ['-c', 'safe.directory=*', '-C', root, 'rev-parse', '--short=12', 'HEAD']);
  return process.env.ATTNLAB_COMMIT ?? (git.stdout?.toString().trim() || 'unknown');
}

// Packages that an option of the command asks for, loaded from beside the lab where they are.
const optional = ['bullmq', 'ioredis', 'apache-arrow', '@observablehq/plot', 'linkedom'];

// The command line uses the library beside it, it does not hold a second copy.
const libraryBeside = {
  name: 'library-beside',
  setup(build) {
    build.onResolve({ filter: /^\.\.?\/index\.js$/ }, () => ({ path: './index.js', external: true }));
  },
};

// The page's style as a text: its colours are written out in a figure's file.
const styleAsText = {
  name: 'style-as-text',
  setup(build) {
    build.onLoad({ filter: /\.css$/ }, async ({ path }) => ({
      contents: await readFile(path, 'utf8'),
      loader: 'text',
    }));
  },
};

// Where an entry is that is not called as its file in web/lib.
const places = { figures: 'web/page/figure/in-node.ts' };

// → the folders of the npm packages that are in it.
async function bundle(entry, { root, target, glue, banner }) {
  const cli = entry === 'cli';
  const result = await esbuild.build({
    entryPoints: [join(root, places[entry] ?? `web/lib/${entry}.ts`)],
    outfile: join(target, `${entry}.js`),
    bundle: true,
    format: 'esm',
    platform: cli ? 'node' : 'browser',
    target: ['es2022'],
    minifySyntax: true,
    minifyWhitespace: entry === 'worker',
    legalComments: 'none',
    charset: 'utf8',
    alias: { 'attnlab-glue': glue },
    plugins: cli ? [libraryBeside] : [styleAsText],
    external: cli || entry === 'figures' ? optional : [],
    banner: { js: cli ? `#!/usr/bin/env node\n${banner}` : banner },
    logLevel: 'warning',
    metafile: true,
    absWorkingDir: root,
  });
  if (result.warnings.length > 0) throw new Error(`esbuild warns about ${entry}.ts`);
  return packagesOf(result.metafile, root);
}

function writeDeclarations(root, target) {
  const compiled = spawnSync(
    process.execPath,
    [
      join(root, 'node_modules/typescript/bin/tsc'),
      ...['-p', join(root, 'web/lib/tsconfig.json'), '--outDir', target],
    ],
    { encoding: 'utf8' },
  );
  if (compiled.status !== 0) throw new Error(`tsc:\n${compiled.stdout}${compiled.stderr}`);
}

// → the path of dist/lib.
export async function buildLibrary({ root, dist }) {
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const commit = readCommit(root);
  // Built beside and moved into place, so that nothing half-made is ever in dist/lib.
  const target = join(dist, 'lib.new');
  await rm(target, { recursive: true, force: true });
  await mkdir(target, { recursive: true });
  const work = join(root, 'build/lib');
  const glue = await makeGlue({ root, work, target, version, commit });
  const banner = `// attnlab ${version}, commit ${commit}, esbuild ${esbuild.version}, MIT licence`;
  await cp(join(root, 'web/data'), join(target, 'data'), { recursive: true });
  const found = await Promise.all(
    entries.map((entry) => bundle(entry, { root, target, glue, banner })),
  );
  const folders = new Set(found.flatMap((each) => [...each]));
  await writeFile(
    join(target, 'LICENSES.md'),
    await licenceList({ root, folders, what: 'the library and the command' }),
  );
  await chmod(join(target, 'cli.js'), 0o755);
  writeDeclarations(root, target);
  const nearest = { type: 'module', sideEffects: ['./worker.js', './cli.js'] };
  await writeFile(join(target, 'package.json'), `${JSON.stringify(nearest)}\n`);

  const { load } = await import(`${pathToFileURL(join(target, 'index.js')).href}?${Date.now()}`);
  const lab = await load();
  await writeExperimentTypes(lab.experiments, join(target, 'experiments.d.ts'));
  await writeExperimentDocs(lab.experiments, join(dist, 'docs'));
  lab.dispose();

  const place = join(dist, 'lib');
  await rm(place, { recursive: true, force: true });
  await rename(target, place);
  return place;
}
