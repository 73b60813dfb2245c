/** A served site: everything is fetched beside the page, each file under a name with its hash. */
import files from 'virtual:attnlab-files';
import type { Descriptor } from '../../lib/descriptor.ts';
import { parseDescriptors } from '../../lib/descriptor.ts';
import { unpackResult, type PackedResult } from './built-result.ts';
import type { BuiltResult, Site } from './site.ts';

export function httpSite(base: URL): Site {
  const at = (path: string): URL => new URL(path, base);
  let descriptors: Promise<readonly Descriptor[]> | undefined;
  return {
    base,
    experiments() {
      descriptors ??= fetchText(at(files.experiments)).then(
        parseDescriptors,
        (failure: unknown) => {
          descriptors = undefined;
          throw failure;
        },
      );
      return descriptors;
    },
    async builtResult(id): Promise<BuiltResult | undefined> {
      const path = files.results[id];
      if (!path) return undefined;
      return unpackResult(JSON.parse(await fetchText(at(path))) as PackedResult);
    },
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
