import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { networkInterfaces, tmpdir } from 'node:os';
import { connect } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { contentSecurityPolicy, readPort, serve } from '../../tools/serve.mjs';

const folder = mkdtempSync(join(tmpdir(), 'attnlab serve-'));
const root = join(folder, 'site');
let server;

before(async () => {
  mkdirSync(join(root, 'sub dir'), { recursive: true });
  mkdirSync(join(root, 'empty'));
  mkdirSync(join(folder, 'site-secret'));
  writeFileSync(join(folder, 'secret.txt'), 'secret');
  writeFileSync(join(folder, 'site-secret/secret.txt'), 'secret');
  writeFileSync(join(root, 'index.html'), '<!doctype html>home');
  writeFileSync(join(root, 'sub dir/index.html'), '<!doctype html>sub');
  writeFileSync(join(root, '.hidden'), 'secret');
  for (const name of ['a.wasm', 'a.mjs', 'a.js', 'a.css', 'a.json', 'a.svg', 'a.unknown']) {
    writeFileSync(join(root, name), '0123');
  }
  symlinkSync(join(folder, 'secret.txt'), join(root, 'link.txt'));
  symlinkSync(folder, join(root, 'up'));
  symlinkSync(join(folder, 'site-secret'), join(root, 'beside'));
  server = await serve({ root, port: 0 });
});
after(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

// Not fetch: it would tidy the path before it is sent.
function ask(path, { method = 'GET', port = server.port } = {}) {
  return new Promise((resolve, reject) => {
    const asking = request({ host: '127.0.0.1', port, path, method }, (response) => {
      let body = '';
      response.on('data', (chunk) => (body += chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode, headers: response.headers, body }),
      );
    });
    asking.on('error', reject).end();
  });
}

test('files come with the type that browsers insist on', async () => {
  const types = {
    'a.wasm': 'application/wasm',
    'a.mjs': 'text/javascript; charset=utf-8',
    'a.js': 'text/javascript; charset=utf-8',
    'a.css': 'text/css; charset=utf-8',
    'a.json': 'application/json; charset=utf-8',
    'a.svg': 'image/svg+xml; charset=utf-8',
    'a.unknown': 'application/octet-stream',
    '': 'text/html; charset=utf-8',
  };
  for (const [name, type] of Object.entries(types)) {
    const { status, headers } = await ask(`/${name}`);
    assert.equal(status, 200, name);
    assert.equal(headers['content-type'], type);
    assert.equal(headers['x-content-type-options'], 'nosniff');
  }
});

test('every answer carries the strict policy, errors too', async () => {
  for (const path of ['/', '/nothing', '/a.wasm']) {
    assert.equal((await ask(path)).headers['content-security-policy'], contentSecurityPolicy);
  }
  assert.doesNotMatch(contentSecurityPolicy, /unsafe-inline|'unsafe-eval'|\*/);
  assert.match(contentSecurityPolicy, /default-src 'none'; script-src 'self' 'wasm-unsafe-eval'/);
});

test('no path leads out of the folder', async () => {
  const paths = [
    '/../secret.txt',
    '/%2e%2e/secret.txt',
    '/..%2fsecret.txt',
    '/%2e%2e%2fsecret.txt',
    '/..%5csecret.txt',
    '/sub%20dir/../../secret.txt',
    '/../site-secret/secret.txt',
    '/link.txt',
    '/up/secret.txt',
    '/up/site-secret/secret.txt',
    '/beside/secret.txt',
    '/.hidden',
    '/a.js%00.txt',
    '//etc/passwd',
    '/%2fetc%2fpasswd',
    '/%252e%252e/secret.txt',
    '/%',
    'http://127.0.0.1/../secret.txt',
  ];
  for (const path of paths) {
    const { status, body } = await ask(path);
    assert.equal(status, 404, path);
    assert.doesNotMatch(body, /secret|root:/, path);
  }
});

test('a folder shows its index.html and nothing else', async () => {
  assert.equal((await ask('/sub%20dir/')).body, '<!doctype html>sub');
  assert.equal((await ask('/empty/')).status, 404);
  assert.equal((await ask('/index.html/')).status, 404);
  const moved = await ask('/sub%20dir?a=1?b');
  assert.equal(moved.status, 308);
  assert.equal(moved.headers.location, '/sub%20dir/?a=1?b');
});

test('a redirect never leads to another origin', async () => {
  const { headers } = await ask('//empty');
  assert.ok(!headers.location?.startsWith('//'), headers.location);
});

test('only GET and HEAD are answered', async () => {
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
    const { status, headers } = await ask('/', { method });
    assert.equal(status, 405);
    assert.equal(headers.allow, 'GET, HEAD');
  }
  const head = await ask('/a.wasm', { method: 'HEAD' });
  assert.deepEqual([head.status, head.body, head.headers['content-length']], [200, '', '4']);
});

test('headers can be replaced and taken away', async (t) => {
  const headers = { 'Content-Security-Policy': null, 'X-Frame-Options': 'DENY' };
  const other = await serve({ root, port: 0, headers });
  t.after(() => other.close());
  const answer = await ask('/', { port: other.port });
  assert.equal(answer.headers['content-security-policy'], undefined);
  assert.equal(answer.headers['x-frame-options'], 'DENY');
});

test('it listens on the loopback address alone', async () => {
  const others = Object.values(networkInterfaces())
    .flat()
    .filter(({ family, internal }) => family === 'IPv4' && !internal);
  for (const { address } of others) {
    const reached = await new Promise((resolve) => {
      const socket = connect({ host: address, port: server.port, timeout: 2000 });
      const end = (answer) => () => (socket.destroy(), resolve(answer));
      socket.on('connect', end(true)).on('error', end(false)).on('timeout', end(false));
    });
    assert.ok(!reached, address);
  }
});

test('a port in use is passed over, unless it was asked for', async (t) => {
  const first = await serve({ root });
  t.after(() => first.close());
  const second = await serve({ root });
  t.after(() => second.close());
  assert.notEqual(first.port, second.port);
  assert.ok(first.port >= 8137);
  await assert.rejects(serve({ root, port: server.port }), /is in use or not allowed/);
});

test('a folder that is not there is named', async () => {
  await assert.rejects(serve({ root: join(folder, 'nowhere'), port: 0 }), /nowhere.*npm run build/);
});

test('--port takes whole numbers from 0 to 65535', () => {
  assert.equal(readPort('8137'), 8137);
  assert.equal(readPort(undefined), undefined);
  for (const text of ['-1', '65536', '80.5', 'x', '', '1e3', ' 80']) {
    assert.throws(() => readPort(text), /--port is/, text);
  }
});
