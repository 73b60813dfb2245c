// In which engines, tiers and builds the cases are run.
import { relaxedSimdFlags } from '../../tools/relaxed-simd.mjs';

// V8 starts a function in its baseline tier and replaces it between two calls; --no-liftoff has
// everything optimised from the start. A user has the first, kernels are judged by the second.
const optimised = ['--no-liftoff', '--no-wasm-lazy-compilation'];

export const modes = [
  { name: 'node-simd', title: 'Node, simd', variant: 'simd', flags: [] },
  {
    name: 'node-simd-optimised',
    title: 'Node --no-liftoff, simd',
    variant: 'simd',
    flags: optimised,
  },
  { name: 'node-relaxed', title: 'Node, relaxed', variant: 'relaxed', flags: [] },
  {
    name: 'node-relaxed-optimised',
    title: 'Node --no-liftoff, relaxed',
    variant: 'relaxed',
    flags: optimised,
  },
  { name: 'chromium-simd', title: 'Chromium, simd', variant: 'simd', browser: 'Chromium' },
  { name: 'chromium-relaxed', title: 'Chromium, relaxed', variant: 'relaxed', browser: 'Chromium' },
  { name: 'firefox-simd', title: 'Firefox, simd', variant: 'simd', browser: 'Firefox' },
  { name: 'firefox-relaxed', title: 'Firefox, relaxed', variant: 'relaxed', browser: 'Firefox' },
];

// → Node's flags for a mode, or null where this Node cannot run its build.
export function flagsOf(mode) {
  if (mode.variant === 'simd') return mode.flags;
  const relaxed = relaxedSimdFlags();
  return relaxed && [...relaxed, ...mode.flags];
}
