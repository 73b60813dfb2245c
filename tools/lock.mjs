// One set-up at a time in a project: a lock file that names its owner. The lock of a process that
// is gone (Ctrl-C, kill -9, power cut) is taken over.
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

// A process id alone may be reused after a restart; with the start time it names one process.
function identityOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return `${pid} ${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]}`;
  } catch {
    try {
      process.kill(pid, 0);
      return `${pid} -`;
    } catch (error) {
      return error.code === 'EPERM' ? `${pid} -` : null;
    }
  }
}

function ownerOf(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

function take(path) {
  const mine = identityOf(process.pid);
  try {
    writeFileSync(path, mine, { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
  const owner = ownerOf(path);
  if (owner === null) return false; // just released: try again
  if (identityOf(Number(owner.split(' ')[0])) === owner) return false;
  // Stale. Two processes may see that at once: only one of them can rename it away.
  const away = `${path}.${process.pid}.tmp`;
  try {
    renameSync(path, away);
    rmSync(away, { force: true });
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
  return false;
}

// Runs action while holding the lock; onWait is told once, with the owner's process id.
export async function withLock(path, action, onWait = () => {}) {
  mkdirSync(dirname(path), { recursive: true });
  for (let told = false; !take(path); await sleep(200)) {
    const owner = ownerOf(path);
    if (told || owner === null) continue;
    told = true;
    onWait(owner.split(' ')[0]);
  }
  try {
    return await action();
  } finally {
    if (ownerOf(path) === identityOf(process.pid)) rmSync(path, { force: true });
  }
}
