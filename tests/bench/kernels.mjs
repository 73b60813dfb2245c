// tests/bench/kernels.cpp as WebAssembly: the core's own kernels without the library around them,
// and the limits. Built beside the product's module, which does not grow by it.

const addresses = {
  simd: new URL('../../build/wasm-simd/tests/bench/bench_kernels.mjs', import.meta.url),
  relaxed: new URL('../../build/wasm-relaxed/tests/bench/bench_kernels.mjs', import.meta.url),
};

const loaded = {};
// → the module's exports; undefined where it is not built.
export function loadKernels(variant) {
  const address = globalThis.benchKernels?.[variant] ?? addresses[variant];
  loaded[variant] ??= import(address).then(
    ({ default: start }) => start(),
    (error) => {
      if (error?.code === 'ERR_MODULE_NOT_FOUND') return undefined;
      throw error;
    },
  );
  return loaded[variant];
}

const copied = (kernels, address, size) => kernels.HEAPF64.slice(address / 8, address / 8 + size);

// A piece of work of work.h → { run, result, input(which), release }.
export function openWork(kernels, name, n, d = 0) {
  const types = ['string', 'number', 'number'];
  const number = kernels.ccall('bench_open', 'number', types, [name, n, d]);
  return {
    run: () => kernels._bench_run(number),
    result: () => {
      const address = kernels._bench_result(number);
      return copied(kernels, address, kernels._bench_result_size(number));
    },
    input: (which) =>
      copied(
        kernels,
        kernels._bench_input(number, which),
        kernels._bench_input_size(number, which),
      ),
    release: () => kernels._bench_close(number),
  };
}

// The same as a contender, whose result is compared after the first time.
export function workContender(label, kernels, name, n, d) {
  return {
    name: label,
    prepare: () => {
      if (!kernels) throw new Error('tests/bench/wasm_kernels.cpp is not built');
      const { run, result, release } = openWork(kernels, name, n, d);
      let told = false;
      return {
        release,
        run: () => {
          run();
          if (told) return undefined;
          told = true;
          return result();
        },
      };
    },
  };
}
