// Looks for Emscripten on PATH or under $EMSDK, with all that must stand beside it.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { headersOnly } from './debian-packages.mjs';
import { debianMirrors, folderOf, isComplete, makeDebianRoot } from './debian-root.mjs';
import { withLock } from './lock.mjs';
import { toolchainFolder } from './paths.mjs';
import { findVersion, isAtLeast } from './version.mjs';

// Older releases lack --emit-tsd, the final relaxed-SIMD opcodes and working ES modules in Node.
export const minimumEmscripten = '3.1.69';
const minimumCmake = '3.25';

const headers = ['eigen3/Eigen/Core', 'doctest/doctest.h', 'nlohmann/json.hpp'];

function versionOf(program, env) {
  const result = spawnSync(program, ['--version'], { env, encoding: 'utf8', timeout: 60_000 });
  return result.status === 0 ? findVersion(result.stdout) : null;
}

function withEmsdkOnPath() {
  const { EMSDK, PATH = '' } = process.env;
  if (!EMSDK) return { PATH };
  return { PATH: [PATH, join(EMSDK, 'upstream/emscripten'), EMSDK].join(delimiter) };
}

// Folders that CMake searches for headers beside the system's own.
async function prefixWithHeaders() {
  const prefixes = [
    ...(process.env.CMAKE_PREFIX_PATH ?? '').split(delimiter).filter(Boolean),
    '/usr',
    '/usr/local',
  ];
  const has = (prefix, header) => existsSync(join(prefix, 'include', header));
  if (headers.every((header) => prefixes.some((prefix) => has(prefix, header)))) {
    return process.env.CMAKE_PREFIX_PATH ?? '';
  }
  if (!isComplete(headersOnly)) {
    const mirrors = debianMirrors();
    if (mirrors.length === 0) return null;
    await withLock(join(toolchainFolder, 'lock'), async () => {
      if (!isComplete(headersOnly)) await makeDebianRoot(headersOnly, mirrors);
    });
  }
  return [process.env.CMAKE_PREFIX_PATH, join(folderOf(headersOnly), 'usr')]
    .filter(Boolean)
    .join(delimiter);
}

// → { usable: true, env } or { usable: false, problem? }. problem is absent where there is simply
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
  if (prefix) env.CMAKE_PREFIX_PATH = prefix;
  return { usable: true, env };
}
