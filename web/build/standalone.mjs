// standalone.html: the whole page in one file, for file://, a stick, a mail. The script, the style,
// the worker, the module and the word vectors are inside; the policy allows exactly that script.
import { createHash } from 'node:crypto';
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import esbuild from 'esbuild';
import { build } from 'vite';
import { licenceList } from './licences.mjs';
import { viteOptions } from './page.mjs';

const pack = (bytes) => gzipSync(bytes, { level: 9 }).toString('base64');
const sha256 = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

export async function standalone(parts, { simd, index, results }) {
  const { root, folders, lib, out, web } = parts;
  const worker = await esbuild.build({
    entryPoints: [join(lib, 'worker.js')],
    bundle: true,
    minify: true,
    format: 'iife',
    write: false,
    logLevel: 'error',
    define: { 'import.meta.url': 'self.location.href' },
  });
  const resources = {};
  for (const name of await readdir(join(lib, 'data')).catch(() => [])) {
    if (!name.endsWith('.bin')) continue;
    resources[name.replace(/\.bin$/, '')] = pack(await readFile(join(lib, 'data', name)));
  }
  const inline = {
    wasm: pack(simd),
    worker: worker.outputFiles[0].text,
    index,
    resources,
    results: Object.fromEntries(Object.entries(results).map(([id, text]) => [id, JSON.parse(text)])),
  };
  const [script, style] = await bundle(parts, inline, join(web, 'page/main-inline.ts'));
  const licences = await licenceList({ root, folders, what: 'this page' });
  await writeFile(join(out, 'standalone.html'), page(script, style, licences));
}

async function bundle(parts, inline, entry) {
  const built = await build({
    ...viteOptions(parts, { inline }),
    build: {
      write: false,
      target: 'es2022',
      assetsInlineLimit: Number.MAX_SAFE_INTEGER,
      cssCodeSplit: false,
      modulePreload: false,
      rollupOptions: {
        input: entry,
        output: { format: 'iife', codeSplitting: false },
        // Only Vite's preloading of chunks asks for it, and there are none.
        transform: { define: { 'import.meta': '{}' } },
      },
    },
  });
  const { output } = Array.isArray(built) ? built[0] : built;
  const script = output.find((each) => each.type === 'chunk').code;
  const style = output.find((each) => each.fileName.endsWith('.css')).source;
  // "</script" inside a string would end the element.
  return [script.replaceAll('</script', '<\\/script'), String(style)];
}

function page(script, style, licences) {
  const policy = [
    "default-src 'none'",
    `script-src ${sha256(script)} 'wasm-unsafe-eval' blob:`,
    `style-src ${sha256(style)}`,
    'img-src data: blob:',
    'worker-src blob:',
    'connect-src blob: data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>AttnLab: the theory of attention beside its simulation</title>
<meta name="color-scheme" content="light dark">
<style>${style}</style>
</head>
<body>
<script>${script}</script>
</body>
</html>
<!--
${licences.replaceAll('-->', '-- >')}
-->
`;
}
