// What the project's own toolchain is made of, when the machine has none: packages of Debian 13,
// unpacked into one folder that then serves as a small root (see debian-root.mjs).

export const suite = 'trixie';
export const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg';

export const fullRoot = {
  name: 'root',
  packages: [
    // A shell and the plain commands that build tools call.
    ...['base-files', 'bash', 'coreutils', 'dash', 'diffutils', 'findutils', 'grep', 'sed'],
    // WebAssembly.
    'emscripten',
    // Native builds, the sanitizers, formatting and static analysis.
    ...['clang-19', 'lld-19', 'libclang-rt-19-dev', 'libstdc++-14-dev', 'libc6-dev', 'binutils'],
    ...['clang-format-19', 'clang-tidy-19'],
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
    './usr/lib/llvm-19/bin/llvm-exegesis',
    './usr/lib/llvm-19/bin/c-index-test',
  ],
  // Names that Debian leaves to its alternatives or to versioned packages; and the libraries'
  // headers alone, since -isystem /usr/include would bring glibc into WebAssembly builds.
  links: {
    ...Object.fromEntries(
      Object.entries({
        clang: 'clang-19',
        'clang++': 'clang++-19',
        cc: 'clang-19',
        'c++': 'clang++-19',
        'ld.lld': 'ld.lld-19',
        'clang-format': 'clang-format-19',
        'clang-tidy': 'clang-tidy-19',
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
  probe: ['emcc', '--version'],
  downloadMegabytes: 440,
  diskMegabytes: 1100,
};

// For a machine with its own Emscripten and compiler, but without the libraries' headers.
export const headersOnly = {
  name: 'headers',
  packages: ['libeigen3-dev', 'doctest-dev', 'nlohmann-json3-dev'],
  only: /^(libeigen3-dev|doctest-dev|nlohmann-json3-dev)_/,
  exclude: ['./usr/share/doc'],
  links: {},
  probe: null,
  downloadMegabytes: 2,
  diskMegabytes: 20,
};
