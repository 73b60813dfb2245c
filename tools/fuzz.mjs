// npm run fuzz: every target for its share of the time, one after the other; prints executions and
// findings. An input that shows a fault of the core is kept in build/fuzz/NAME.
//   npm run fuzz -- --minutes 30                    10 without it
//   npm run fuzz -- --only attention,web/readers    only these
import { parseArgs } from 'node:util';
import { buildDist } from './build.mjs';
import { compile } from './compile.mjs';
import { Failure, runMain } from './failure.mjs';
import { fuzzTargets } from './fuzz-targets.mjs';
import { prepareNpmPackages } from './npm-packages.mjs';
import { say, step } from './step.mjs';
import { prepareToolchain } from './toolchain.mjs';

const usage = 'usage: npm run fuzz [-- [--minutes N] [--only TARGET,TARGET…]]';

function readArguments(argv) {
  const options = { minutes: { type: 'string', default: '10' }, only: { type: 'string' } };
  let values;
  try {
    values = parseArgs({ args: argv, options }).values;
  } catch (error) {
    throw new Failure(`${error.message}\n${usage}`);
  }
  const minutes = Number(values.minutes);
  if (!(minutes > 0 && minutes < 100_000)) {
    throw new Failure(`--minutes is '${values.minutes}'; a number above 0 is expected\n${usage}`);
  }
  const all = fuzzTargets();
  const names = values.only?.split(',').map((name) => name.trim());
  const unknown = names?.find((name) => !all.some((target) => target.name === name));
  if (unknown !== undefined) {
    const known = all.map(({ name }) => name).join(', ');
    throw new Failure(`There is no target '${unknown}'. Targets: ${known}.`);
  }
  return { minutes, targets: names ? all.filter(({ name }) => names.includes(name)) : all };
}

await runMain(async () => {
  const { minutes, targets } = readArguments(process.argv.slice(2));
  await prepareToolchain();
  await prepareNpmPackages();
  await compile('asan', ['attnlab_fuzz']);
  await buildDist();
  const seconds = (minutes * 60) / targets.length;
  let [executions, findings] = [0, 0];
  for (const { name, fuzz } of targets) {
    const result = await step(`Fuzz ${name}`, async () => {
      const found = await fuzz({ seconds });
      return { ...found, note: `${found.executions} executions, ${found.findings} findings` };
    });
    if (result.details) say(result.details.replace(/^/gm, '    '));
    executions += result.executions;
    findings += result.findings;
  }
  console.log(`${executions} executions, ${findings} findings`);
  return findings === 0 ? 0 : 1;
});
