// onnxruntime-web on its WebAssembly backend, one thread.
import { onnxModel } from './onnx_model.mjs';

let runtime;
async function load() {
  runtime ??= await import('onnxruntime-web');
  runtime.env.wasm.numThreads = 1;
  runtime.env.logLevel = 'error';
  return runtime;
}

// Each is a graph with inputs q, k, v and the output o.
const softmax = ({ n, d, p, scale }) => ({
  inputs: { q: [n, d], k: [n, d], v: [n, p] },
  outputs: { o: [n, p] },
  constants: { scale },
  nodes: [
    { type: 'Transpose', inputs: ['k'], outputs: ['kt'] },
    { type: 'MatMul', inputs: ['q', 'kt'], outputs: ['s'] },
    { type: 'Mul', inputs: ['s', 'scale'], outputs: ['t'] },
    { type: 'Softmax', inputs: ['t'], outputs: ['w'], attributes: { axis: 1 } },
    { type: 'MatMul', inputs: ['w', 'v'], outputs: ['o'] },
  ],
});

// The runtime's own fused kernel for attention.
const fused = ({ n, d, p, scale }) => ({
  inputs: { q: [1, n, d], k: [1, n, d], v: [1, n, p] },
  outputs: { o: [1, n, p] },
  nodes: [
    {
      type: 'MultiHeadAttention',
      domain: 'com.microsoft',
      inputs: ['q', 'k', 'v'],
      outputs: ['o'],
      attributes: { num_heads: 1, scale: [scale] },
    },
  ],
});

// Without softmax the sums over tokens come first: Q (K^T V).
const linear = ({ n, d, p, scale }) => ({
  inputs: { q: [n, d], k: [n, d], v: [n, p] },
  outputs: { o: [n, p] },
  constants: { scale },
  nodes: [
    { type: 'Transpose', inputs: ['k'], outputs: ['kt'] },
    { type: 'MatMul', inputs: ['kt', 'v'], outputs: ['m'] },
    { type: 'Mul', inputs: ['m', 'scale'], outputs: ['t'] },
    { type: 'MatMul', inputs: ['q', 't'], outputs: ['o'] },
  ],
});

async function prepare(graph, { queries, keys, values, scale }) {
  const ort = await load();
  const [n, d] = keys.shape;
  const model = graph({ n, d, p: values.shape[1], scale });
  const session = await ort.InferenceSession.create(onnxModel(model), {
    executionProviders: ['wasm'],
    graphOptimizationLevel: 'all',
  });
  const feed = (name, { data }) => new ort.Tensor('float32', data, model.inputs[name]);
  const feeds = { q: feed('q', queries), k: feed('k', keys), v: feed('v', values) };
  return {
    run: async () => (await session.run(feeds)).o.data,
    release: () => session.release(),
  };
}

const contender = (name, graph) => (input) => ({ name, prepare: () => prepare(graph, input) });

export const forward = contender('onnxruntime-web', softmax);
export const forwardFused = contender('onnxruntime-web, fused', fused);
export const linearForward = contender('onnxruntime-web', linear);
