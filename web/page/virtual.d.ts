/** What web/build/page.mjs makes and the bundler hands in. */
declare module 'virtual:attnlab-files' {
  const files: {
    readonly simd: string;
    readonly relaxed: string;
    readonly worker: string;
    readonly index: Readonly<Record<import('./state/texts.ts').Language, string>>;
    readonly descriptors: Readonly<
      Record<import('./state/texts.ts').Language, Readonly<Record<string, string>>>
    >;
    readonly resources: Readonly<Record<string, string>>;
    readonly results: Readonly<Record<string, string>>;
    readonly pictures: Readonly<Record<string, string>>;
  };
  export default files;
}

declare module 'virtual:attnlab-inline' {
  const inlined: {
    readonly wasm: string;
    readonly worker: string;
    readonly index: Readonly<
      Record<
        import('./state/texts.ts').Language,
        {
          readonly entries: readonly import('./state/entry.ts').Entry[];
          readonly descriptors: Readonly<Record<string, string>>;
        }
      >
    >;
    readonly resources: Readonly<Record<string, string>>;
    readonly results: Readonly<Record<string, import('./run/built-result.ts').PackedResult>>;
  };
  export default inlined;
}

declare module '*.css?inline' {
  const text: string;
  export default text;
}

declare module '*.css' {}

interface ImportMeta {
  /** Vite's: a loader for each file that matches. */
  glob<T>(
    patterns: string | readonly string[],
    options: { readonly import: 'default' },
  ): Record<string, () => Promise<T>>;
}
