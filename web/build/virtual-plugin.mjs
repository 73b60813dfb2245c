// Modules that exist only in a build: the names of the site's files, or the files themselves for the
// one-file page. The page takes the library as it ships (dist/lib) and always tells it where its
// files are, so the library's own guesses (relative to its script) are taken out.
import { join } from 'node:path';

const SHIPPED = /\/lib\/(index|data)\.ts$/;

export function virtualPlugin(web, lib, { files, inline }) {
  const sources = {
    'virtual:attnlab-files': files,
    'virtual:attnlab-inline': inline,
  };
  return {
    name: 'attnlab-virtual',
    enforce: 'pre',
    resolveId(id, importer) {
      const inside = importer?.startsWith(join(web, 'lib')) && id === '../index.js';
      const shipped = inside ? 'index' : SHIPPED.exec(id)?.[1];
      if (shipped) return join(lib, `${shipped}.js`);
      return id in sources ? `\0${id}` : null;
    },
    load(id) {
      const source = id.startsWith('\0') ? sources[id.slice(1)] : undefined;
      return source ? `export default ${JSON.stringify(source)};` : null;
    },
    transform(code, id) {
      // package.json calls the library free of side effects; the page defines elements by importing.
      if (id.startsWith(web)) return { code, map: null, moduleSideEffects: true };
      if (!id.startsWith(lib)) return null;
      return code.replaceAll('import.meta.url', 'globalThis.location.href');
    },
  };
}
