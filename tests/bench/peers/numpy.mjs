// numpy and scipy, where this machine has them ($PYTHON or python3).
import { fileURLToPath } from 'node:url';
import { programContender } from '../other_process.mjs';

const script = fileURLToPath(new URL('./numpy_peer.py', import.meta.url));

export function numpyContender(openProgram, order, { file, ...options } = {}) {
  const python = process.env.PYTHON ?? 'python3';
  const open = () => openProgram(python, file ? [script, file] : [script]);
  return programContender('numpy, native', open, order, options);
}
