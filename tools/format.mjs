// npm run format: writes every file as the formatters want it (.clang-format, .prettierrc).
import { join } from 'node:path';
import { inToolchain } from './compile.mjs';
import { Failure, runMain } from './failure.mjs';
import { prepareNpmPackages } from './npm-packages.mjs';
import { logFolder, project } from './paths.mjs';
import { run } from './run.mjs';
import { cppFiles } from './source-files.mjs';
import { step } from './step.mjs';
import { prepareToolchain } from './toolchain.mjs';

const log = join(logFolder, 'format.log');

async function mustSucceed(what, running) {
  if ((await running).code !== 0) throw new Failure(`${what} failed.`, { log });
}

await runMain(async () => {
  await prepareToolchain();
  await prepareNpmPackages();
  await step('clang-format', () =>
    mustSucceed('clang-format', inToolchain(['clang-format', '-i', ...cppFiles()], { log })),
  );
  const prettier = join(project, 'node_modules/prettier/bin/prettier.cjs');
  const args = [prettier, '--log-level', 'warn', '--write', '.'];
  await step('prettier', () =>
    mustSucceed('prettier', run(process.execPath, args, { cwd: project, log, append: true })),
  );
});
