// npm run bench: AttnLab and its peers side by side. Writes build/bench/bench.md and bench.json.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runMain } from '../../tools/failure.mjs';
import { buildFolder } from '../../tools/paths.mjs';
import { step } from '../../tools/step.mjs';
import { cases } from './cases/index.mjs';
import { compareInstructions, countInstructions } from './instructions.mjs';
import { machine } from './machine.mjs';
import { modes } from './modes.mjs';
import { runInNode } from './node_process.mjs';
import { choose, readOptions } from './options.mjs';
import { prepare } from './prepare.mjs';
import { markdown } from './report.mjs';

const folder = join(buildFolder, 'bench');

function write(report) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'bench.json'), `${JSON.stringify(report, null, 2)}\n`);
  writeFileSync(join(folder, 'bench.md'), markdown(report));
}

// Which modes a case is run in: most in Node's alone, some in the simd build alone.
function modesOf(theCase, chosen) {
  return chosen.filter(
    (mode) =>
      (!mode.browser || theCase.everywhere) &&
      (!theCase.modes || theCase.modes.includes(mode.name)),
  );
}

// puppeteer and esbuild are there once `prepare` has run, and not before.
async function runIn(mode, theCase, options) {
  if (!mode.browser) return runInNode(theCase, mode, options);
  const { runInBrowser } = await import('./browser_page.mjs');
  return runInBrowser(theCase, mode, options);
}

// Counts, not times: in no mode.
const instructions = {
  name: 'instructions',
  title: 'Instructions of native kernels, against the recorded counts',
};

async function countAll() {
  try {
    return compareInstructions(await countInstructions());
  } catch (error) {
    return [{ name: 'valgrind', error: error.message }];
  }
}

async function* sections(options) {
  const chosen = choose(modes, options.modes, 'mode');
  const wanted = choose([...cases, instructions], options.only, 'case');
  if (wanted.some((each) => each !== instructions)) await prepare();
  for (const theCase of wanted) {
    const { name, title } = theCase;
    if (theCase === instructions) {
      yield { case: name, title, mode: 'native', results: await countAll() };
      continue;
    }
    for (const mode of modesOf(theCase, chosen)) {
      const results = await step(`${title}, ${mode.title}`, () => runIn(mode, theCase, options));
      yield { case: name, title, mode: mode.title, results };
    }
  }
}

await runMain(async () => {
  const options = readOptions(process.argv.slice(2));
  const report = { machine: machine(), quick: options.quick, sections: [] };
  for await (const section of sections(options)) {
    report.sections.push(section);
    // Written as it grows, so that a run that is stopped has not been for nothing.
    write(report);
  }
  process.stdout.write(`\n${markdown(report)}\nWritten to build/bench/bench.md and bench.json.\n`);
});
