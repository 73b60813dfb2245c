// node memory_process.mjs CONTENDER forward|gradient N: does the work once and says what it took.
import { load } from '../../dist/lib/index.js';
import { matrix } from './inputs.mjs';
import * as jax from './peers/jax.mjs';
import * as onnxruntime from './peers/onnxruntime.mjs';
import * as tfjs from './peers/tfjs.mjs';

const [name, work, n] = process.argv.slice(2);
const d = 16;

function makeInput(count) {
  const part = (seed) => matrix(count, d, seed);
  const input = { queries: part(1), keys: part(2), values: part(3), scale: 1 / Math.sqrt(d) };
  return work === 'gradient' ? { ...input, outputGradient: part(4) } : input;
}

async function attnlab(input) {
  const lab = await load({ variant: 'simd' });
  return lab.attention[work](input);
}

async function peer({ [work]: make }, input) {
  const { run } = await make(input).prepare();
  return run();
}

const contenders = {
  attnlab,
  jax: (input) => peer(jax, input),
  onnxruntime: (input) => peer(onnxruntime, input),
  tfjs: (input) => peer(tfjs, input),
};

const peak = () => process.resourceUsage().maxRSS / 1024;

try {
  await contenders[name](makeInput(256));
  const before = peak();
  const input = makeInput(Number(n));
  const start = performance.now();
  await contenders[name](input);
  const seconds = (performance.now() - start) / 1000;
  console.log(JSON.stringify({ megabytes: peak() - before, seconds }));
} catch (error) {
  console.log(JSON.stringify({ error: error?.message?.split('\n')[0] ?? String(error) }));
}
process.exit();
