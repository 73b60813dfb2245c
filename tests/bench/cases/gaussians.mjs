// Standard normal numbers in double. Each generator has its own, so what is compared is their mean
// and mean square.
import { loadKernels, openWork } from '../kernels.mjs';
import { nativeContenders } from '../peers/native.mjs';
import { numpyContender } from '../peers/numpy.mjs';
import { stdlibNormals } from '../peers/stdlib.mjs';
import { tensorFlowNormals } from '../peers/tfjs.mjs';

export function requireNormal(numbers) {
  const mean = (of) => of.reduce((sum, each) => sum + each, 0) / numbers.length;
  const error = 6 / Math.sqrt(numbers.length);
  const found = [mean(numbers), mean(numbers.map((each) => each * each)) - 1];
  if (!found.every((each) => Math.abs(each) < error)) throw new Error(`moments off by ${found}`);
}

const checked = (name, prepare) => ({
  name,
  prepare: async () => {
    const { draw, release } = await prepare();
    requireNormal(draw());
    // No numbers are handed on: no two generators have the same.
    return {
      run: () => {
        draw();
      },
      release,
    };
  },
});

async function contest({ variant, peers, openProgram }, count) {
  const kernels = await loadKernels(variant);
  const attnlab = {
    name: 'AttnLab',
    prepare: () => {
      const { run, result, release } = openWork(kernels, 'gaussians', count);
      run();
      requireNormal(result());
      return { run, release };
    },
  };
  const contenders = [attnlab];
  if (peers) {
    contenders.push(
      numpyContender(openProgram, `gaussians ${count} 0`),
      ...(await stdlibNormals(count)).map(([name, prepare]) => checked(name, prepare)),
      checked('tfjs (wasm)', () => tensorFlowNormals(count)),
      ...nativeContenders(openProgram, `gaussians ${count} 0`),
    );
  }
  return {
    name: `${count} numbers`,
    contenders,
    targets: { 'numpy, native': { atLeast: 1.7 } },
  };
}

export async function* contests(context) {
  yield contest(context, 65536);
}
