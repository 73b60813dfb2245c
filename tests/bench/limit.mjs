// What the machine can do at best in a build: multiply-adds in registers, and exponentials in the
// nearest cache. Measured anew in each round, beside the contenders.
import { loadKernels } from './kernels.mjs';

const clock = () => performance.now();

function fastest(action, times = 5) {
  let best = Infinity;
  for (let i = 0; i < times; ++i) {
    const start = clock();
    action();
    best = Math.min(best, clock() - start);
  }
  return best;
}

// Bounded calls, so that the engine may put the optimised function in their place.
const calls = 1000;

// → { multiplyAdds(type, count), exponentials(type, count) }: milliseconds at the limit; undefined
// where the kernels are not built.
export async function openLimit(variant) {
  const kernels = await loadKernels(variant);
  if (!kernels) return undefined;
  const lanes = { f32: 4, f64: 2 };
  const perCall = {
    multiply_adds: (type) => kernels._limit_multiply_adds_per_call(lanes[type]),
    exponentials: () => kernels._limit_exponentials_per_call(),
  };
  const milliseconds = (what, type) => {
    const kernel = kernels[`_limit_${what}_${type}`];
    const many = () => {
      for (let i = 0; i < calls; ++i) kernel();
    };
    return fastest(many) / calls / perCall[what](type);
  };
  // Warm: the better tier comes with calls, too.
  for (let i = 0; i < 4; ++i)
    for (const type of ['f32', 'f64'])
      for (const what of ['multiply_adds', 'exponentials']) milliseconds(what, type);
  return {
    multiplyAdds: (type, count) => count * milliseconds('multiply_adds', type),
    exponentials: (type, count) => count * milliseconds('exponentials', type),
  };
}
