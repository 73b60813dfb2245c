// Runs a program and waits for it. Output goes to a log file; nothing is read from the terminal.
import { spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';

const children = new Set();
let stopping = false;

// Should this process be killed outright, what it started is told to end (Linux).
const setpriv = '/usr/bin/setpriv';
const leash = existsSync(setpriv) ? [setpriv, '--pdeathsig', 'TERM'] : [];

function stopAll(signal) {
  for (const child of children) {
    try {
      process.kill(-child.pid, signal);
    } catch {
      // It has ended meanwhile.
    }
  }
}

// Each program leads a process group, so that what it started ends with it.
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
]) {
  process.on(signal, () => {
    if (stopping) return;
    stopping = true;
    if (children.size > 0) process.stderr.write('\nStopped. The same command resumes.\n');
    stopAll('SIGTERM');
    setTimeout(() => stopAll('SIGKILL'), 500);
    setTimeout(() => process.exit(code), children.size > 0 ? 600 : 0);
  });
}
process.on('exit', () => stopAll('SIGKILL'));

// → { code, signal, timedOut }. code is null when a signal ended it; 127 when it does not exist.
// append: add to the log instead of starting it anew. timeout in seconds.
export function run(file, args, { cwd, env = process.env, log, append = false, timeout } = {}) {
  return new Promise((resolve, reject) => {
    let output = 'inherit';
    if (log) {
      mkdirSync(dirname(log), { recursive: true });
      output = openSync(log, append ? 'a' : 'w');
    }
    const [program, ...rest] = [...leash, file, ...args];
    const child = spawn(program, rest, {
      cwd,
      env,
      stdio: ['ignore', output, output],
      detached: true,
    });
    if (child.pid) children.add(child);
    let timedOut = false;
    const timer =
      timeout &&
      setTimeout(() => {
        timedOut = true;
        process.kill(-child.pid, 'SIGKILL');
      }, timeout * 1000);
    const finish = () => {
      clearTimeout(timer);
      children.delete(child);
      if (log) closeSync(output);
    };
    child.once('error', (error) => {
      finish();
      if (error.code === 'ENOENT') resolve({ code: 127, signal: null, timedOut });
      else reject(error);
    });
    child.once('exit', (code, signal) => {
      finish();
      // While we are being stopped nothing goes on, and no failure is reported.
      if (!stopping) resolve({ code, signal, timedOut });
    });
  });
}

// The last lines of a text file, for a failed step; a linker's endless line is cut.
export function tailOf(path, lines = 40, width = 400) {
  try {
    const all = readFileSync(path, 'utf8').trimEnd().split('\n');
    return all
      .slice(-lines)
      .map((line) => (line.length > width ? `${line.slice(0, width)} …` : line))
      .join('\n');
  } catch {
    return '';
  }
}
