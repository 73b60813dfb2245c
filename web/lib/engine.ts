/**
 * One instance of the module, with its own memory. Its bound functions return plain objects and
 * never throw; an {error} becomes an AttnLabError here, and nothing else ever leaves.
 */

import { factories, type BoundFunction, type Exports } from 'attnlab-glue';
import { AttnLabError, fail, noteOf, type ErrorNote } from './errors.js';
import type { Variant } from './variant.js';

/** A `WebAssembly.Module`, as the platform declares it; not every one does. */
export interface WasmModule {}

export interface CompiledModule {
  readonly module: WasmModule;
  readonly variant: Variant;
}

export class Engine {
  readonly variant: Variant;
  readonly #exports: Exports;
  #broken: AttnLabError | undefined;

  private constructor(variant: Variant, exports: Exports) {
    this.variant = variant;
    this.#exports = exports;
  }

  static async start({ module, variant }: CompiledModule): Promise<Engine> {
    const exports = await new Promise<Exports>((resolve, reject) => {
      const ignore = () => {};
      factories[variant]({
        instantiateWasm(imports, receive) {
          WebAssembly.instantiate(module, imports).then(
            (instance) => receive(instance, module),
            // A LinkError, or no memory left; the glue itself would wait for ever.
            (cause) =>
              reject(
                new AttnLabError(
                  {
                    code: 'load',
                    parameter: 'wasm',
                    message: `wasm: the module does not start: ${String(cause?.message ?? cause)}`,
                  },
                  { cause },
                ),
              ),
          );
          return {};
        },
        print: ignore,
        printErr: ignore,
      }).then(resolve, reject);
    });
    return new Engine(variant, exports);
  }

  /** Whether a trap has ended this instance; another one has to take its place. */
  get broken(): boolean {
    return this.#broken !== undefined;
  }

  call<Result>(name: string, ...args: unknown[]): Result {
    if (this.#broken) throw this.#broken;
    const bound: BoundFunction | undefined = this.#exports[name];
    if (!bound) fail('internal', 'attnlab', `the module has no function ${name}`);
    let result: unknown;
    try {
      result = bound(...args);
    } catch (cause) {
      // A trap (out of bounds, stack overflow, unreachable): the memory can no longer be trusted.
      const error = new AttnLabError(noteOf(cause), { cause });
      if (cause instanceof WebAssembly.RuntimeError || cause instanceof RangeError) {
        this.#broken = error;
      }
      throw error;
    }
    if (typeof result === 'object' && result !== null && 'error' in result) {
      throw new AttnLabError(result.error as ErrorNote);
    }
    return result as Result;
  }
}
