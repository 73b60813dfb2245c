// Whether this Node takes relaxed SIMD as it is, or with which flag.
import { spawnSync } from 'node:child_process';

// (module (func (result v128) f32x4.relaxed_madd of three splats of 0))
const probe = [
  ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00], // magic, version
  ...[0x01, 0x05, 0x01, 0x60, 0x00, 0x01, 0x7b], // type: () → v128
  ...[0x03, 0x02, 0x01, 0x00], // one function of that type
  ...[0x0a, 0x13, 0x01, 0x11, 0x00], // code: one body without locals
  ...[0x41, 0x00, 0xfd, 0x0f, 0x41, 0x00, 0xfd, 0x0f, 0x41, 0x00, 0xfd, 0x0f], // i8x16.splat(0) × 3
  ...[0xfd, 0x85, 0x02, 0x0b], // f32x4.relaxed_madd, end
];

// → [] or [flag], or null where Node cannot do it at all.
export function relaxedSimdFlags(node = process.execPath) {
  const program = `process.exit(WebAssembly.validate(new Uint8Array([${probe}])) ? 0 : 1)`;
  const ways = [[], ['--experimental-wasm-relaxed-simd']];
  return ways.find((flags) => spawnSync(node, [...flags, '-e', program]).status === 0) ?? null;
}
