// What must be built before anything is measured.
import { build } from '../../tools/build.mjs';
import { compile } from '../../tools/compile.mjs';
import { installPeers } from './peers.mjs';

export async function prepare() {
  await build();
  await compile('wasm-simd', ['bench_kernels']);
  await compile('wasm-relaxed', ['bench_kernels']);
  await compile('native', ['bench_x86-64-v2', 'bench_native']);
  await installPeers();
}
