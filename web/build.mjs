// build/wasm-* → dist/: the library, then the page and the embeds. `node web/build.mjs --library`
// stops after the library.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildLibrary } from './build/library.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, 'dist');

await buildLibrary({ root, dist });

const page = new URL('./build/page.mjs', import.meta.url);
if (!process.argv.includes('--library') && existsSync(page)) {
  const { buildPage } = await import(page);
  await buildPage({ root, dist });
}
