// A case in a process of its own: a peer's memory, compiled code or crash touches no other case.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { flagsOf } from './modes.mjs';

const program = fileURLToPath(new URL('./in_node.mjs', import.meta.url));

function linesOf(stream, onLine) {
  let rest = '';
  stream.setEncoding('utf8');
  stream.on('data', (text) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop();
    lines.forEach(onLine);
  });
}

// → the results; an error of the process is one of them.
export function runInNode(theCase, mode, { quick }) {
  const flags = flagsOf(mode);
  if (flags === null) return [{ name: mode.title, error: 'this Node has no relaxed SIMD' }];
  const order = JSON.stringify({ name: theCase.name, variant: mode.variant, quick });
  return new Promise((resolve) => {
    const results = [];
    const child = spawn(process.execPath, [...flags, '--expose-gc', program, order], {
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    });
    let said = '';
    child.stdout.resume();
    child.stderr.on('data', (bytes) => (said = (said + bytes).slice(-2000)));
    linesOf(child.stdio[3], (line) => results.push(JSON.parse(line)));
    child.once('close', (code, signal) => {
      if (code !== 0) results.push({ name: 'the process', error: `${signal ?? code} ${said}` });
      resolve(results);
    });
  });
}
