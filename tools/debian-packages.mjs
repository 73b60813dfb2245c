// What the project's own toolchain is made of, when the machine has none: packages of Debian 13,
// unpacked into one folder that then serves as a small root (see debian-root.mjs).

export const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg';

const rootRecipe = ({ name, suite, llvm, gcc, ...sizes }) => ({
  name,
  suite,
  packages: [
    // A shell and the plain commands that build tools call.
    ...['base-files', 'bash', 'coreutils', 'dash', 'diffutils', 'findutils', 'grep', 'sed'],
    // WebAssembly.
    'emscripten',
    // Native builds, the sanitizers, formatting and static analysis.
    ...[
      `clang-${llvm}`,
      `lld-${llvm}`,
      `libclang-rt-${llvm}-dev`,
      `libstdc++-${gcc}-dev`,
      'libc6-dev',
      'binutils',
    ],
    ...[`clang-format-${llvm}`, `clang-tidy-${llvm}`],
    ...['cmake', 'ninja-build'],
    // Libraries: headers only.
    ...['libeigen3-dev', 'doctest-dev', 'nlohmann-json3-dev'],
  ],
  // Not unpacked. Emscripten comes with every system library in 14 variants; of these the plain
  // ones stay, and Emscripten builds another one itself should a flag ask for it.
  exclude: [
    ...['lto', 'lto-pic', 'pic'].map(
      (name) => `./usr/share/emscripten/cache/sysroot/lib/*/${name}`,
    ),
    './usr/share/emscripten/cache/sysroot/lib/*-ww*',
    './usr/share/emscripten/cache/sysroot/lib/*/lib*asan*',
    './usr/share/emscripten/cache/sysroot/lib/*/libwasmfs*',
    './usr/share/emscripten/test',
    './usr/share/cmake-*/Help',
    './usr/share/nodejs/corepack',
    ...['doc', 'man', 'locale', 'info', 'lintian', 'zoneinfo', 'bug'].map(
      (name) => `./usr/share/${name}`,
    ),
    './usr/lib32',
    './usr/lib/*/gconv',
    `./usr/lib/llvm-${llvm}/bin/llvm-exegesis`,
    `./usr/lib/llvm-${llvm}/bin/c-index-test`,
  ],
  // Names that Debian leaves to its alternatives or to versioned packages; and the libraries'
  // headers alone, since -isystem /usr/include would bring glibc into WebAssembly builds.
  links: {
    ...Object.fromEntries(
      Object.entries({
        clang: `clang-${llvm}`,
        'clang++': `clang++-${llvm}`,
        cc: `clang-${llvm}`,
        'c++': `clang++-${llvm}`,
        'ld.lld': `ld.lld-${llvm}`,
        'clang-format': `clang-format-${llvm}`,
        'clang-tidy': `clang-tidy-${llvm}`,
        awk: 'mawk',
        which: 'which.debianutils',
      }).map(([name, to]) => [`usr/local/bin/${name}`, `/usr/bin/${to}`]),
    ),
    ...Object.fromEntries(
      ['eigen3', 'doctest', 'nlohmann'].map((name) => [
        `opt/headers/include/${name}`,
        `/usr/include/${name}`,
      ]),
    ),
  },
  ...sizes,
});

// The one that everything is built and tested with.
export const fullRoot = rootRecipe({
  name: 'root',
  suite: 'trixie',
  llvm: 19,
  gcc: 14,
  downloadMegabytes: 440,
  diskMegabytes: 1100,
});

// The current Emscripten (6.x), from the Debian release in the making, to see early what it breaks:
// ATTNLAB_TOOLCHAIN=debian-next. It brings no system libraries; the first build makes them.
export const nextRoot = rootRecipe({
  name: 'root-next',
  suite: 'forky',
  llvm: 21,
  gcc: 15,
  downloadMegabytes: 250,
  diskMegabytes: 1100,
});

// For a machine with its own Emscripten and compiler, but without the libraries' headers.
export const headersOnly = {
  name: 'headers',
  suite: 'trixie',
  packages: ['libeigen3-dev', 'doctest-dev', 'nlohmann-json3-dev'],
  headersOnly: true, // not what they depend on
  exclude: ['./usr/share/doc'],
  links: {},
  downloadMegabytes: 2,
  diskMegabytes: 20,
};

// For the tests of queues, on a machine without Redis.
export const redisRoot = {
  name: 'redis',
  title: 'Redis',
  suite: 'trixie',
  packages: ['redis-server'],
  exclude: [
    ...['doc', 'man', 'locale', 'info', 'lintian', 'zoneinfo', 'bug', 'perl', 'perl5'].map(
      (name) => `./usr/share/${name}`,
    ),
    './usr/lib/*/gconv',
    './usr/lib/*/perl*',
  ],
  links: {},
  downloadMegabytes: 15,
  diskMegabytes: 60,
};
