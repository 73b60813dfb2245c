// The stages that run something: the doctest suite in its four builds, then the library, the
// command line and the tools in Node, then the page in the browsers.
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { abreast } from './abreast.mjs';
import { findBrowsers } from './browsers.mjs';
import { buildDist } from './build.mjs';
import { compile, inToolchain } from './compile.mjs';
import { fuzzTargets } from './fuzz-targets.mjs';
import { lintStages } from './lint-stages.mjs';
import { logFolder, project } from './paths.mjs';
import { relaxedSimdFlags } from './relaxed-simd.mjs';
import { run } from './run.mjs';
import { filesUnder } from './source-files.mjs';
import { addCounts, countDoctest, countNodeTests, excerpt } from './test-counts.mjs';

const hour = 3600;
// Colour codes would stand between the numbers of its totals: Emscripten takes any output for a terminal.
const plain = '--no-colors=true';

// The suite in parts by folders of tests/core, the longest first; the last is all the rest.
const folders = ['needle', 'experiments', 'mhla'].map((name) => `*/tests/core/${name}/*`);
const parts = [
  ...folders.map((folder) => `--source-file=${folder}`),
  `--source-file-exclude=${folders.join(',')}`,
];

// start(arguments, log) runs one part.
async function doctest(name, start) {
  const log = join(logFolder, `test-${name}.log`);
  const results = await abreast(2, parts, async (part, index) => {
    const own = join(logFolder, `test-${name}-${index + 1}.log`);
    const ended = await start([part, plain], own);
    const output = readFileSync(own, 'utf8');
    return { ...countDoctest(output, ended), output };
  });
  writeFileSync(log, results.map(({ output }) => output).join(''));
  const { passed, failed } = addCounts(results);
  // To each part the others' cases are skipped ones; of all together few are, if any.
  const all = Math.max(...results.map((each) => each.passed + each.failed + each.skipped));
  const skipped = Math.max(0, all - passed - failed);
  const bad = results.filter((each) => each.failed > 0);
  const problem = bad.find((result) => result.problem)?.problem;
  const details = bad.map(({ output }) => excerpt(output)).join('\n');
  return { passed, failed, skipped, problem, log, details: details || undefined };
}

function nativeDoctest(name) {
  const program = `build/${name}/attnlab_tests`;
  return doctest(name, (args, log) => inToolchain([program, ...args], { log, timeout: hour }));
}

async function wasmDoctest(name, flags) {
  if (flags === null) {
    return {
      passed: 0,
      failed: 1,
      details: 'This Node has no relaxed SIMD, with or without a flag.',
    };
  }
  const program = [...flags, join(project, 'build', name, 'attnlab_tests.js')];
  return doctest(name, (args, log) =>
    run(process.execPath, [...program, ...args], { cwd: project, log, timeout: hour }),
  );
}

async function oneNodeTestFile(stage, file, env) {
  const log = join(logFolder, `test-${stage}-${basename(file).replace(/\.test\.\w+$/, '')}.log`);
  // The file itself, not --test: that would count a file without tests as a test that passes.
  const args = ['--test-reporter=tap', join(project, file)];
  const ended = await run(process.execPath, args, { cwd: project, env, log, timeout: hour / 4 });
  const output = readFileSync(log, 'utf8');
  const counts = countNodeTests(output, ended);
  if (counts.failed === 0) return counts;
  const heading = counts.problem ? `${file}: ${counts.problem}` : `${file}:`;
  return { ...counts, details: `${heading}\n${excerpt(output)}` };
}

// All *.test.mjs files of a folder, two at a time: `first` before the others, since they take the
// longest, and `alone` one by one at the end, since they look at the clock or at the mouse.
async function nodeTests(stage, folder, { first = [], alone = [], env = process.env } = {}) {
  const files = filesUnder(folder, /\.test\.(mjs|js)$/);
  if (files.length === 0) return { passed: 0, failed: 1, details: `${folder} holds no test.` };
  const isOf = (names) => (file) => names.includes(basename(file).replace(/\.test\.\w+$/, ''));
  const [early, single] = [first, alone].map((names) => files.filter(isOf(names)));
  const rest = files.filter((file) => !early.includes(file) && !single.includes(file));
  const test = (file) => oneNodeTestFile(stage, file, env);
  const results = [
    ...(await abreast(2, [...early, ...rest], test)),
    ...(await abreast(1, single, test)),
  ];
  const details = results
    .map((result) => result.details)
    .filter(Boolean)
    .join('\n\n');
  return { ...addCounts(results), details: details || undefined };
}

// A target is a test that passes when nothing is found.
async function fuzzTests() {
  const found = [];
  for (const { name, fuzz } of fuzzTargets()) found.push({ name, ...(await fuzz({})) });
  const bad = found.filter(({ findings }) => findings > 0);
  const executions = found.reduce((sum, one) => sum + one.executions, 0);
  return {
    passed: found.length - bad.length,
    failed: bad.length,
    note: `${executions} executions`,
    details: bad.map(({ name, details }) => `${name}:\n${details}`).join('\n\n') || undefined,
  };
}

function browserTests() {
  const { chromium, firefox } = findBrowsers();
  return nodeTests('browser', 'tests/browser', {
    first: ['controls', 'agreement', 'access'],
    alone: ['light', 'pointer', 'sweep', 'sweep-large'],
    env: { ...process.env, CHROMIUM: chromium, FIREFOX: firefox },
  });
}

// needs: what must be set up first; build: what must be built first, each shown as its own step.
export const stages = [
  ...lintStages,
  ...['native', 'asan'].map((name) => ({
    name,
    needs: ['toolchain'],
    build: () => compile(name),
    run: () => nativeDoctest(name),
  })),
  {
    name: 'wasm-simd',
    needs: ['toolchain'],
    build: () => compile('wasm-simd'),
    run: () => wasmDoctest('wasm-simd', []),
  },
  {
    name: 'wasm-relaxed',
    needs: ['toolchain'],
    build: () => compile('wasm-relaxed'),
    run: () => wasmDoctest('wasm-relaxed', relaxedSimdFlags()),
  },
  {
    name: 'lib',
    needs: ['toolchain', 'npm', 'redis'],
    // The library's numbers are compared with the native program's.
    build: async () => {
      await buildDist();
      await compile('native', ['attnlab_fingerprint', 'attnlab_accuracy']);
    },
    run: () => nodeTests('lib', 'tests/lib'),
  },
  {
    name: 'fuzz',
    needs: ['toolchain', 'npm'],
    build: async () => {
      await compile('asan', ['attnlab_fuzz']);
      await buildDist();
    },
    run: fuzzTests,
  },
  {
    name: 'browser',
    needs: ['toolchain', 'npm', 'browsers'],
    build: buildDist,
    run: browserTests,
  },
];
