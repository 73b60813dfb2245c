/** The one-file page: everything is in the document, so it runs from file:// too. */
import inlined from 'virtual:attnlab-inline';
import { parseDescriptor } from '../../lib/descriptor.ts';
import { unpackResult } from './built-result.ts';
import type { Site } from './site.ts';

export function inlineSite(): Site {
  const builtResult: Site['builtResult'] = (id) => {
    const packed = Object.hasOwn(inlined.results, id) ? inlined.results[id] : undefined;
    return Promise.resolve(packed && unpackResult(packed));
  };
  return {
    base: undefined,
    index: (language) => Promise.resolve(inlined.index[language].entries),
    descriptor: (id, language) => {
      const own = inlined.index[language].descriptors;
      const text = Object.hasOwn(own, id) ? own[id] : undefined;
      return Promise.resolve(text ? parseDescriptor(text) : undefined);
    },
    builtResult,
    picture: builtResult,
    loadOptions: async () => ({
      wasm: await unzip(inlined.wasm),
      createWorker: startWorker,
      resource: async (name: string) => {
        const packed = inlined.resources[name];
        if (!packed) throw new Error(`${name} is not part of this file.`);
        return unzip(packed);
      },
    }),
  };
}

function startWorker(): Worker {
  const url = URL.createObjectURL(new Blob([inlined.worker], { type: 'text/javascript' }));
  setTimeout(() => URL.revokeObjectURL(url), 30_000);
  return new Worker(url);
}

/** gzip, in base64. */
async function unzip(packed: string): Promise<Uint8Array> {
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
