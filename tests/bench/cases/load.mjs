// From nothing to the first result, and the size of the modules.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { summary } from '../statistics.mjs';

const library = new URL('../../../dist/lib/', import.meta.url);

const program = `
import { load } from '${library.href}index.js';
const start = performance.now();
const lab = await load({ variant: process.argv[1] });
const x = [[1, 2], [3, 4]];
lab.attention.forward({ queries: x, keys: x, values: x });
console.log(performance.now() - start);
process.exit();
`;

export function* contests({ variant, quick }) {
  const flags = process.execArgv;
  const times = Array.from({ length: quick ? 5 : 15 }, () => {
    const args = [...flags, '--input-type=module', '-e', program, variant];
    return Number(spawnSync(process.execPath, args, { encoding: 'utf8' }).stdout);
  });
  yield {
    name: 'load() and a first call',
    value: summary(times).median,
    unit: 'ms',
    target: { atMost: 60 },
  };
  const bytes = readFileSync(new URL(`attnlab-${variant}.wasm`, library));
  yield {
    name: `attnlab-${variant}.wasm, gzip -9`,
    value: gzipSync(bytes, { level: 9 }).length / 1000,
    unit: 'kB',
    target: { atMost: 250 },
  };
}
