// From where and how the module is loaded, and what is said when it cannot be.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { fingerprint, load } from '../../dist/lib/index.js';
import { refuses, shortRun } from './lab.mjs';

const library = fileURLToPath(new URL('../../dist/lib/', import.meta.url));
const wasm = await readFile(join(library, 'attnlab-simd.wasm'));
const id = 'large-prompt.output';

let scratch;
let server;
let base;
// path → how the server answers; `hits` counts.
const answers = new Map();
const hits = new Map();

before(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'attnlab '));
  server = createServer((request, response) => {
    const path = request.url;
    hits.set(path, (hits.get(path) ?? 0) + 1);
    const answer = answers.get(path) ?? { status: 404, type: 'text/html', body: '<!doctype html>' };
    response.writeHead(answer.status ?? 200, { 'content-type': answer.type ?? 'application/wasm' });
    response.end(answer.body);
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  base = `http://127.0.0.1:${server.address().port}`;
});

after(async () => {
  server.close();
  server.closeAllConnections();
  await rm(scratch, { recursive: true, force: true });
});

async function works(lab) {
  const result = await lab.run(id, shortRun, { workers: 0 }).result;
  assert.equal(result.status, 'done');
  lab.dispose();
  return fingerprint(result);
}

test('the library works from a path with blanks, # and other signs, from any folder, and exits by itself', async () => {
  const place = join(scratch, 'a # b ü % c');
  await cp(library, place, { recursive: true });
  const program = `
    import { load } from ${JSON.stringify(pathToFileURL(join(place, 'index.js')).href)};
    const lab = await load({ workers: 2 });
    const { status } = await lab.run('${id}', ${JSON.stringify(shortRun)}, { preset: 'text' }).result;
    console.log(status, lab.workerProblem);`;
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--input-type=module', '--eval', program],
    { cwd: '/', encoding: 'utf8', timeout: 60_000 },
  );
  assert.equal(stderr, '');
  assert.equal(stdout, 'done undefined\n');
  assert.equal(status, 0);
});

test('the module may be given as a path, a URL, bytes or compiled', async () => {
  const path = join(library, 'attnlab-simd.wasm');
  const url = pathToFileURL(path);
  const copy = new Uint8Array(wasm);
  const sources = [path, url, url.href, copy, copy.buffer, await WebAssembly.compile(wasm)];
  const prints = [];
  for (const source of sources) prints.push(await works(await load({ wasm: source })));
  prints.push(await works(await load({ wasm: { simd: path }, variant: 'simd' })));
  assert.equal(new Set(prints).size, 1);
});

test('many loads make one request and one compile', async () => {
  answers.set('/one.wasm', { body: wasm });
  // Node's own fetch compiles its parser when it is first used.
  await (await fetch(`${base}/warm-up`)).arrayBuffer();
  const { compile, compileStreaming } = WebAssembly;
  let compiles = 0;
  WebAssembly.compile = (...args) => (++compiles, compile(...args));
  WebAssembly.compileStreaming = (...args) => (++compiles, compileStreaming(...args));
  try {
    const labs = await Promise.all(
      Array.from({ length: 5 }, () => load({ wasm: `${base}/one.wasm` })),
    );
    for (const lab of labs) lab.dispose();
    await works(await load({ wasm: new URL(`${base}/one.wasm`) }));
  } finally {
    Object.assign(WebAssembly, { compile, compileStreaming });
  }
  assert.equal(hits.get('/one.wasm'), 1);
  assert.equal(compiles, 1);
});

test('a wrong MIME type is no hindrance', async () => {
  answers.set('/mime.wasm', { body: wasm, type: 'text/plain' });
  await works(await load({ wasm: `${base}/mime.wasm` }));
  answers.set('/parameter.wasm', { body: wasm, type: 'application/wasm; charset=utf-8' });
  await works(await load({ wasm: `${base}/parameter.wasm` }));
});

test('a page in place of the module, a missing one or none at all is an error with the URL, and a retry works', async () => {
  const cases = [
    ['/page.wasm', { type: 'text/html', body: '<!doctype html><title>no</title>' }, /an HTML page/],
    ['/typed.wasm', { body: '<!doctype html>' }, /does not compile|HTML/],
    ['/missing.wasm', { status: 404, body: 'not here' }, /status 404/],
    ['/broken.wasm', { status: 503, body: '' }, /status 503/],
    ['/cut.wasm', { body: wasm.subarray(0, 5000) }, /does not compile/],
    ['/cut-plain.wasm', { type: 'text/plain', body: wasm.subarray(0, 5000) }, /does not compile/],
    ['/empty.wasm', { type: 'text/plain', body: '' }, /not WebAssembly/],
  ];
  for (const [path, answer, expected] of cases) {
    answers.set(path, answer);
    const error = await refuses(() => load({ wasm: base + path }), 'load', 'wasm', path);
    assert.match(error.message, expected);
    assert.ok(error.message.includes(base + path), error.message);
    answers.set(path, { body: wasm });
    await works(await load({ wasm: base + path }));
  }
});

test('a server that is not there, a file that is not there and a bad address are errors', async () => {
  const gone = await refuses(
    () => load({ wasm: 'http://127.0.0.1:9/attnlab.wasm' }),
    'load',
    'wasm',
  );
  assert.ok(gone.message.includes('http://127.0.0.1:9/attnlab.wasm'));
  const file = await refuses(() => load({ wasm: join(scratch, 'no.wasm') }), 'load', 'wasm');
  assert.ok(file.message.includes('no.wasm'));
  await refuses(() => load({ wasm: 'http://[' }), 'load', 'wasm');
});

// A copy of the module whose stamp names another build, as a stale cache would serve it.
function stale() {
  const copy = Buffer.from(wasm);
  const at = copy.indexOf('"build":"') + '"build":"'.length;
  copy.write('0123456789abcdef', at, 'latin1');
  return copy;
}

test('an old module with a new script is a readable mismatch, and a retry works', async () => {
  answers.set('/old.wasm', { body: stale() });
  const error = await refuses(() => load({ wasm: `${base}/old.wasm` }), 'version-mismatch', 'wasm');
  assert.match(error.message, /build 0123456789abcdef/);
  assert.match(error.message, /reload/);
  answers.set('/old.wasm', { body: wasm });
  await works(await load({ wasm: `${base}/old.wasm` }));
});

test('some other module is no module of attnlab', async () => {
  const other = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]);
  const error = await refuses(() => load({ wasm: other }), 'version-mismatch', 'wasm');
  assert.match(error.message, /not a module of attnlab/);
});

test('an engine without SIMD is told apart, with what is needed', async () => {
  const { validate } = WebAssembly;
  WebAssembly.validate = () => false;
  try {
    const error = await refuses(() => load(), 'unsupported', 'WebAssembly');
    assert.match(error.message, /SIMD/);
  } finally {
    WebAssembly.validate = validate;
  }
});

test('bad options are refused by name', async () => {
  await refuses(() => load({ wasm: 5 }), 'type', 'wasm');
  await refuses(() => load({ wasm: null }), 'type', 'wasm');
  await refuses(() => load({ wasm: { fast: 'x' } }), 'unknown-name', 'fast');
  await refuses(() => load({ variant: 'fast' }), 'unknown-name', 'variant');
  await refuses(() => load({ variant: 5 }), 'type', 'variant');
  for (const workers of [-1, 2.5, NaN, 1e18, Infinity]) {
    await refuses(() => load({ workers }), undefined, 'workers');
  }
  await refuses(() => load({ workers: '2' }), 'type', 'workers');
  await refuses(() => load({ createWorker: 5 }), 'type', 'createWorker');
  await refuses(() => load({ resource: 'x' }), 'type', 'resource');
  await refuses(() => load({ wsam: 'x' }), 'unknown-name', 'wsam');
  await refuses(() => load({ wasm: Promise.resolve(new Uint8Array()) }), 'type', 'wasm');
  for (const options of [null, 5, 'x', [], new Map(), new Float64Array(1)])
    await refuses(() => load(options), 'type', 'options');
});

test('where createWorker makes no worker of ours, the run is done without, to the same bits', async () => {
  const alone = await load({ workers: 0 });
  const expected = fingerprint(await alone.run('large-prompt.output', shortRun).result);
  alone.dispose();
  const worker = {
    postMessage() {
      const broken = { type: 'broken', error: { code: 'worker', message: 'not ours' } };
      for (const odd of [null, undefined, 5, 'x', [], {}, { type: 'nothing' }, broken]) {
        this.onmessage?.({ data: odd });
      }
    },
    terminate() {},
  };
  for (const made of [undefined, null, 5, {}, Promise.resolve(), worker]) {
    const lab = await load({ workers: 1, createWorker: () => made });
    const result = await lab.run('large-prompt.output', shortRun).result;
    assert.equal(fingerprint(result), expected, String(made));
    lab.dispose();
  }
});

test('a resource that cannot be had is an error that names its address, and the next run tries again', async () => {
  const bytes = await readFile(join(library, 'data/glove-4000.bin'));
  let source = `${base}/no-words.bin`;
  const lab = await load({ resource: () => source, workers: 1 });
  const run = (workers) =>
    lab.run(id, { ...shortRun, magnitudes: [1] }, { preset: 'text', workers }).result;
  for (const workers of [0, 1]) {
    const error = await refuses(() => run(workers), 'load', 'resource');
    assert.ok(error.message.includes('/no-words.bin'));
  }
  source = new Uint8Array([1, 2, 3]);
  await refuses(() => run(0), 'malformed', 'resource');
  await refuses(() => run(1), 'malformed', 'resource');
  lab.dispose();
  const good = await load({ resource: () => bytes, workers: 1 });
  const { status } = await good.run(id, { ...shortRun, magnitudes: [1] }, { preset: 'text' })
    .result;
  assert.equal(status, 'done');
  good.dispose();
});

test('whatever the caller’s resource function does, the run is refused by the name of the option', async () => {
  const finds = {
    throws: () => {
      throw new Error('not today');
    },
    rejects: () => Promise.reject(new Error('not today')),
    'rejects with a number': () => Promise.reject(5),
    'gives nothing': () => undefined,
    'gives a number': () => 5,
    'gives a list': () => [1, 2],
    'gives no address': () => 'http://[',
  };
  for (const [what, resource] of Object.entries(finds)) {
    const lab = await load({ resource, workers: 0 });
    const text = { ...shortRun, magnitudes: [1] };
    await refuses(() => lab.run(id, text, { preset: 'text' }).result, 'load', 'resource', what);
    const paused = lab.run(id, text, { preset: 'text', paused: true });
    await refuses(() => paused.step(), 'load', 'resource', `${what}, in a step`);
    await refuses(() => paused.step(), 'load', 'resource', `${what}, after the end`);
    assert.equal((await lab.run(id, text).result).status, 'done', what);
    lab.dispose();
  }
});

test('the built files begin by saying what they are', async () => {
  for (const name of ['index.js', 'worker.js', 'data.js']) {
    const text = await readFile(join(library, name), 'utf8');
    assert.match(text, /^\/\/ attnlab \d+\.\d+\.\d+, commit \w+, /, name);
  }
  const lab = await load();
  assert.match(lab.provenance, /^attnlab \d+\.\d+\.\d+, commit \w+, /);
  lab.dispose();
  for (const variant of ['simd', 'relaxed']) {
    const bytes = await readFile(join(library, `attnlab-${variant}.wasm`));
    const text = bytes.subarray(8, 300).toString('latin1');
    assert.match(
      text,
      new RegExp(`"version":"\\d+\\.\\d+\\.\\d+","variant":"${variant}","build":"[0-9a-f]{16}"`),
    );
  }
});
