// The same core, built for this machine: for what WebAssembly's SIMD corresponds to (x86-64-v2,
// SSE 4.2) and for all the machine has (native).
import { fileURLToPath } from 'node:url';
import { programContender } from '../other_process.mjs';

const program = (machine) =>
  fileURLToPath(new URL(`../../../build/native/tests/bench/bench_${machine}`, import.meta.url));

// work: "NAME N D" of work.h; sum: what its results must sum to, about.
export function nativeContenders(openProgram, work, sum) {
  const check = (found) => {
    const error = Math.abs(found - sum) / Math.max(1, Math.abs(sum));
    if (!(error < 1e-3)) throw new Error(`its sum is ${found} and not ${sum}`);
  };
  return ['x86-64-v2', 'native'].map((machine) =>
    programContender(`native, ${machine}`, () => openProgram(program(machine)), work, {
      check: sum === undefined ? undefined : check,
    }),
  );
}
