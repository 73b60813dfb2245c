// Who gets into a queue, and what is said to whoever does not.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { after, test } from 'node:test';
import { selfSigned } from './certificate.mjs';
import { freePort, startRedis } from './redis_server.mjs';
import { cliAlone, inFolder, merged, start, sweepWhole } from './sweeping.mjs';

// Its characters have to be spelled in an address.
const password = 'pa/ss:wörd@%';
const spelled = encodeURIComponent(password);
const certificate = selfSigned();
const redis = await startRedis({ password });
const secure = await startRedis({ password, tls: certificate });
const whole = await sweepWhole();
await writeFile(inFolder('ca.pem'), certificate.certificate);

const place = ({ port }) => `127.0.0.1:${port}`;
const address = (server, scheme = 'redis', secret = spelled) =>
  `${scheme}://:${secret}@${place(server)}`;

async function run(args, options) {
  const told = await start(args, options).ended;
  for (const text of [told.stdout, told.stderr]) {
    for (const secret of [password, spelled, 'pa/ss']) assert.ok(!text.includes(secret), text);
    assert.doesNotMatch(text, /\n\s+at /, 'no stack');
  }
  return told;
}

async function refused(code, pattern, args, options) {
  const said = await run(['worker', '--queue-wait', '5', '--idle', '1', ...args], options);
  assert.match(said.stderr, pattern);
  assert.equal(said.code, code, said.stderr);
}

async function sweepsBy(queue, out, options) {
  const worker = start(['worker', ...queue, '--workers', '1'], options);
  const { code, stderr } = await run(['sweep', 'tiny.json', '--out', out, ...queue], options);
  assert.equal(code, 0, stderr);
  worker.child.kill('SIGTERM');
  assert.equal((await worker.ended).code, 130);
  assert.equal(await merged(out), whole);
}

test('a password lets in, from the address or the environment, and is never shown', async () => {
  await sweepsBy(['--queue', address(redis)], 'password.jsonl');
  const env = { ATTNLAB_QUEUE_PASSWORD: password };
  await sweepsBy(['--queue', `redis://${place(redis)}`], 'variable.jsonl', { env });
});

test('a wrong password, and none where one is wanted, are refused at once', async () => {
  const at = place(redis).replaceAll('.', '\\.');
  const wrong = new RegExp(`^attnlab: --queue: Redis at ${at} refuses the user or the password`);
  await refused(1, wrong, ['--queue', address(redis, 'redis', 'wrong')]);
  const none = new RegExp(`^attnlab: --queue: Redis at ${at} wants a password`);
  await refused(1, none, ['--queue', `redis://${place(redis)}`]);
});

test('TLS works with a certificate that is trusted, by file or by Node, and not without', async () => {
  const queue = ['--queue', address(secure, 'rediss')];
  await sweepsBy([...queue, '--queue-ca', 'ca.pem'], 'tls.jsonl');
  const env = { NODE_EXTRA_CA_CERTS: inFolder('ca.pem') };
  await sweepsBy(queue, 'tls-node.jsonl', { env });
  await refused(1, /has a certificate that is not trusted \(.*\); --queue-ca FILE/, queue, {
    env: { NODE_EXTRA_CA_CERTS: '' },
  });
});

test('where no Redis is, that is said with host and port after the stated time', async () => {
  const port = await freePort();
  const pattern = new RegExp(
    `^attnlab: --queue: Redis at 127\\.0\\.0\\.1:${port} cannot be reached \\(ECONNREFUSED\\); given up after 0\\.5 s\n`,
  );
  const queue = ['--queue', `redis://:${spelled}@127.0.0.1:${port}`, '--queue-wait', '0.5'];
  for (const args of [['worker'], ['sweep', 'tiny.json', '--out', 'none.jsonl']]) {
    const { code, stderr } = await run([...args, ...queue]);
    assert.match(stderr, pattern);
    assert.equal(code, 1);
  }
  const silent = createServer(() => {});
  await new Promise((done) => silent.listen(0, '127.0.0.1', done));
  after(() => silent.close());
  const asked = `redis://127.0.0.1:${silent.address().port}`;
  const { stderr } = await run(['worker', '--queue', asked, '--queue-wait', '1']);
  assert.match(stderr, /cannot be reached \(.*\); given up after 1 s/);
});

test('a Redis that comes up within that time is waited for', async () => {
  await redis.stop();
  const queue = ['--queue', address(redis), '--queue-wait', '20'];
  const worker = run(['worker', ...queue, '--idle', '0.5', '--workers', '1']);
  await new Promise((done) => setTimeout(done, 1000));
  await redis.start();
  const { code, stderr } = await worker;
  assert.equal(code, 0, stderr);
});

test('a wrong address or option is named before anything starts', async () => {
  const queue = `redis://127.0.0.1:${redis.port}`;
  const bad = (pattern, ...args) => refused(2, pattern, args);
  await Promise.all([
    bad(/--queue: is no address; redis:\/\//, '--queue', 'localhost'),
    bad(/--queue: is no address; redis:\/\//, '--queue', `redis://:${password}@127.0.0.1:1`),
    bad(/--queue: begins with http:\/\//, '--queue', `http://:${spelled}@localhost`),
    bad(/--queue: has a path that is no number/, '--queue', `${queue}/tasks`),
    bad(/--queue: has more behind its database/, '--queue', `${queue}/0?a=b`),
    bad(/--queue-ca: goes with a rediss:/, '--queue', queue, '--queue-ca', 'ca.pem'),
    bad(/--queue-ca: none\.pem cannot be read/, '--queue=rediss://h', '--queue-ca', 'none.pem'),
    bad(/--queue-ca: tiny\.json holds no cert/, '--queue=rediss://h', '--queue-ca', 'tiny.json'),
    bad(/--queue: is given 2 times/, '--queue', queue, '--queue', queue),
  ]);
  const said = async (pattern, ...args) => {
    const { code, stderr } = await run(args);
    assert.match(stderr, pattern);
    assert.equal(code, 2);
  };
  const sweep = ['sweep', 'tiny.json', '--out', 'no.jsonl'];
  await Promise.all([
    said(/^attnlab: --queue: the address of the queue is missing/, 'worker'),
    said(/--queue-wait: is "0"; seconds above 0/, 'worker', '--queue', queue, '--queue-wait', '0'),
    said(/--idle: is "no"; seconds above 0/, 'worker', '--queue', queue, '--idle', 'no'),
    said(/--workers: is 65/, 'worker', '--queue', queue, '--workers', '65'),
    said(/worker: plan\.json is too much/, 'worker', 'plan.json', '--queue', queue),
    said(/--queue-ca: goes with --queue/, ...sweep, '--queue-ca', 'ca.pem'),
    said(/--workers: goes with attnlab worker/, ...sweep, '--queue', queue, '--workers', '2'),
  ]);
});

test('without the packages the command says how they are had, and does all else', async () => {
  const options = { cli: await cliAlone() };
  const queue = ['--queue', address(redis)];
  await refused(
    1,
    /^attnlab: --queue: needs bullmq and ioredis.*; npm install bullmq ioredis\n$/,
    queue,
    options,
  );
  const sweep = ['sweep', 'tiny.json', '--out', 'alone.jsonl', '--workers', '0'];
  const missing = await run([...sweep.slice(0, 4), ...queue], options);
  assert.match(missing.stderr, /npm install bullmq ioredis/);
  const { code, stderr } = await run(sweep, options);
  assert.equal(code, 0, stderr);
});
