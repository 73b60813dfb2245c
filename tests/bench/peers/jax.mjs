// jax-js on its WebAssembly device. An array is used up by the function it is given to: `.ref`
// keeps it.

let loading;
async function load() {
  const jax = await import('@jax-js/jax');
  await jax.init('wasm');
  jax.defaultDevice('wasm');
  return jax;
}

const arrayOf = (jax, { data, shape }) => jax.numpy.array(data, { shape: [...shape] });

const softmax = (jax, scale) => (q, k, v) => {
  const { numpy: np, nn } = jax;
  return np.matmul(nn.softmax(np.matmul(q, np.transpose(k)).mul(scale), -1), v);
};

const linear = (jax, scale) => (q, k, v) => {
  const { numpy: np } = jax;
  return np.matmul(q, np.matmul(np.transpose(k), v).mul(scale));
};

async function prepareForward(make, { queries, keys, values, scale }) {
  const jax = await (loading ??= load());
  const inputs = [queries, keys, values].map((each) => arrayOf(jax, each));
  const attend = jax.jit(make(jax, scale));
  return {
    run: () => attend(...inputs.map((each) => each.ref)).dataSync(),
    release: () => inputs.forEach((each) => each.dispose()),
  };
}

async function prepareGradient({ queries, keys, values, outputGradient, scale }) {
  const jax = await (loading ??= load());
  const inputs = [queries, keys, values, outputGradient].map((each) => arrayOf(jax, each));
  const attend = softmax(jax, scale);
  const loss = (q, k, v, g) => jax.numpy.sum(attend(q, k, v).mul(g));
  const gradient = jax.jit(jax.grad(loss, { argnums: [0, 1, 2] }));
  return {
    run: () => gradient(...inputs.map((each) => each.ref)).map((each) => each.dataSync()),
    release: () => inputs.forEach((each) => each.dispose()),
  };
}

const name = 'jax-js (wasm)';
export const forward = (input) => ({ name, prepare: () => prepareForward(softmax, input) });
export const linearForward = (input) => ({ name, prepare: () => prepareForward(linear, input) });
export const gradient = (input) => ({ name, prepare: () => prepareGradient(input) });

// See cases/needle_gradient.mjs.
async function prepareNeedle({ prompts, length, dimension, tokens, labels, key, value }) {
  const jax = await (loading ??= load());
  const { numpy: np, nn } = jax;
  const inputs = [
    arrayOf(jax, { data: key, shape: [dimension] }),
    arrayOf(jax, { data: value, shape: [dimension] }),
    arrayOf(jax, { data: tokens, shape: [prompts * length, dimension] }),
    arrayOf(jax, { data: labels, shape: [prompts] }),
  ];
  const scale = 1 / Math.sqrt(dimension);
  const loss = (k, v, x, y) => {
    const scores = np.matmul(x.ref, k).mul(scale).reshape([prompts, length]);
    const outputs = np.matmul(x, v).mul(scale).reshape([prompts, length]);
    const miss = nn.softmax(scores, -1).mul(outputs).sum(1).sub(y);
    return miss.ref.mul(miss).sum().mul(0.5);
  };
  const gradient = jax.jit(jax.grad(loss, { argnums: [0, 1] }));
  return {
    run: () => gradient(...inputs.map((each) => each.ref)).map((each) => each.dataSync()),
    release: () => inputs.forEach((each) => each.dispose()),
  };
}

export const needleGradient = (input) => ({ name, prepare: () => prepareNeedle(input) });
