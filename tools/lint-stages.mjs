// The stages that read the sources without running them. Each counts as one test.
import { join } from 'node:path';
import { compile, inToolchain } from './compile.mjs';
import { logFolder, project } from './paths.mjs';
import { run, tailOf } from './run.mjs';
import { cppFiles } from './source-files.mjs';
import { tidy } from './tidy.mjs';

const logOf = (name) => join(logFolder, `${name}.log`);
const npmProgram = (path) => join(project, 'node_modules', path);

function verdict(ok, details, log, note) {
  return ok ? { passed: 1, failed: 0, note } : { passed: 0, failed: 1, details, log, note };
}

async function oneProgram(name, running) {
  const { code } = await running;
  const log = logOf(name);
  return verdict(code === 0, tailOf(log), log);
}

async function formatCpp() {
  const files = cppFiles();
  const argv = ['clang-format', '--dry-run', '-Werror', ...files];
  return oneProgram('format-cpp', inToolchain(argv, { log: logOf('format-cpp') }));
}

async function formatWeb() {
  const args = [npmProgram('prettier/bin/prettier.cjs'), '--check', '.'];
  return oneProgram(
    'format-web',
    run(process.execPath, args, { cwd: project, log: logOf('format-web') }),
  );
}

async function runTidy() {
  const log = logOf('tidy');
  const { checked, problems } = await tidy(log);
  const note = `${checked} changed files`;
  return verdict(problems.length === 0, problems.join('\n\n').slice(0, 6000), undefined, note);
}

async function typecheck() {
  const log = logOf('typecheck');
  for (const folder of ['.', 'web/lib']) {
    const file = join(project, folder, 'tsconfig.json');
    const args = [npmProgram('typescript/bin/tsc'), '--noEmit', '-p', file];
    const { code } = await run(process.execPath, args, { cwd: project, log });
    if (code !== 0) return verdict(false, tailOf(log), log);
  }
  return verdict(true);
}

export const lintStages = [
  { name: 'format-cpp', group: 'lint', needs: ['toolchain'], run: formatCpp },
  { name: 'format-web', group: 'lint', needs: ['npm'], run: formatWeb },
  {
    name: 'tidy',
    group: 'lint',
    needs: ['toolchain'],
    build: () => compile('native', ['attnlab_core', 'attnlab_experiments']),
    run: runTidy,
  },
  { name: 'typecheck', group: 'lint', needs: ['npm'], run: typecheck },
];
