// A contender that is another program (native code, Python): it answers a line with a number.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

// → { ask(line) → Promise of a number, close }. The program answers each line by one line.
export function openProgram(file, args = [], env = {}) {
  const child = spawn(file, args, {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, OPENBLAS_NUM_THREADS: '1', OMP_NUM_THREADS: '1', ...env },
  });
  const waiting = [];
  let said = '';
  child.stderr.on('data', (bytes) => (said = (said + bytes).slice(-400)));
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => waiting.shift()?.resolve(line));
  const end = (why) => waiting.splice(0).forEach(({ reject }) => reject(new Error(why)));
  child.once('error', (error) => end(error.message));
  child.once('close', () => end(said.trim().split('\n').at(-1) || 'it ended'));
  child.stdin.on('error', () => {});
  return {
    ask: (line) =>
      new Promise((resolve, reject) => {
        if (child.exitCode !== null) return reject(new Error('it ended'));
        waiting.push({ resolve, reject });
        child.stdin.write(`${line}\n`);
      }).then((answer) => {
        const number = Number(answer);
        if (Number.isNaN(number)) throw new Error(answer);
        return number;
      }),
    close: () => child.stdin.end(),
  };
}

// Times of `order` as the program measures them itself, so that the pipe does not count.
// check(sum) may throw where the program's sum of results is not the expected one.
export function programContender(name, open, order, { check, sample = 60 } = {}) {
  return {
    name,
    prepare: async () => {
      const program = open();
      check?.(await program.ask(`${order} 0`));
      const once = await program.ask(`${order} 1`);
      const repeats = Math.max(1, Math.ceil(sample / Math.max(once, 1e-3)));
      return { time: () => program.ask(`${order} ${repeats}`), release: program.close };
    },
  };
}
