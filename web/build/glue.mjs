// build/wasm-*/attnlab.{mjs,wasm} → one module `attnlab-glue` for the bundles, and the stamped
// WebAssembly files. Where both variants' glues are the same text, it is bundled once.
import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stampWasm } from './stamp.mjs';

export const variants = ['simd', 'relaxed'];

// The glue would look for its module beside itself. It never has to, since the library hands the
// module over; but bundlers follow such an address, and a worker from a blob has none.
function withoutOwnAddress(glue) {
  if (!glue.includes('import.meta.url')) throw new Error('the glue is not as expected');
  return glue
    .replaceAll(/new URL\(("[^"]*"),\s*import\.meta\.url\)\.href/g, '$1')
    .replaceAll('import.meta.url', '""');
}

async function readVariant(root, variant) {
  const folder = join(root, 'build', `wasm-${variant}`);
  const glue = withoutOwnAddress(await readFile(join(folder, 'attnlab.mjs'), 'utf8'));
  const wasm = await readFile(join(folder, 'attnlab.wasm'));
  const hash = createHash('sha256').update(glue).update(wasm).digest('hex');
  return { variant, glue, wasm, build: hash.slice(0, 16) };
}

// → { path, provenance }: the file that `attnlab-glue` stands for.
export async function makeGlue({ root, work, target, version, commit }) {
  const found = await Promise.all(variants.map((variant) => readVariant(root, variant)));
  await mkdir(work, { recursive: true });
  await mkdir(target, { recursive: true });
  const same = found[0].glue === found[1].glue;
  for (const { variant, glue } of found) {
    await writeFile(join(work, `glue-${variant}.mjs`), glue);
  }
  const names = Object.fromEntries(found.map(({ variant, build }) => [variant, build]));
  const path = join(work, 'attnlab-glue.mjs');
  await writeFile(
    path,
    [
      `import simd from './glue-simd.mjs';`,
      same ? 'const relaxed = simd;' : `import relaxed from './glue-relaxed.mjs';`,
      `export const factories = { simd, relaxed };`,
      `export const version = ${JSON.stringify(version)};`,
      `export const builds = ${JSON.stringify(names)};`,
      '',
    ].join('\n'),
  );
  for (const { variant, wasm, build } of found) {
    const stamped = stampWasm(wasm, { version, variant, build, commit });
    await writeFile(join(target, `attnlab-${variant}.wasm`), stamped);
  }
  return path;
}
