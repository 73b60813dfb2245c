// A Redis of its own for a test: on the loopback, a free port, a folder that goes with it.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { findRedis } from '../../tools/redis.mjs';

const command = findRedis();
assert.ok(command, 'Redis is missing: npm test -- --only lib sets it up');
// It ends with the test, however that ends.
const setpriv = '/usr/bin/setpriv';
const leash = existsSync(setpriv) ? [setpriv, '--pdeathsig', 'KILL'] : [];

export function freePort() {
  return new Promise((done, fail) => {
    const server = createServer().once('error', fail);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });
}

const answers = (port) =>
  new Promise((done) => {
    const socket = connect(port, '127.0.0.1', () => socket.end(() => done(true)));
    socket.once('error', () => done(false));
  });

// tls: { key, certificate }. → { port, url, start(), stop(signal), close() }
export async function launchRedis({ password, tls } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'attnlab-redis-'));
  const port = await freePort();
  const place = (name) => join(folder, name);
  if (tls) {
    await writeFile(place('key.pem'), tls.key, { mode: 0o600 });
    await writeFile(place('certificate.pem'), tls.certificate);
  }
  const ports = tls
    ? ['--port', '0', '--tls-port', String(port), '--tls-auth-clients', 'no']
        .concat(['--tls-cert-file', place('certificate.pem'), '--tls-key-file', place('key.pem')])
        .concat(['--tls-ca-cert-file', place('certificate.pem')])
    : ['--port', String(port)];
  const args = [
    ...['--bind', '127.0.0.1', '--dir', folder, '--appendonly', 'yes', '--save', ''],
    ...(password ? ['--requirepass', password] : []),
    ...ports,
  ];
  let child;
  const start = async () => {
    const [file, ...rest] = [...leash, command.file, ...command.args, ...args];
    child = spawn(file, rest, { stdio: 'ignore' });
    while (!(await answers(port))) {
      assert.equal(child.exitCode, null, 'Redis ended at once');
      await new Promise((done) => setTimeout(done, 20));
    }
  };
  const stop = (signal = 'SIGTERM') =>
    new Promise((done) => {
      if (child.exitCode !== null || child.signalCode !== null) return done();
      child.once('exit', done);
      child.kill(signal);
    });
  const close = async () => {
    await stop('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  };
  await start();
  const access = password ? `:${password}@` : '';
  const scheme = tls ? 'rediss' : 'redis';
  return { port, url: `${scheme}://${access}127.0.0.1:${port}`, start, stop, close };
}

// The same, until the test file has ended.
export async function startRedis(options) {
  const redis = await launchRedis(options);
  after(redis.close);
  return redis;
}
