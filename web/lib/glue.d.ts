/**
 * The module's JavaScript side, as the build leaves it (web/build/glue.mjs): Emscripten's glue of
 * each variant, and what identifies the WebAssembly files that belong to it.
 */
declare module 'attnlab-glue' {
  export interface GlueOptions {
    instantiateWasm(
      imports: WebAssembly.Imports,
      receive: (instance: WebAssembly.Instance, module?: WebAssembly.Module) => void,
    ): object;
    print?(text: string): void;
    printErr?(text: string): void;
  }
  export type BoundFunction = (...args: unknown[]) => unknown;
  export type Exports = Readonly<Record<string, BoundFunction>>;

  export const factories: Readonly<
    Record<'simd' | 'relaxed', (options: GlueOptions) => Promise<Exports>>
  >;
  export const version: string;
  /** Of each WebAssembly file: a hash of glue and module. */
  export const builds: Readonly<Record<'simd' | 'relaxed', string>>;
}
