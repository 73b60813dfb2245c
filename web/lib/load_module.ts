/**
 * From a URL or bytes to a compiled module, once a page: many labs make one request and one
 * compile. What failed is forgotten, so that a retry tries again.
 */

import { builds, version } from 'attnlab-glue';
import { AttnLabError, fail, show } from './errors.js';
import type { CompiledModule, WasmModule } from './engine.js';
import { inNode, nodeModule } from './platform.js';
import { accepts, type Variant } from './variant.js';

/** Where a WebAssembly module is: a URL, a path (Node), its bytes, or compiled. */
export type WasmSource = string | URL | ArrayBuffer | Uint8Array | WasmModule;
type Uncompiled = string | URL | ArrayBuffer | Uint8Array;

/** Bytes of a file beside the library, of a URL, or as they are. */
export async function readBytes(source: string | URL, parameter: string): Promise<Uint8Array> {
  const url = resolveUrl(source, parameter);
  if (url.protocol === 'file:' && inNode) return readFile(url, parameter);
  return new Uint8Array(await (await fetchOk(url, parameter)).arrayBuffer());
}

function resolveUrl(source: string | URL, parameter: string): URL {
  const base = (globalThis as { document?: { baseURI?: string } }).document?.baseURI;
  try {
    if (source instanceof URL) return source;
    if (inNode && !/^[a-z][a-z0-9+.-]+:/i.test(source)) {
      return nodeModule<typeof import('node:url')>('node:url').pathToFileURL(source);
    }
    return new URL(source, base ?? (globalThis as { location?: { href: string } }).location?.href);
  } catch (cause) {
    fail('load', parameter, `${show(source)} is not a URL`, { cause });
  }
}

async function readFile(url: URL, parameter: string): Promise<Uint8Array> {
  const files = nodeModule<typeof import('node:fs/promises')>('node:fs/promises');
  try {
    return await files.readFile(url);
  } catch (cause) {
    fail('load', parameter, `cannot be read from ${url.href}: ${(cause as Error).message}`, {
      cause,
    });
  }
}

const failedBefore = new Set<string>();

async function fetchOk(url: URL, parameter: string): Promise<Response> {
  let response: Response;
  try {
    // What failed once may lie in the browser's cache: a second try asks the server itself.
    const again = failedBefore.has(url.href);
    response = await fetch(url, {
      credentials: 'same-origin',
      ...(again ? { cache: 'reload' as const } : {}),
    });
  } catch (cause) {
    fail('load', parameter, `cannot be fetched from ${url.href}: ${(cause as Error).message}`, {
      cause,
    });
  }
  if (!response.ok) {
    fail('load', parameter, `${url.href} answered with status ${response.status}`);
  }
  return response;
}

const MAGIC = [0x00, 0x61, 0x73, 0x6d];

async function compileBytes(bytes: Uint8Array, from: string): Promise<WebAssembly.Module> {
  if (!MAGIC.every((byte, i) => bytes[i] === byte)) {
    const text = new TextDecoder().decode(bytes.subarray(0, 200)).trimStart();
    const what = text.startsWith('<') ? 'an HTML page' : `${bytes.length} bytes of something else`;
    fail('load', 'wasm', `${from} is not WebAssembly but ${what}`);
  }
  try {
    return await WebAssembly.compile(bytes as BufferSource);
  } catch (cause) {
    failCompile(from, cause);
  }
}

function failCompile(from: string, cause: unknown): never {
  fail('load', 'wasm', `${from} does not compile: ${String((cause as Error)?.message)}`, { cause });
}

async function compileFrom(url: URL): Promise<WebAssembly.Module> {
  if (url.protocol === 'file:' && inNode) {
    return compileBytes(await readFile(url, 'wasm'), url.href);
  }
  const response = await fetchOk(url, 'wasm');
  const type = response.headers.get('content-type') ?? '';
  if (type.trim().toLowerCase() === 'application/wasm') {
    return WebAssembly.compileStreaming(response).catch((cause) => failCompile(url.href, cause));
  }
  // A wrong MIME type, or one with parameters: compileStreaming would refuse, the bytes may be right.
  return compileBytes(new Uint8Array(await response.arrayBuffer()), url.href);
}

// Shared by every copy of this script in the page.
const store = Symbol.for('attnlab.modules');
interface Cache {
  readonly byUrl: Map<string, Promise<WebAssembly.Module>>;
  readonly byBytes: WeakMap<object, Promise<WebAssembly.Module>>;
}
const shared = globalThis as { [store]?: Cache };
const cache: Cache = (shared[store] ??= { byUrl: new Map(), byBytes: new WeakMap() });

function compileOnce(source: Uncompiled): Promise<WebAssembly.Module> {
  if (typeof source === 'string' || source instanceof URL) {
    const url = resolveUrl(source, 'wasm');
    return once(cache.byUrl, url.href, async () => {
      const module = await compileFrom(url).catch((failure: unknown) => {
        failedBefore.add(url.href);
        throw failure;
      });
      failedBefore.delete(url.href);
      return module;
    });
  }
  return once(cache.byBytes, source, () =>
    compileBytes(source instanceof Uint8Array ? source : new Uint8Array(source), 'the given data'),
  );
}

function once<Key>(
  known: {
    get(key: Key): Promise<WebAssembly.Module> | undefined;
    set(key: Key, value: Promise<WebAssembly.Module>): unknown;
    delete(key: Key): unknown;
  },
  key: Key,
  make: () => Promise<WebAssembly.Module>,
): Promise<WebAssembly.Module> {
  let module = known.get(key);
  if (!module) {
    module = make();
    module.catch(() => known.delete(key));
    known.set(key, module);
  }
  return module;
}

// The build writes who it is into a custom section (web/build/stamp.mjs).
interface Stamp {
  readonly version: string;
  readonly variant: Variant;
  readonly build: string;
}

function readStamp(module: WebAssembly.Module): Stamp | undefined {
  const [section] = WebAssembly.Module.customSections(module, 'attnlab');
  if (!section) return undefined;
  try {
    return JSON.parse(new TextDecoder().decode(section)) as Stamp;
  } catch {
    return undefined;
  }
}

function forget(source: WasmSource): void {
  if (source instanceof WebAssembly.Module) return;
  if (typeof source === 'string' || source instanceof URL) {
    cache.byUrl.delete(resolveUrl(source, 'wasm').href);
  } else {
    cache.byBytes.delete(source);
  }
}

/** Compiles, and checks that module and script are of the same build. */
export async function compileModule(source: WasmSource): Promise<CompiledModule> {
  const isUrl = typeof source === 'string' || source instanceof URL;
  const from = isUrl ? String(source) : 'the given module';
  const module =
    source instanceof WebAssembly.Module ? source : await compileOnce(source as Uncompiled);
  const stamp = readStamp(module);
  if (stamp?.build === undefined || builds[stamp.variant] !== stamp.build) {
    forget(source);
    throw new AttnLabError({
      code: 'version-mismatch',
      parameter: 'wasm',
      message:
        `wasm: ${from} is ${stamp ? `attnlab ${stamp.version} (build ${stamp.build})` : 'not a module of attnlab'}, ` +
        `but this script is attnlab ${version} (builds ${builds.simd} and ${builds.relaxed}); ` +
        'serve both from the same release, and reload without the browser cache',
    });
  }
  if (!accepts(stamp.variant)) {
    fail('unsupported', 'variant', `"${stamp.variant}" does not run in this engine`);
  }
  return { module, variant: stamp.variant };
}
