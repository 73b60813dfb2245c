// What is fuzzed: the C++ targets of tests/fuzz (one program, a file a target) under libFuzzer and
// the sanitizers, and the node:test files of tests/fuzz/web. One budget or the other is given to
// each: a fixed number of inputs, or seconds.
import { mkdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { inToolchain } from './compile.mjs';
import { buildFolder, logFolder, project } from './paths.mjs';
import { run } from './run.mjs';
import { filesUnder } from './source-files.mjs';
import { countNodeTests, excerpt } from './test-counts.mjs';

const program = 'build/asan/tests/fuzz/attnlab_fuzz';

// Inputs of a test: some three seconds each.
const runs = {
  attention: 1500,
  attention_gradient: 1500,
  experiments: 30,
  measure: 2000,
  mhla_certificate: 2000,
  mhla_fit: 1500,
  mhla_model: 2000,
  needle_evolution: 100,
  needle_predictor: 4000,
  needle_proximal: 3000,
  needle_risk: 100,
  parameters: 1500,
  regression: 1000,
  special: 3000,
  surrogates: 3000,
  texts: 800,
};

function coreTargets() {
  const files = filesUnder('tests/fuzz', /\.cpp$/);
  return files
    .filter((file) => readFileSync(join(project, file), 'utf8').includes('const Target kTarget('))
    .map((file) => basename(file, '.cpp'));
}

// libFuzzer's last words: how many inputs, and what stopped it.
export function readLibFuzzer(output, { code, timedOut }) {
  const executions = Number(/^stat::number_of_executed_units:\s*(\d+)/m.exec(output)?.[1] ?? 0);
  if (code === 0 && !timedOut) return { executions, findings: 0 };
  const said = [
    ...output.matchAll(/^(?:FINDING: .*|SUMMARY: .*|.*runtime error: .*|ALARM: .*)$/gm),
  ];
  const what = said.map(([line]) => line.slice(0, 300)).slice(0, 3);
  return { executions, findings: 1, details: what.join('\n') || excerpt(output, 20) };
}

// budget: { runs: true } or { seconds }. → { executions, findings, details?, log }
async function fuzzCore(name, budget) {
  const folder = join(buildFolder, 'fuzz', name);
  const corpus = join(folder, 'corpus');
  mkdirSync(corpus, { recursive: true });
  const log = join(logFolder, `fuzz-${name}.log`);
  // A corpus is kept for the long runs alone: a test's inputs depend on nothing but the program.
  const how = budget.seconds
    ? [`-max_total_time=${Math.ceil(budget.seconds)}`, corpus]
    : [`-runs=${runs[name]}`, '-seed=20261130'];
  // Long inputs from the start: a short one reads as zeros from its end on.
  const sizes = ['-max_len=1024', '-len_control=0'];
  const limits = [...sizes, '-timeout=120', '-rss_limit_mb=3000', '-malloc_limit_mb=1500'];
  const argv = [program, ...how, ...limits, '-print_final_stats=1', `-artifact_prefix=${folder}/`];
  const env = { ATTNLAB_FUZZ_TARGET: name };
  const timeout = (budget.seconds ?? 0) + 600;
  const ended = await inToolchain(argv, { log, env, timeout });
  return { ...readLibFuzzer(readFileSync(log, 'utf8'), ended), log };
}

async function fuzzWeb(file, budget) {
  const log = join(logFolder, `fuzz-web-${basename(file, '.test.mjs')}.log`);
  const path = join(project, file);
  const properties = readFileSync(path, 'utf8').match(/^fuzz\($/gm)?.length ?? 1;
  const seconds = budget.seconds
    ? { ATTNLAB_FUZZ_SECONDS: String(budget.seconds / properties) }
    : {};
  const env = { ...process.env, ...seconds };
  const timeout = (budget.seconds ?? 0) + 600;
  const args = ['--test-reporter=tap', path];
  const ended = await run(process.execPath, args, { cwd: project, env, log, timeout });
  const output = readFileSync(log, 'utf8');
  const { failed } = countNodeTests(output, ended);
  const counts = [...output.matchAll(/^# (\d+) executions$/gm)].map(([, count]) => Number(count));
  const executions = counts.reduce((sum, count) => sum + count, 0);
  const details = failed > 0 ? excerpt(output) : undefined;
  return { executions, findings: failed, details, log };
}

// → [{ name, fuzz(budget) }]
export function fuzzTargets() {
  const core = coreTargets();
  const missing = core.filter((name) => !Object.hasOwn(runs, name));
  if (missing.length > 0) throw new Error(`tools/fuzz-targets.mjs: no runs for ${missing}`);
  const web = filesUnder('tests/fuzz/web', /\.test\.mjs$/);
  return [
    ...core.map((name) => ({ name, fuzz: (budget) => fuzzCore(name, budget) })),
    ...web.map((file) => ({
      name: `web/${basename(file, '.test.mjs')}`,
      fuzz: (budget) => fuzzWeb(file, budget),
    })),
  ];
}
