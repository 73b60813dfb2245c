// One case in one mode, in a process of its own: node [flags] in_node.mjs {case, variant, quick}.
// Each result is a line of JSON on file descriptor 3; what peers say goes where it goes.
import { writeSync } from 'node:fs';
import { load } from '../../dist/lib/index.js';
import { cases } from './cases/index.mjs';
import { judge } from './judge.mjs';
import { openLimit } from './limit.mjs';
import { openProgram } from './other_process.mjs';

const { name, variant, quick } = JSON.parse(process.argv[2]);
const theCase = cases.find((each) => each.name === name);
const relaxed = variant === 'relaxed';
// The processor's time, all threads together: another process that takes its turn does not count.
const processorTime = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};
const say = (result) => writeSync(3, `${JSON.stringify(result)}\n`);

try {
  await judge(
    await theCase.open(),
    {
      lab: await load({ variant }),
      // Beside the relaxed build runs the simd one, and the peers beside that.
      simd: relaxed ? await load({ variant: 'simd' }) : undefined,
      peers: !relaxed,
      limit: await openLimit(variant),
      variant,
      quick,
      openProgram,
      clock: processorTime,
    },
    say,
  );
} catch (error) {
  say({ name: 'the case itself', error: error?.stack ?? String(error) });
}
process.exit();
