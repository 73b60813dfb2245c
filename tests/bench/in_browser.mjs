// What a browser runs: one case, as in_node.mjs does, on a page whose address names it.
import { load } from '../../dist/lib/index.js';
import * as attentionForward from './cases/attention_forward.mjs';
import { judge } from './judge.mjs';
import { openLimit } from './limit.mjs';

// Where the page's server has the files that peers and kernels load by themselves.
globalThis.tfjsWasmPath = '/tfjs/';
globalThis.benchKernels = { simd: '/kernels/simd.mjs', relaxed: '/kernels/relaxed.mjs' };

const source = { simd: '/lib/attnlab-simd.wasm', relaxed: '/lib/attnlab-relaxed.wasm' };
const open = (variant) => load({ variant, wasm: source, workers: 0 });
const cases = { 'attention-forward': attentionForward };

globalThis.runCase = async ({ name, variant, quick }) => {
  const relaxed = variant === 'relaxed';
  const results = [];
  try {
    const context = {
      lab: await open(variant),
      simd: relaxed ? await open('simd') : undefined,
      peers: !relaxed,
      limit: await openLimit(variant),
      variant,
      quick,
    };
    await judge(cases[name].contests, context, (result) => results.push(result));
  } catch (error) {
    results.push({ name: 'the case itself', error: error?.stack ?? String(error) });
  }
  return results;
};

// From nothing to the first result, with the module in the browser's cache.
globalThis.timeLoad = async (variant) => {
  const start = performance.now();
  const lab = await open(variant);
  const x = [
    [1, 2],
    [3, 4],
  ];
  lab.attention.forward({ queries: x, keys: x, values: x });
  const time = performance.now() - start;
  lab.dispose();
  return time;
};
globalThis.benchReady = true;
