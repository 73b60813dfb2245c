// Finds or makes the compilers, and runs commands with them.
//
//   node tools/toolchain.mjs                      set it up if need be, say which one it is
//   node tools/toolchain.mjs exec -- COMMAND …    run a command in it (current folder kept)
//
// In this order: (1) Emscripten on PATH or under $EMSDK, with the machine's CMake, Ninja and C++
// compiler; (2) Debian 13's packages, unpacked into .toolchain/ (debian-root.mjs); (3) a message
// that says how to get Emscripten. ATTNLAB_TOOLCHAIN=host or =debian forces (1) or
// (2); =debian-next takes the current Emscripten from the next Debian.
import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fullRoot, nextRoot } from './debian-packages.mjs';
import { debianMirrors, folderOf, identityOf, isComplete, makeDebianRoot } from './debian-root.mjs';
import { Failure, isMain, runMain } from './failure.mjs';
import { findHostToolchain, minimumEmscripten } from './host-toolchain.mjs';
import { withLock } from './lock.mjs';
import { project, toolchainFolder } from './paths.mjs';
import { say } from './step.mjs';
import { findVersion, isAtLeast } from './version.mjs';

const emscriptenPath = join(project, 'tools/emscripten-path');

// What reaches a command inside the root, besides a fixed PATH: settings of the tools we run.
const passed =
  /^(CI|TERM|NO_COLOR|FORCE_COLOR|SOURCE_DATE_EPOCH|(ATTNLAB|ASAN|UBSAN|LSAN|NINJA|CMAKE|EMCC|EM|DOCTEST)_.*)$/;

function rootEnvironment() {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => passed.test(name)));
  return {
    // The packaged cache lies in the project: Emscripten may add to it.
    EM_CACHE: '/usr/share/emscripten/cache',
    EM_FROZEN_CACHE: '',
    ...env,
    PATH: `${emscriptenPath}:/usr/local/bin:/usr/bin:/bin:${join(project, 'node_modules/.bin')}`,
    HOME: '/root',
    LANG: 'C.UTF-8',
    CMAKE_PREFIX_PATH: '/opt/headers',
    CC: 'clang',
    CXX: 'clang++',
    ATTNLAB_COMMIT: currentCommit(),
  };
}

let commit;
// Inside the root there is no git: the commit is told by the environment.
function currentCommit() {
  commit ??=
    spawnSync('git', ['-C', project, 'rev-parse', '--short=12', 'HEAD'], {
      encoding: 'utf8',
    }).stdout?.trim() || 'unknown';
  return process.env.ATTNLAB_COMMIT ?? commit;
}

let unshareFlags;
// Root usually may mount as it is; everyone else needs a user namespace.
function findUnshareFlags() {
  const ways =
    process.getuid() === 0
      ? [['--mount'], ['--mount', '--map-root-user']]
      : [['--mount', '--map-root-user']];
  unshareFlags ??= ways.find((flags) => spawnSync('unshare', [...flags, 'true']).status === 0);
  if (unshareFlags) return unshareFlags;
  throw new Failure(
    'This machine does not let this user make a mount namespace (unshare), which the unpacked\n' +
      'toolchain needs. Ask for user namespaces to be allowed, or bring your own compilers:\n' +
      howToGetEmscripten,
  );
}

const howToGetEmscripten = [
  `Emscripten ${minimumEmscripten} or newer, CMake 3.25, Ninja and a C++20 compiler are needed. For Emscripten:`,
  '    git clone https://github.com/emscripten-core/emsdk.git',
  '    cd emsdk && ./emsdk install latest && ./emsdk activate latest && . ./emsdk_env.sh',
  'then run the same command again.',
].join('\n');

function rootToolchain(recipe, root = folderOf(recipe)) {
  return {
    name: `packages of Debian ${recipe.suite} in .toolchain/${recipe.name}`,
    identity: identityOf(recipe),
    // How to start a command: { file, args, env, cwd }, ready for spawn.
    command(argv, { cwd = process.cwd(), env = {} } = {}) {
      const enter = join(project, 'tools/enter-root.sh');
      const args = [...findUnshareFlags(), 'sh', enter, root, project, cwd, ...argv];
      return { file: 'unshare', args, env: { ...rootEnvironment(), ...env }, cwd: project };
    },
  };
}

function hostToolchain(found) {
  return {
    name: `Emscripten ${found.version} of this machine`,
    identity: found.identity,
    command: ([file, ...args], { cwd = process.cwd(), env = {} } = {}) => ({
      file,
      args,
      cwd,
      env: {
        ...process.env,
        ATTNLAB_COMMIT: currentCommit(),
        ...found.env,
        PATH: `${emscriptenPath}:${found.env.PATH}`,
        ...env,
      },
    }),
  };
}

// Runs the new root's emcc once, before the root gets its name.
async function checkRoot(recipe, root) {
  const { file, args, env } = rootToolchain(recipe, root).command(['emcc', '--version'], {
    cwd: '/',
  });
  const probe = spawnSync(file, args, { env, encoding: 'utf8' });
  if (probe.status === 0 && isAtLeast(findVersion(probe.stdout), minimumEmscripten)) return;
  throw new Failure(`The unpacked Emscripten does not run:\n${probe.stdout}${probe.stderr}`);
}

async function debianToolchain(recipe) {
  if (isComplete(recipe)) return rootToolchain(recipe);
  const mirrors = debianMirrors();
  if (mirrors.length === 0) throw new Failure(howToGetEmscripten);
  findUnshareFlags();
  await withLock(
    join(toolchainFolder, 'lock'),
    async () => {
      if (isComplete(recipe)) return;
      await makeDebianRoot(recipe, mirrors, (root) => checkRoot(recipe, root));
    },
    (pid) => say(`Another set-up (process ${pid}) is at work here: waiting for it.`),
  );
  return rootToolchain(recipe);
}

let ready;
// → the toolchain, set up if need be. The same one for the whole process.
export function prepareToolchain() {
  ready ??= (async () => {
    const wish = process.env.ATTNLAB_TOOLCHAIN;
    if (wish === 'debian') return debianToolchain(fullRoot);
    if (wish === 'debian-next') return debianToolchain(nextRoot);
    if (wish !== undefined && wish !== 'host') {
      throw new Failure(
        `ATTNLAB_TOOLCHAIN is '${wish}'; allowed are 'host', 'debian' and 'debian-next'.`,
      );
    }
    const found = await findHostToolchain();
    if (found.usable) return hostToolchain(found);
    const problem = found.problem ?? 'There is no Emscripten on PATH or under $EMSDK.';
    if (wish === 'host') throw new Failure(`${problem}\n${howToGetEmscripten}`);
    if (found.problem && !isComplete(fullRoot)) say(`${problem} Taking Debian's packages instead.`);
    return debianToolchain(fullRoot);
  })();
  return ready;
}

async function main() {
  const [verb, dashes, ...argv] = process.argv.slice(2);
  const isExec = verb === 'exec' && dashes === '--' && argv.length > 0;
  if (verb !== undefined && !isExec) {
    throw new Failure('usage: node tools/toolchain.mjs [exec -- COMMAND [ARGUMENT]...]');
  }
  const toolchain = await prepareToolchain();
  if (verb === undefined) {
    const { file, args, env, cwd } = toolchain.command(['emcc', '--version']);
    const version = findVersion(spawnSync(file, args, { env, cwd, encoding: 'utf8' }).stdout ?? '');
    console.log(`Emscripten ${version}: ${toolchain.name}`);
    return 0;
  }
  const { file, args, env, cwd } = toolchain.command(argv);
  const child = spawn(file, args, { env, cwd, stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.code === 'ENOENT' ? 127 : 126));
    child.once('exit', (code, signal) => resolve(code ?? (signal === 'SIGINT' ? 130 : 1)));
  });
}

if (isMain(import.meta.url)) await runMain(main);
