// The gate on instruction counts: kernels built natively are run under valgrind's callgrind, and
// their counts held against the recorded ones (instructions.json), with 3 % slack. Counts do not
// depend on how busy a machine is. They do depend on the compiler: another one's are not compared.
//
//   node tests/bench/instructions.mjs             compare
//   node tests/bench/instructions.mjs --record    write instructions.json anew
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compile } from '../../tools/compile.mjs';
import { Failure, isMain, runMain } from '../../tools/failure.mjs';
import { buildFolder, project } from '../../tools/paths.mjs';

const slack = 0.03;
const recordFile = join(project, 'tests/bench/instructions.json');
const program = join(buildFolder, 'native/tests/bench/bench_counted');

// Small: valgrind is some fifty times slower than the machine.
const works = [
  ['forward-f32', 256, 16],
  ['forward-f32', 256, 64],
  ['forward-f64', 256, 16],
  ['forward-f64', 256, 64],
  ['gradient-f32', 192, 16],
  ['gradient-f64', 192, 16],
  ['linear-f32', 1024, 16],
  ['linear-f64', 1024, 16],
  ['gaussians', 65536, 0],
  ['gram', 256, 6],
  ['needle-gradient', 4, 1000],
];

function requireValgrind() {
  if (spawnSync('valgrind', ['--version']).status === 0) return;
  throw new Failure(
    'The gate on instruction counts needs valgrind, which is not on the PATH:\n' +
      '    apt-get install -y valgrind',
  );
}

function count(work) {
  const args = [
    '--tool=callgrind',
    '--callgrind-out-file=/dev/null',
    '--toggle-collect=run_counted',
    program,
    ...work.map(String),
  ];
  const { status, stderr } = spawnSync('valgrind', args, { encoding: 'utf8' });
  const found = /Collected : (\d+)/.exec(stderr);
  if (status !== 0 || !found) throw new Failure(`valgrind failed:\n${stderr.slice(-2000)}`);
  return Number(found[1]);
}

// "version, …, compiler, variant, flags" without what changes with every commit.
function compilerOf() {
  const header = join(buildFolder, 'native/generated/attnlab/provenance.h');
  const [, line] = /"(attnlab [^"]*)"/.exec(readFileSync(header, 'utf8')) ?? [];
  return line?.split(', ').slice(2).join(', ') ?? 'unknown';
}

const nameOf = (work) => work.filter((each) => each !== 0).join(' ');

// → results as the table takes them.
export async function countInstructions() {
  requireValgrind();
  await compile('native', ['bench_counted']);
  const counts = Object.fromEntries(works.map((work) => [nameOf(work), count(work)]));
  mkdirSync(join(buildFolder, 'bench'), { recursive: true });
  const report = { compiler: compilerOf(), counts };
  writeFileSync(
    join(buildFolder, 'bench/instructions.json'),
    `${JSON.stringify(report, null, 2)}\n`,
  );
  return report;
}

// → [{ name, value: count over the recorded one, target }], or one error where nothing compares.
export function compareInstructions({ compiler, counts }) {
  if (!existsSync(recordFile)) return [{ name: 'instructions.json', error: 'is not there' }];
  const recorded = JSON.parse(readFileSync(recordFile, 'utf8'));
  if (recorded.compiler !== compiler) {
    const why = `recorded with "${recorded.compiler}", built with "${compiler}": not compared`;
    return [{ name: 'instructions.json', error: why }];
  }
  return Object.entries(counts).map(([name, counted]) => {
    const before = recorded.counts[name];
    if (!before) return { name, error: 'has no recorded count' };
    const unit = `of ${before.toLocaleString('en')}`;
    return { name, value: counted / before, unit, target: { atMost: 1 + slack } };
  });
}

if (isMain(import.meta.url)) {
  await runMain(async () => {
    const report = await countInstructions();
    if (process.argv.includes('--record')) {
      writeFileSync(recordFile, `${JSON.stringify(report, null, 2)}\n`);
      process.stdout.write('Recorded in tests/bench/instructions.json.\n');
      return 0;
    }
    const results = compareInstructions(report);
    let failed = 0;
    for (const { name, value, unit, error } of results) {
      const bad = error !== undefined || value > 1 + slack;
      failed += bad;
      const what = error ?? `${value.toFixed(4)} ${unit}`;
      process.stdout.write(`${bad ? 'WORSE' : 'ok   '} ${name}: ${what}\n`);
    }
    return failed > 0 ? 1 : 0;
  });
}
