/** A served site: everything is fetched beside the page, each file under a name with its hash. */
import files from 'virtual:attnlab-files';
import { parseDescriptor, type Descriptor } from '../../lib/descriptor.ts';
import type { Entry } from '../state/entry.ts';
import { unpackResult, type PackedResult } from './built-result.ts';
import type { BuiltResult, Site } from './site.ts';

export function httpSite(base: URL): Site {
  const at = (path: string): URL => new URL(path, base);
  const kept = new Map<string, Promise<string>>();
  // Asked for once; what failed is forgotten, so that it can be asked for again.
  const text = (path: string): Promise<string> => {
    const known = kept.get(path);
    if (known) return known;
    const asked = fetchText(at(path));
    asked.catch(() => kept.delete(path));
    kept.set(path, asked);
    return asked;
  };
  const result = async (
    paths: Readonly<Record<string, string>>,
    id: string,
  ): Promise<BuiltResult | undefined> => {
    const path = Object.hasOwn(paths, id) ? paths[id] : undefined;
    return path ? unpackResult(JSON.parse(await text(path)) as PackedResult) : undefined;
  };
  return {
    base,
    index: async (language) => JSON.parse(await text(files.index[language])) as Entry[],
    async descriptor(id, language): Promise<Descriptor | undefined> {
      const own = files.descriptors[language];
      const path = Object.hasOwn(own, id) ? own[id] : undefined;
      return path ? parseDescriptor(await text(path)) : undefined;
    },
    builtResult: (id) => result(files.results, id),
    picture: (id) => result(files.pictures, id),
    loadOptions: async () => ({
      wasm: { simd: at(files.simd), relaxed: at(files.relaxed) },
      createWorker: () => startWorker(at(files.worker)),
      resource: (name: string) => at(files.resources[name] ?? name),
    }),
  };
}

async function fetchText(url: URL): Promise<string> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url.href} answered ${response.status}.`);
  return response.text();
}

/** From another origin than the page's the browser refuses the script; a blob of the page imports it. */
function startWorker(url: URL): Worker {
  if (url.origin === location.origin) return new Worker(url, { type: 'module' });
  const source = new Blob([`import ${JSON.stringify(url.href)};`], { type: 'text/javascript' });
  const blob = URL.createObjectURL(source);
  setTimeout(() => URL.revokeObjectURL(blob), 30_000);
  return new Worker(blob, { type: 'module' });
}
