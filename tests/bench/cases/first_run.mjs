// The first preset of each experiment right after load, and again once everything is warm. Each
// experiment in a process of its own: an engine keeps what it has optimised.
import { spawnSync } from 'node:child_process';
import { summary } from '../statistics.mjs';

const library = new URL('../../../dist/lib/index.js', import.meta.url);

const program = `
import { load } from '${library.href}';
const [variant, id] = process.argv.slice(1);
const lab = await load({ variant, workers: 1 });
const preset = lab.describe(id).presets[0]?.name;
const times = [];
for (let i = 0; i < 3; ++i) {
  const start = performance.now();
  await lab.run(id, {}, { seed: 1, ...(preset ? { preset } : {}) }).result;
  times.push(performance.now() - start);
}
console.log(JSON.stringify(times));
process.exit();
`;

export function* contests({ lab, variant }) {
  for (const { id } of lab.experiments) {
    const args = [...process.execArgv, '--input-type=module', '-e', program, variant, id];
    const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    try {
      const [first, ...warm] = JSON.parse(stdout);
      const { median } = summary(warm);
      yield {
        name: id,
        value: first / median,
        unit: `(${median.toFixed(0)} ms warm)`,
        target: { atMost: 1.5 },
      };
    } catch {
      yield { name: id, error: stderr || stdout };
    }
  }
}
