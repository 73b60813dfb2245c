// Exponents of time over a factor of 64 in one size: what the method's own cost says.
import { loadKernels, openWork } from '../kernels.mjs';
import { exponent } from '../statistics.mjs';

const geometric = (from, to) => {
  const sizes = [];
  for (let size = from; size <= to; size *= 2) sizes.push(size);
  return sizes;
};

// Sizes are large enough that set-up does not count, and end where memory would.
const laws = [
  {
    name: 'softmax attention in n (m = n), d = 16',
    work: 'forward-f32',
    n: [64, 4096],
    d: 16,
    is: 2,
  },
  { name: 'its gradient in n, d = 16', work: 'gradient-f32', n: [64, 4096], d: 16, is: 2 },
  // From where the products outweigh the exponentials, which do not grow with d.
  { name: 'softmax attention in d, n = 128', work: 'forward-f32', n: 128, d: [64, 4096], is: 1 },
  { name: 'linear attention in n, d = 16', work: 'linear-f32', n: [1024, 65536], d: 16, is: 1 },
  { name: 'Gram in N, d = 6', work: 'gram', n: [256, 16384], d: 6, is: 1 },
  { name: 'needle gradient in D, 4 prompts', work: 'needle-gradient', n: 4, d: [64, 4096], is: 1 },
  { name: 'Gaussians in their number', work: 'gaussians', n: [4096, 262144], d: 0, is: 1 },
];

function fastest(run, sample) {
  let best = Infinity;
  const stop = performance.now() + sample;
  do {
    const start = performance.now();
    run();
    best = Math.min(best, performance.now() - start);
  } while (performance.now() < stop);
  return best;
}

function measure(kernels, { work, n, d }, sample) {
  const inN = Array.isArray(n);
  const sizes = geometric(...(inN ? n : d));
  const times = sizes.map((size) => {
    const opened = openWork(kernels, work, inN ? size : n, inN ? d : size);
    const time = fastest(opened.run, sample);
    opened.release();
    return time;
  });
  return exponent(sizes, times);
}

export async function* contests({ variant, quick }) {
  const kernels = await loadKernels(variant);
  for (const law of laws) {
    yield {
      name: law.name,
      value: measure(kernels, law, quick ? 60 : 300),
      unit: `(method: ${law.is})`,
      target: { atLeast: law.is - 0.1, atMost: law.is + 0.1 },
    };
  }
}
