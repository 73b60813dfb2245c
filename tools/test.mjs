// npm test: sets up what is missing, builds, and runs every stage (test-stages.mjs, in that order).
//   npm test -- --only native,lib     only these; `lint` stands for its four stages
// The last line counts over all suites: 'N passed, M failed'.
import { relative } from 'node:path';
import { parseArgs } from 'node:util';
import { prepareBrowsers } from './browsers.mjs';
import { Failure, runMain } from './failure.mjs';
import { prepareNpmPackages } from './npm-packages.mjs';
import { project } from './paths.mjs';
import { prepareRedis } from './redis.mjs';
import { say, step } from './step.mjs';
import { addCounts } from './test-counts.mjs';
import { stages } from './test-stages.mjs';
import { prepareToolchain } from './toolchain.mjs';

const prepare = {
  toolchain: prepareToolchain,
  npm: prepareNpmPackages,
  redis: prepareRedis,
  browsers: prepareBrowsers,
};

function chosenStages(argv) {
  let only;
  try {
    only = parseArgs({ args: argv, options: { only: { type: 'string' } } }).values.only;
  } catch (error) {
    throw new Failure(`${error.message}\nusage: npm test [-- --only STAGE,STAGE…]`);
  }
  if (only === undefined) return stages;
  const names = only.split(',').map((name) => name.trim());
  for (const name of names) {
    if (stages.some((stage) => stage.name === name || stage.group === name)) continue;
    const known = ['lint', ...stages.map((stage) => stage.name)].join(', ');
    throw new Failure(`There is no stage '${name}'. Stages: ${known}.`);
  }
  return stages.filter(({ name, group }) => names.includes(name) || names.includes(group));
}

const problems = new Map();
// Sets up or builds once; a failure is told in full once, and in a line to whoever else needs it.
async function once(key, action) {
  if (!problems.has(key)) {
    problems.set(key, null);
    try {
      await action();
    } catch (error) {
      const text = error instanceof Failure ? error.message : error.stack;
      problems.set(key, text.split('\n')[0]);
      say(text);
    }
  }
  return problems.get(key);
}

async function runStage(stage) {
  for (const need of stage.needs) {
    const problem = await once(need, prepare[need]);
    if (problem) return { passed: 0, failed: 1, details: problem };
  }
  if (stage.build) {
    const problem = await once(stage.build, stage.build);
    if (problem) return { passed: 0, failed: 1, details: problem };
  }
  return step(`Test ${stage.name}`, async () => {
    const result = await stage.run();
    const numbers = `${result.passed} passed, ${result.failed} failed`;
    const skipped = result.skipped > 0 ? `, ${result.skipped} skipped` : '';
    return { ...result, note: [numbers + skipped, result.note].filter(Boolean).join('; ') };
  });
}

function report(name, { failed, problem, details, log }) {
  if (failed === 0) return;
  const head = `${name} failed${problem ? `: ${problem}` : ''}`;
  const tail = log ? `Full output: ${relative(project, log)}` : '';
  say([head, details?.replace(/^/gm, '    '), tail].filter(Boolean).join('\n'));
}

await runMain(async () => {
  const chosen = chosenStages(process.argv.slice(2));
  const results = [];
  for (const stage of chosen) {
    let result;
    try {
      result = await runStage(stage);
    } catch (error) {
      if (error.code === 'ENOSPC') throw error;
      result = {
        passed: 0,
        failed: 1,
        details: error instanceof Failure ? error.message : error.stack,
      };
    }
    report(stage.name, result);
    results.push(result);
  }
  const { passed, failed } = addCounts(results);
  console.log(`${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
});
