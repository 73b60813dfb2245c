/** A served site: everything is fetched beside the page, each file under a name with its hash. */
import files from 'virtual:attnlab-files';
import { parseDescriptor, type Descriptor } from '../../lib/descriptor.ts';
import type { Entry } from '../state/entry.ts';
import { unpackResult, type PackedResult } from './built-result.ts';
import type { BuiltResult, Site } from './site.ts';

export function httpSite(base: URL): Site {
  const at = (path: string): URL => new URL(path, base);
  const kept = new Map<string, Promise<string>>();
  const failed = new Set<string>();
  // Asked for once; what failed is forgotten, so that it can be asked for again.
  const text = (path: string): Promise<string> => {
    const known = kept.get(path);
    if (known) return known;
    const asked = fetchText(at(path), failed.has(path) ? 'reload' : 'default');
    asked.catch(() => forget(path));
    kept.set(path, asked);
    return asked;
  };
  const forget = (path: string): void => {
    kept.delete(path);
    failed.add(path);
  };
  // A server may answer with a page of its own, or break off.
  const read = async <Content>(
    path: string,
    parse: (text: string) => Content,
  ): Promise<Content> => {
    const answer = await text(path);
    try {
      return parse(answer);
    } catch (failure) {
      forget(path);
      const reason = failure instanceof Error ? failure.message : String(failure);
      throw new Error(`${at(path).href} cannot be read: ${reason}`);
    }
  };
  const result = async (
    paths: Readonly<Record<string, string>>,
    id: string,
  ): Promise<BuiltResult | undefined> => {
    const path = Object.hasOwn(paths, id) ? paths[id] : undefined;
    return path
      ? read(path, (answer) => unpackResult(JSON.parse(answer) as PackedResult))
      : undefined;
  };
  return {
    base,
    index: (language) => read(files.index[language], parseIndex),
    async descriptor(id, language): Promise<Descriptor | undefined> {
      const own = files.descriptors[language];
      const path = Object.hasOwn(own, id) ? own[id] : undefined;
      return path ? read(path, parseDescriptor) : undefined;
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

function parseIndex(text: string): Entry[] {
  const index: unknown = JSON.parse(text);
  if (!Array.isArray(index)) throw new Error('It is no list.');
  return index as Entry[];
}

async function fetchText(url: URL, cache: RequestCache): Promise<string> {
  let response: Response;
  try {
    response = await fetch(url, { cache });
    if (response.ok) return await response.text();
  } catch (failure) {
    const reason = failure instanceof Error ? failure.message : String(failure);
    throw new Error(`${url.href} did not come: ${reason}`);
  }
  throw new Error(`${url.href} answered ${response.status}.`);
}

/** From another origin than the page's the browser refuses the script; a blob of the page imports it. */
function startWorker(url: URL): Worker {
  if (url.origin === location.origin) return new Worker(url, { type: 'module' });
  const source = new Blob([`import ${JSON.stringify(url.href)};`], { type: 'text/javascript' });
  const blob = URL.createObjectURL(source);
  setTimeout(() => URL.revokeObjectURL(blob), 30_000);
  return new Worker(blob, { type: 'module' });
}
