// Modules of the page itself, bundled for Node. `exports`: what is wanted of web/page.
import { fileURLToPath } from 'node:url';
import esbuild from 'esbuild';

export async function pageModules(exports) {
  const built = await esbuild.build({
    stdin: {
      contents: exports,
      resolveDir: fileURLToPath(new URL('../../web/page', import.meta.url)),
      loader: 'ts',
    },
    bundle: true,
    format: 'esm',
    write: false,
    platform: 'node',
  });
  const code = Buffer.from(built.outputFiles[0].contents).toString('base64');
  return import(`data:text/javascript;base64,${code}`);
}
