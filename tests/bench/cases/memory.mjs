// What a large n takes. Each contender in a process of its own, whose largest resident size counts,
// over that of the same process at n = 256.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../memory_process.mjs', import.meta.url));

function measure(name, work, n) {
  const args = [...process.execArgv, program, name, work, String(n)];
  const { stdout, stderr } = spawnSync(process.execPath, args, {
    encoding: 'utf8',
    timeout: 1200_000,
  });
  const answer = stdout.split('\n').find((line) => line.startsWith('{'));
  if (!answer) return { error: stderr.trim().split('\n').at(-1) || 'the process was ended' };
  return JSON.parse(answer);
}

export function* contests({ quick }) {
  const large = quick ? 16384 : 131072;
  const orders = [
    ...['forward', 'gradient'].map((work) => ['attnlab', work, large]),
    ...['onnxruntime', 'jax', 'tfjs'].flatMap((name) =>
      [8192, 16384, 32768].map((n) => [name, 'forward', n]),
    ),
  ];
  for (const [name, work, n] of orders) {
    const { megabytes, seconds, error } = measure(name, work, n);
    const what = `${name}, ${work}, n = ${n}`;
    if (error) yield { name: what, error };
    else {
      yield {
        name: what,
        value: megabytes,
        unit: `MB in ${seconds.toFixed(1)} s`,
        ...(name === 'attnlab' ? { target: { atMost: 256 } } : {}),
      };
    }
  }
}
