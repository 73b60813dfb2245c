import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { load } from '../../dist/lib/index.js';
import { fullRoot } from '../../tools/debian-packages.mjs';
import { archivesFrom, identityOf, mirrorsFrom } from '../../tools/debian-root.mjs';
import { project } from '../../tools/paths.mjs';
import { relaxedSimdFlags } from '../../tools/relaxed-simd.mjs';
import { filesUnder } from '../../tools/source-files.mjs';
import { readDependencies } from '../../tools/tidy.mjs';

test('of the configured archives only main archives of Debian releases are mirrors', () => {
  const lines = [
    'https://packages.example/tool nodistro main',
    'https://mirror.example/debian/ bookworm main',
    'https://mirror.example/debian/ bookworm-updates main',
    'https://security.example/debian-security bookworm-security main',
    'https://other.example/debian/ bookworm contrib',
    'https://other.example/debian/ sid main',
    '',
  ];
  assert.deepEqual(mirrorsFrom(lines.join('\n')), [
    'https://mirror.example/debian/',
    'https://other.example/debian/',
  ]);
});

test('what apt would install is read as the names of its archives', () => {
  const simulation = [
    'NOTE: This is only a simulation!',
    'Inst gcc-14-base (14.2.0-19 Debian:13.5/stable [amd64]) []',
    'Inst libllvm19 (1:19.1.7-3+b1 Debian:13.5/stable [amd64])',
    'Inst emscripten (3.1.69+dfsg-3 Debian:13.5/stable [all])',
    'Conf emscripten (3.1.69+dfsg-3 Debian:13.5/stable [all])',
  ];
  assert.deepEqual(archivesFrom(simulation.join('\n')), [
    'gcc-14-base_14.2.0-19_amd64.deb',
    'libllvm19_1%3a19.1.7-3+b1_amd64.deb',
    'emscripten_3.1.69+dfsg-3_all.deb',
  ]);
});

test('a changed recipe has another identity, so an old root is not taken for the new one', () => {
  const more = { ...fullRoot, packages: [...fullRoot.packages, 'git'] };
  assert.notEqual(identityOf(fullRoot), identityOf(more));
  assert.equal(identityOf(fullRoot), identityOf({ ...fullRoot }));
});

test("the dependencies that ninja tells are read as the project's own files", () => {
  const text = [
    'CMakeFiles/a.o: #deps 4, deps mtime 1 (VALID)',
    '    /p/src/a.cpp',
    '    /p/src/a.h',
    '    generated/x.h',
    '    /usr/include/eigen3/Eigen/Core',
    '',
    'CMakeFiles/b.o: #deps 1, deps mtime 1 (VALID)',
    '    ../../src/b.cpp',
    '',
  ].join('\n');
  const found = readDependencies(text, '/p');
  assert.deepEqual(found.get('src/a.cpp'), ['src/a.cpp', 'src/a.h', 'build/native/generated/x.h']);
  assert.deepEqual(found.get('src/b.cpp'), ['src/b.cpp']);
});

test("the set-up's probe of relaxed SIMD and the library's, written apart, agree", async () => {
  const withoutFlag = relaxedSimdFlags()?.length === 0;
  const lab = await load({ workers: 0 });
  assert.equal(lab.variant, withoutFlag ? 'relaxed' : 'simd');
  lab.dispose();
});

test('the set-up names no mirror and no registry: both come from the machine', () => {
  const lock = readFileSync(join(project, 'package-lock.json'), 'utf8');
  assert.doesNotMatch(lock, /"resolved"/);
  for (const file of [...filesUnder('tools', /\.(mjs|sh)$/), ...filesUnder('.ci', /./)]) {
    const text = readFileSync(join(project, file), 'utf8');
    for (const [, host] of text.matchAll(/https?:\/\/([\w.-]+)/g)) {
      assert.ok(['127.0.0.1', 'github.com'].includes(host), `${file}: ${host}`);
    }
  }
});

test('a typing error is answered with what is allowed, before any work', () => {
  const cases = [
    ['test.mjs', ['--only', 'natives'], /no stage 'natives'.*native, asan/s],
    ['test.mjs', ['--onli', 'native'], /usage: npm test/],
    ['start.mjs', ['--port', 'x'], /--port is 'x'/],
    ['toolchain.mjs', ['exce'], /usage:/],
    ['build.mjs', ['now'], /usage: npm run build/],
  ];
  for (const [script, args, message] of cases) {
    const result = spawnSync(process.execPath, [join(project, 'tools', script), ...args], {
      encoding: 'utf8',
    });
    assert.equal(result.status, 1, script);
    assert.match(result.stderr, message);
    assert.doesNotMatch(result.stderr, /\n    at /);
  }
});

test('the commands that package.json names exist', async () => {
  const { default: wishes } = await import('../../package.json', { with: { type: 'json' } });
  for (const [name, command] of Object.entries(wishes.scripts)) {
    const script = /node (\S+)/.exec(command)?.[1];
    assert.ok(existsSync(join(project, script)), `${name}: ${script}`);
  }
});
