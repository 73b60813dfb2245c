/** From nothing to a laboratory, in Node and in browsers. */

import { chooseVariant, variants, type Variant } from './variant.js';
import { parseDescriptor, type Descriptor } from './descriptor.js';
import { Engine } from './engine.js';
import { fail, show } from './errors.js';
import { Lab, MOST_WORKERS } from './lab.js';
import { compileModule, type WasmSource } from './load_module.js';
import { requireName } from './names.js';
import { Options, readOnce, readSafely } from './options.js';
import { breathe, inNode, nodeModule } from './platform.js';
import type { FindResource } from './resources.js';
import type { CreateWorker } from './start_worker.js';

/** What `load` may be told; all of it has a default. */
export interface LoadOptions {
  /**
   * Where the WebAssembly is: a URL, a path (Node), its bytes or a compiled module; for both
   * variants, or one source alone. Default: the files beside this script.
   */
  readonly wasm?: WasmSource | { readonly simd?: WasmSource; readonly relaxed?: WasmSource };
  /** Default: 'relaxed' where the engine accepts it. */
  readonly variant?: Variant;
  /** Workers a run takes when it does not say. Default: the machine's cores, at most 4. */
  readonly workers?: number;
  /** Makes a browser's worker from `worker.js` of this library, where a bundler needs its own way. */
  readonly createWorker?: CreateWorker;
  /** Where the files are that some experiments need (word vectors). */
  readonly resource?: FindResource;
}

const KNOWN = ['wasm', 'variant', 'workers', 'createWorker', 'resource'];

// Written out: bundlers follow addresses that are literals.
const SHIPPED: Readonly<Record<Variant, () => URL>> = {
  simd: () => new URL('./attnlab-simd.wasm', import.meta.url),
  relaxed: () => new URL('./attnlab-relaxed.wasm', import.meta.url),
};

function isSource(value: unknown): value is WasmSource {
  return (
    typeof value === 'string' ||
    value instanceof URL ||
    value instanceof ArrayBuffer ||
    value instanceof Uint8Array ||
    value instanceof WebAssembly.Module
  );
}

function findSource(options: Options, variant: Variant): WasmSource {
  const given = options.get('wasm');
  if (given === undefined) return SHIPPED[variant]();
  if (isSource(given)) return given;
  if (typeof given === 'object' && given !== null) {
    new Options(given, variants, 'wasm');
    const source = readOnce(given, variant, 'wasm');
    if (source === undefined) return SHIPPED[variant]();
    if (isSource(source)) return source;
  }
  fail('type', 'wasm', `is ${show(given)}; a URL, bytes or a WebAssembly.Module is expected`);
}

function coreCount(): number {
  if (inNode) {
    return nodeModule<typeof import('node:os')>('node:os').availableParallelism();
  }
  return globalThis.navigator?.hardwareConcurrency ?? 1;
}

/**
 * Loads the module, once a page, and starts an instance of it. Rejects with an `AttnLabError`:
 * 'unsupported' where the engine has no WebAssembly SIMD, 'load' where the module cannot be had,
 * 'version-mismatch' where it is of another build than this script.
 *
 * @example
 * ```js
 * import { load } from 'attnlab';
 *
 * const lab = await load({ workers: 2 });
 * console.log(lab.experiments.length > 0); // true
 * lab.dispose();
 * ```
 */
export async function load(options?: LoadOptions): Promise<Lab> {
  const read = new Options(options, KNOWN);
  const best = chooseVariant();
  const variant = read.has('variant')
    ? requireName(read.text('variant'), variants, 'variant')
    : best;
  const workers = read.count('workers', Math.max(1, Math.min(coreCount(), 4)), 0, MOST_WORKERS);
  const createWorker = read.callback('createWorker') as CreateWorker | undefined;
  const findResource = read.callback('resource') as FindResource | undefined;
  const compiled = await compileModule(readSafely('wasm', () => findSource(read, variant)));
  if (read.has('variant') && compiled.variant !== variant) {
    fail('version-mismatch', 'variant', `is "${variant}", but the module is "${compiled.variant}"`);
  }
  const engine = await Engine.start(compiled);
  const experiments = await describeAll(engine);
  return new Lab({ compiled, workers, createWorker, findResource }, engine, experiments);
}

// One a turn of the event loop: all of them take longer than a page may stand still.
async function describeAll(engine: Engine): Promise<readonly Descriptor[]> {
  const descriptors: Descriptor[] = [];
  for (const id of engine.call<readonly string[]>('experimentIds')) {
    await breathe();
    descriptors.push(parseDescriptor(engine.call<string>('descriptor', id)));
  }
  return Object.freeze(descriptors);
}
