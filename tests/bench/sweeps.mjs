// What sweeps cost: node tests/bench/sweeps.mjs [queue] [scaling] [memory]; without a name, all.
//   queue    how much of a worker's time the queue takes, with runs of some 200 ms
//   scaling  how much faster two workers are than one
//   memory   the peak of 100,000 runs of some 1 ms
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { launchRedis } from '../lib/redis_server.mjs';

const program = fileURLToPath(new URL('../../dist/lib/cli.js', import.meta.url));
const folder = await mkdtemp(join(tmpdir(), 'attnlab-sweeps-'));
const experiment = 'large-prompt.output';
const some = { experiment, parameters: { largestCount: 4096, replicates: 20 } };
const plans = {
  long: { ...some, seeds: { count: 60 } },
  // Long enough that starting and timing the sweep, which no worker shares, weigh little.
  longer: { ...some, seeds: { count: 300 } },
  short: {
    experiment,
    parameters: { largestCount: 64, replicates: 4, dimensions: [2] },
    seeds: { count: 100_000 },
  },
};
let files = 0;

function start(...args) {
  const child = spawn(process.execPath, [program, ...args], { cwd: folder });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (text) => (stdout += text));
  child.stderr.on('data', (text) => (stderr += text));
  const ended = new Promise((done, fail) => {
    child.once('close', (code) => {
      if (code === 0) done(stdout);
      else fail(new Error(`${args.join(' ')}: ${stderr}`));
    });
  });
  return { child, ended };
}

const startSweep = (plan, ...more) =>
  start('sweep', `${plan}.json`, '--out', `${++files}.jsonl`, ...more);

async function seconds(action) {
  const begun = performance.now();
  await action();
  return (performance.now() - begun) / 1000;
}

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
const print = (name, text) => process.stdout.write(`${name.padEnd(8)} ${text}\n`);

async function queue() {
  const redis = await launchRedis();
  try {
    const at = ['--queue', redis.url];
    const worker = start('worker', ...at, '--workers', '1', '--idle', '3');
    await startSweep('long', ...at).ended;
    print('queue', (await worker.ended).trim());
  } finally {
    await redis.close();
  }
}

// One after the other, so that what else the machine does falls on both.
async function scaling() {
  const ratios = [];
  for (let round = 0; round < 5; ++round) {
    const one = await seconds(() => startSweep('longer', '--workers', '1').ended);
    const two = await seconds(() => startSweep('longer', '--workers', '2').ended);
    ratios.push(one / two);
  }
  const all = ratios.map((ratio) => ratio.toFixed(2)).join(', ');
  print('scaling', `two workers ${median(ratios).toFixed(2)} times as fast as one (${all})`);
}

async function peakOf({ child, ended }) {
  let peak = 0;
  let isOver = false;
  void ended.finally(() => (isOver = true)).catch(() => {});
  while (!isOver) {
    const status = await readFile(`/proc/${child.pid}/status`, 'utf8').catch(() => '');
    peak = Math.max(peak, Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0));
    await new Promise((done) => setTimeout(done, 100));
  }
  await ended;
  return Math.round(peak / 1000);
}

async function memory() {
  const megabytes = await peakOf(startSweep('short', '--workers', '2'));
  print('memory', `100,000 runs, two workers in the same process: ${megabytes} MB`);
}

const measures = { queue, scaling, memory };
const asked = process.argv.slice(2);
try {
  for (const [name, plan] of Object.entries(plans)) {
    await writeFile(join(folder, `${name}.json`), JSON.stringify(plan));
  }
  for (const name of asked.length > 0 ? asked : Object.keys(measures)) await measures[name]();
} finally {
  await rm(folder, { recursive: true, force: true });
}
