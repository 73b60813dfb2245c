// Looks for Emscripten on PATH or under $EMSDK, with all that must stand beside it.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { headersOnly } from './debian-packages.mjs';
import { debianMirrors, folderOf, isComplete, makeDebianRoot } from './debian-root.mjs';
import { withLock } from './lock.mjs';
import { toolchainFolder } from './paths.mjs';
import { findVersion, isAtLeast } from './version.mjs';

// Older releases lack --emit-tsd, the final relaxed-SIMD opcodes and working ES modules in Node.
export const minimumEmscripten = '3.1.69';
const minimumCmake = '3.25';

const libraries = [
  { folder: 'eigen3', header: 'eigen3/Eigen/Core' },
  { folder: 'doctest', header: 'doctest/doctest.h' },
  { folder: 'nlohmann', header: 'nlohmann/json.hpp' },
];

function versionOf(program, env) {
  const result = spawnSync(program, ['--version'], { env, encoding: 'utf8', timeout: 60_000 });
  return result.status === 0 ? findVersion(result.stdout) : null;
}

function withEmsdkOnPath() {
  const { EMSDK, PATH = '' } = process.env;
  if (!EMSDK) return { PATH };
  return { PATH: [PATH, join(EMSDK, 'upstream/emscripten'), EMSDK].join(delimiter) };
}

// Where a library's headers are: in $CMAKE_PREFIX_PATH, the system, or unpacked by us.
function findHeader(header, more = []) {
  const named = (process.env.CMAKE_PREFIX_PATH ?? '').split(delimiter).filter(Boolean);
  return [...named, '/usr/local', '/usr', ...more]
    .map((prefix) => join(prefix, 'include', header))
    .find((file) => existsSync(file));
}

// A prefix with nothing but the three libraries: -isystem /usr/include would bring the machine's
// C library into WebAssembly builds. → its path, or null where they cannot be had.
async function prefixWithHeaders() {
  let unpacked = [];
  if (!libraries.every(({ header }) => findHeader(header))) {
    const mirrors = debianMirrors();
    if (mirrors.length === 0) return null;
    await withLock(join(toolchainFolder, 'lock'), async () => {
      if (!isComplete(headersOnly)) await makeDebianRoot(headersOnly, mirrors);
    });
    unpacked = [join(folderOf(headersOnly), 'usr')];
  }
  const prefix = join(toolchainFolder, 'host-headers');
  mkdirSync(join(prefix, 'include'), { recursive: true });
  for (const { header, folder } of libraries) {
    const link = join(prefix, 'include', folder);
    const file = findHeader(header, unpacked);
    rmSync(link, { force: true });
    symlinkSync(file.slice(0, file.lastIndexOf(`/${folder}/`) + folder.length + 1), link);
  }
  return prefix;
}

// → { usable: true, env, version, identity } or { usable: false, problem? }. problem is absent where there is simply
// no Emscripten: that is the usual case and needs no words.
export async function findHostToolchain() {
  const env = withEmsdkOnPath();
  const whole = { ...process.env, ...env };
  const emcc = versionOf('emcc', whole);
  if (emcc === null) return { usable: false };
  const unusable = (text) => ({ usable: false, problem: text });
  if (!isAtLeast(emcc, minimumEmscripten)) {
    return unusable(`Emscripten ${emcc} on this machine is older than ${minimumEmscripten}.`);
  }
  if (!isAtLeast(versionOf('cmake', whole), minimumCmake)) {
    return unusable(`Emscripten ${emcc} is here, but not CMake ${minimumCmake} or newer.`);
  }
  for (const program of ['ninja', 'c++']) {
    if (versionOf(program, whole) === null) {
      return unusable(`Emscripten ${emcc} is here, but not ${program}.`);
    }
  }
  const prefix = await prefixWithHeaders();
  if (prefix === null) return unusable('Eigen, doctest or nlohmann-json headers are missing.');
  env.CMAKE_PREFIX_PATH = prefix;
  const identity = ['emcc', 'cmake', 'ninja', 'c++'].map((program) => versionOf(program, whole));
  return { usable: true, env, version: emcc, identity };
}
