// Every experiment gives the same bits in each build: WebAssembly with and without relaxed SIMD, and
// native; with one worker as with more.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { fingerprint, fromJson } from '../../dist/lib/index.js';
import { relaxedSimdFlags } from '../../tools/relaxed-simd.mjs';
import { openLab } from './lab.mjs';

const at = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const lab = await openLab({ variant: 'simd' });
const flags = relaxedSimdFlags();
const words = ['--resource', 'glove-4000', at('dist/lib/data/glove-4000.bin')];

// Its times are measurements: no two runs agree in them.
const measured = ['mhla.scaling'];
const compared = lab.experiments.filter(({ id }) => !measured.includes(id));

async function output(args) {
  const options = { encoding: 'utf8', maxBuffer: 2 ** 28 };
  return (await promisify(execFile)(process.execPath, args, options)).stdout;
}

const presetOf = ({ presets }) => (presets[0] ? ['--preset', presets[0].name] : []);

// The result that the page shows at first: two workers, without relaxed SIMD.
async function shownAtFirst(id) {
  const folder = at('dist/site/assets');
  const [name] = (await readdir(folder)).filter((one) => one.startsWith(`result-${id}-`));
  const { tables } = JSON.parse(await readFile(join(folder, name), 'utf8'));
  const columns = (of) =>
    Object.fromEntries(
      Object.entries(of).map(([column, values]) => [
        column,
        Array.isArray(values) ? Float64Array.from(values, Number) : values.text,
      ]),
    );
  return {
    tables: Object.fromEntries(
      Object.entries(tables).map(([table, of]) => [table, { columns: columns(of) }]),
    ),
  };
}

async function runRelaxed(descriptor) {
  const args = ['run', descriptor.id, ...presetOf(descriptor), '--seed', '1', '--workers', '1'];
  return fromJson(await output([...flags, at('dist/lib/cli.js'), ...args, '--format', 'json']));
}

async function nativeFingerprint(descriptor) {
  const native = at('build/native/attnlab_fingerprint');
  assert.ok(existsSync(native), `${native} is missing: npm test builds it`);
  // Run where it was built: its C library may be newer than this machine's.
  const args = [at('tools/toolchain.mjs'), 'exec', '--', native, descriptor.id];
  return (await output([...args, ...words, ...presetOf(descriptor)])).trim();
}

test('this Node runs the relaxed build, and there are experiments to compare', async () => {
  assert.notEqual(flags, null);
  assert.ok(compared.length >= 20);
  const program = `import { load } from ${JSON.stringify(at('dist/lib/index.js'))};
    const lab = await load(); console.log(lab.variant); lab.dispose();`;
  const variant = await output([...flags, '--input-type=module', '-e', program]);
  assert.equal(variant.trim(), 'relaxed');
});

for (const descriptor of compared) {
  test(`${descriptor.id}: the same bits with relaxed SIMD, natively and on the page`, async () => {
    const expected = fingerprint(await shownAtFirst(descriptor.id));
    assert.equal(fingerprint(await runRelaxed(descriptor)), expected, 'relaxed SIMD');
    assert.equal(await nativeFingerprint(descriptor), expected, 'native');
  });
}
