// TensorFlow.js on its WebAssembly backend, one thread.

let loading;
async function load() {
  const tf = await import('@tensorflow/tfjs');
  const wasm = await import('@tensorflow/tfjs-backend-wasm');
  // A browser is told where its files are by the page (in_browser.mjs).
  const path = globalThis.tfjsWasmPath ?? (await nodePath());
  wasm.setWasmPaths(path);
  wasm.setThreadsCount?.(1);
  if (!(await tf.setBackend('wasm'))) throw new Error('its WebAssembly backend does not start');
  await tf.ready();
  return tf;
}

async function nodePath() {
  const { createRequire } = await import('node:module');
  const { dirname, sep } = await import('node:path');
  const require = createRequire(import.meta.url);
  return dirname(require.resolve('@tensorflow/tfjs-backend-wasm')) + sep;
}

const softmax = (tf, scale) => (q, k, v) =>
  tf.matMul(tf.softmax(tf.mul(tf.matMul(q, k, false, true), scale)), v);

const linear = (tf, scale) => (q, k, v) =>
  tf.matMul(q, tf.mul(tf.matMul(k, v, true, false), scale));

async function prepareForward(make, { queries, keys, values, scale }) {
  const tf = await (loading ??= load());
  const inputs = [queries, keys, values].map(({ data, shape }) => tf.tensor2d(data, shape));
  const attend = make(tf, scale);
  return {
    run: () => tf.tidy(() => attend(...inputs).dataSync()),
    release: () => inputs.forEach((each) => each.dispose()),
  };
}

async function prepareGradient({ queries, keys, values, outputGradient, scale }) {
  const tf = await (loading ??= load());
  const tensors = [queries, keys, values, outputGradient].map(({ data, shape }) =>
    tf.tensor2d(data, shape),
  );
  const [g] = tensors.splice(3);
  const attend = softmax(tf, scale);
  const gradient = tf.grads((q, k, v) => tf.sum(tf.mul(attend(q, k, v), g)));
  return {
    run: () => tf.tidy(() => gradient(tensors).map((each) => each.dataSync())),
    release: () => [...tensors, g].forEach((each) => each.dispose()),
  };
}

const name = 'tfjs (wasm)';
export const forward = (input) => ({ name, prepare: () => prepareForward(softmax, input) });
export const linearForward = (input) => ({ name, prepare: () => prepareForward(linear, input) });
export const gradient = (input) => ({ name, prepare: () => prepareGradient(input) });

export async function tensorFlowNormals(count) {
  const tf = await (loading ??= load());
  return { draw: () => tf.tidy(() => tf.randomNormal([count]).dataSync()) };
}

// See cases/needle_gradient.mjs.
async function prepareNeedle({ prompts, length, dimension, tokens, labels, key, value }) {
  const tf = await (loading ??= load());
  const x = tf.tensor2d(tokens, [prompts * length, dimension]);
  const y = tf.tensor1d(labels);
  const parameters = [key, value].map((each) => tf.tensor2d(each, [dimension, 1]));
  const project = (along) =>
    tf.reshape(tf.mul(tf.matMul(x, along), 1 / Math.sqrt(dimension)), [prompts, length]);
  const gradient = tf.grads((k, v) => {
    const found = tf.sum(tf.mul(tf.softmax(project(k)), project(v)), 1);
    return tf.mul(tf.sum(tf.square(tf.sub(found, y))), 0.5);
  });
  return {
    run: () => tf.tidy(() => gradient(parameters).map((each) => each.dataSync())),
    release: () => [x, y, ...parameters].forEach((each) => each.dispose()),
  };
}

export const needleGradient = (input) => ({ name, prepare: () => prepareNeedle(input) });
