// The command line as its users meet it: words in, text out, exit codes.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { lstat, mkdtemp, readFile, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { fingerprint, fitFromJson, fromCsv, fromJson, writeNpy } from '../../dist/lib/index.js';
import { openLab } from './lab.mjs';
import { matrix } from './rows.mjs';

const program = fileURLToPath(new URL('../../dist/lib/cli.js', import.meta.url));
const id = 'large-prompt.output';
const short = ['--set', 'largestCount=512', '--set', 'replicates=4', '--set', 'magnitudes=0.5,1'];
const long = ['--set', 'largestCount=131072', '--set', 'replicates=4000'];
const lab = await openLab();

let folder;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'attnlab cli '));
});
after(() => rm(folder, { recursive: true, force: true }));

function start(args, options = {}) {
  return spawn(process.execPath, [program, ...args], { cwd: folder, ...options });
}

async function attnlab(...args) {
  const child = start(args);
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text) => (stderr += text));
  const [code, signal] = await new Promise((done) => child.on('close', (...how) => done(how)));
  return { code, signal, stdout, stderr };
}

async function succeeds(...args) {
  const { code, stdout, stderr } = await attnlab(...args);
  assert.equal(code, 0, stderr);
  assert.equal(stderr, '', 'nothing on standard error where it is no terminal');
  return stdout;
}

async function misused(pattern, ...args) {
  const { code, stdout, stderr } = await attnlab(...args);
  assert.equal(code, 2, `${args.join(' ')}: code ${code}: ${stderr}`);
  assert.equal(stdout, '', `${args.join(' ')}: nothing on standard output`);
  assert.match(stderr, pattern);
  assert.doesNotMatch(stderr, /\n\s+at /, 'no stack');
}

test('list names every experiment, as text and as JSON', async () => {
  const text = await succeeds('list');
  for (const { id: one, title } of lab.experiments) {
    assert.ok(text.split('\n').some((line) => line.startsWith(one) && line.includes(title)));
  }
  const json = JSON.parse(await succeeds('list', '--format', 'json'));
  assert.deepEqual(
    json.map((one) => one.id),
    lab.experiments.map((one) => one.id),
  );
});

test('describe names every parameter, preset and column, as text and as JSON', async () => {
  for (const experiment of lab.experiments) {
    const text = await succeeds('describe', experiment.id);
    for (const { name } of [...experiment.parameters, ...experiment.presets]) {
      assert.ok(text.includes(`\n  ${name}`), `${experiment.id}: ${name}`);
    }
    for (const table of experiment.tables) {
      for (const { name } of table.columns) assert.ok(text.includes(`\n  ${table.name}.${name}`));
    }
  }
  const json = JSON.parse(await succeeds('describe', id, '--format=json'));
  assert.equal(json.id, id);
  assert.equal(await succeeds('run', id, '--help'), await succeeds('describe', id));
});

test('help and version', async () => {
  for (const args of [['--help'], ['-h'], ['run', '--help']]) {
    assert.match(await succeeds(...args), /^usage: attnlab COMMAND/);
  }
  assert.equal(await succeeds('--version'), `${lab.version}\n`);
  const { code, stderr } = await attnlab();
  assert.equal(code, 2);
  assert.match(stderr, /^usage: attnlab COMMAND/);
});

test('run gives the library’s numbers, as JSON, as CSV, on standard output and in a file', async () => {
  const expected = fingerprint(
    await lab.run(id, { largestCount: 512, replicates: 4, magnitudes: [0.5, 1] }, { seed: 7 })
      .result,
  );
  for (const workers of ['0', '2']) {
    const json = await succeeds('run', id, ...short, '--seed', '7', '--workers', workers);
    const result = fromJson(json);
    assert.equal(fingerprint(result), expected);
    assert.equal(result.seed, 7);
  }
  const csv = await succeeds('run', id, ...short, '--seed=7', '--format=csv');
  assert.equal(fingerprint(fromCsv(csv)), expected);
  const out = join(folder, 'out # 1.json');
  assert.equal(await succeeds('run', id, ...short, '--seed', '7', '--out', out), '');
  assert.equal(fingerprint(fromJson(await readFile(out, 'utf8'))), expected);
  assert.ok(
    (await readdir(folder)).every((name) => !name.endsWith('.tmp')),
    'nothing half-made is left',
  );
  const one = await succeeds(
    'run',
    id,
    ...short,
    '--seed',
    '7',
    '--format',
    'csv',
    '--table',
    'curves',
  );
  assert.ok(one.startsWith('curve,'));
});

test('a preset with real text runs', async () => {
  const json = await succeeds(
    'run',
    id,
    '--preset',
    'text',
    '--set',
    'largestCount=256',
    '--set',
    'replicates=4',
  );
  assert.ok(fromJson(json).tables.summary.columns.knownWords[0] > 50);
});

test('matrices and texts come from files', async () => {
  const data = Float64Array.from({ length: 300 }, (_, i) => Math.sin(i * i));
  const rows = Array.from({ length: 100 }, (_, i) => Array.from(data.slice(3 * i, 3 * i + 3)));
  await writeFile(join(folder, 'a.npy'), writeNpy({ data, shape: [100, 3] }));
  await writeFile(join(folder, 'a.json'), JSON.stringify(rows));
  await writeFile(join(folder, 'a.csv'), `x,y,z\n${rows.join('\n')}\n`);
  await writeFile(join(folder, 'a.tsv'), rows.map((row) => row.join('\t')).join('\n'));
  const matrix = lab.describe(id).parameters.find(({ type }) => type === 'matrix');
  const { choice } = { choice: matrix.shownWhen };
  const prints = new Set();
  for (const name of ['a.npy', 'a.json', 'a.csv', 'a.tsv']) {
    const json = await succeeds(
      'run',
      id,
      ...short,
      '--set',
      `${choice.parameter}=${choice.values[0]}`,
      '--set',
      `${matrix.name}=@${name}`,
    );
    const result = fromJson(json);
    assert.deepEqual(result.params[matrix.name].shape, [100, 3]);
    prints.add(fingerprint(result));
  }
  assert.equal(prints.size, 1);
  await writeFile(join(folder, 'a.txt'), 'the cat and the dog');
  for (const [written, text] of [
    ['@a.txt', 'the cat and the dog'],
    ['@@the cat and the dog', '@the cat and the dog'],
    ['@@@the dog and the cat', '@@the dog and the cat'],
  ]) {
    const json = await succeeds(
      ...[
        'run',
        id,
        ...short,
        '--set',
        'source=text',
        '--set',
        'components=1',
        '--set',
        `text=${written}`,
      ],
    );
    assert.equal(fromJson(json).params.text, text);
  }
});

test('every wrong use exits with 2, says what is wrong and prints nothing else', async () => {
  await misused(/"lst" is not a command/, 'lst');
  await misused(/--nothing: is not an option/, 'list', '--nothing');
  await misused(/--seed: is not an option/, 'list', '--seed', '1');
  await misused(/is too much/, 'list', 'more');
  await misused(/an experiment is missing/, 'run');
  await misused(/an experiment is missing/, 'describe');
  await misused(/is too much/, 'run', id, 'more');
  await misused(/did you mean "large-prompt\.output"/, 'run', 'large-prompt.outpt');
  await misused(/experiment: /, 'describe', '__proto__');
  await misused(/--format: "xml"/, 'run', id, '--format', 'xml');
  await misused(/--format: a value is missing/, 'run', id, '--format');
  await misused(/--format: is given 2 times/, 'run', id, '--format', 'csv', '--format', 'json');
  await misused(/--table: goes with --format csv/, 'run', id, '--table', 'points');
  await misused(/--table: "x" is not known/, 'run', id, '--format', 'csv', '--table', 'x');
  await misused(/preset: "x" is not a preset/, 'run', id, '--preset', 'x');
  for (const seed of ['-1', '2.5', 'abc', '', '18446744073709551616', '1e3', '0x10', 'NaN']) {
    await misused(/seed: /, 'run', id, `--seed=${seed}`);
  }
  for (const workers of ['-1', '2.5', 'x', '', '65', '1e18']) {
    await misused(/workers: /, 'run', id, `--workers=${workers}`);
  }
  const set = (pattern, setting) => misused(pattern, 'run', id, '--set', setting);
  await misused(/--set: a is given more than once/, 'run', id, '--set', 'a=1', '--set', 'a=2');
  for (const [command, ...more] of [['list'], ['describe', id], ['run', id, ...long], ['merge']]) {
    await misused(/--out: is empty/, command, ...more, '--out', '');
    await misused(/--out: is empty/, command, ...more, '--out=');
  }
  await misused(/--out: is empty/, 'fit', '--prompts', 'x.csv', '--out', '');
  await misused(/--out: is empty/, 'sweep', 'plan.json', '--out', '');
  await misused(/^attnlab: merge: \S+ cannot be read: EISDIR/, 'merge', tmpdir());
  await set(/is not name=value/, 'largestCount');
  await set(/is not name=value/, '=5');
  await set(/nothing: is not a parameter/, 'nothing=5');
  await set(/__proto__: is not a parameter/, '__proto__=5');
  for (const value of ['', 'x', '2.5', '-1', '1e18', 'NaN', 'Infinity', '-inf', '0x10', '1_000']) {
    await set(/^attnlab: largestCount: /, `largestCount=${value}`);
  }
  for (const value of ['', 'x', '1,,2', '1,NaN', '1;2', '-1', '1e18', '1,2,3,4,5,6,7,8,9']) {
    await set(/^attnlab: magnitudes: /, `magnitudes=${value}`);
  }
  const { name } = lab.describe(id).parameters.find(({ type }) => type === 'matrix');
  const matrix = new RegExp(`^attnlab: ${name}: `);
  await set(matrix, `${name}=@${join(folder, 'not-there.csv')}`);
  await set(matrix, `${name}=@${folder}`);
  for (const [file, content] of Object.entries({
    'bad.csv': '1,2\n3,x\n',
    'ragged.csv': '1,2\n3\n',
    'empty.csv': '',
    'nan.csv': '1,NaN\n',
    'bad.json': '[[1,2],[3]]',
    'cut.json': '[[1,',
    'bad.npy': 'hello',
    'binary.csv': Buffer.from([0xff, 0xfe, 0, 1]),
  })) {
    await writeFile(join(folder, file), content);
    await set(matrix, `${name}=@${file}`);
  }
});

// 60 prompts of 4 tokens in 2 dimensions; y = <z_1, z_1> z_2 of the last token's query.
const promptList = Array.from({ length: 60 }, (_, i) => matrix(4, 2, i));
const targetList = promptList.map((rows) => rows.reduce((sum, [x]) => sum + x * x, 0) * rows[3][1]);

test('fit and certify read prompts in every form and give the library’s numbers', async () => {
  const write = (name, content) => writeFile(join(folder, name), content);
  await write('p.json', JSON.stringify(promptList));
  await write('p.csv', promptList.flat().join('\n'));
  const marked = promptList.flatMap((rows, i) => rows.map((row) => [i, ...row].join(',')));
  await write('marked.csv', `prompt,x,y\n${marked.join('\n')}\n`);
  await write('y.csv', targetList.join('\n'));
  const expected = await lab.mhla.fit({ prompts: promptList, targets: targetList.map((y) => [y]) });
  for (const prompts of [['p.json'], ['p.csv', '--length', '4'], ['marked.csv']]) {
    const fit = fitFromJson(await succeeds('fit', '--prompts', ...prompts, '--targets', 'y.csv'));
    assert.deepEqual(fit, expected);
  }
  assert.ok(expected.trainingError < 1e-24 * expected.targetVariance);
  await write('q.json', JSON.stringify([[[1, 2]]]));
  const certificate = JSON.parse(
    await succeeds('certify', '--prompts', 'p.json', '--queries', 'q.json', '--null-space'),
  );
  assert.equal(certificate.identifiable, true);
  assert.equal(certificate.rank, 6);
  assert.equal(certificate.perInput[0].determined, true);
});

test('fit and certify refuse bad files and options by name', async () => {
  await misused(/--prompts: a file is missing/, 'fit');
  await misused(/--targets: a file is missing/, 'fit', '--prompts', 'p.json');
  await misused(/--prompts: .*no\.json/, 'certify', '--prompts', 'no.json');
  await misused(/is too much/, 'certify', 'x');
  await misused(/--queries: is not an option/, 'fit', '--queries', 'p.json');
  await misused(/mode: "x" is not known/, 'certify', '--prompts', 'p.json', '--mode', 'x');
  await misused(/length: /, 'certify', '--prompts', 'p.csv', '--length', '7');
  await misused(
    /--ridge: "x" is not a number/,
    'fit',
    '--prompts',
    'p.json',
    '--targets',
    'y.csv',
    '--ridge',
    'x',
  );
  await misused(/ridge: is -1/, 'fit', '--prompts', 'p.json', '--targets', 'y.csv', '--ridge=-1');
  const before = await readFile(join(folder, 'y.csv'), 'utf8');
  const over = ['fit', '--prompts', 'p.json', '--targets', 'y.csv', '--out'];
  await misused(/--out: \.\/y\.csv is an input; choose another file/, ...over, './y.csv');
  assert.equal(await readFile(join(folder, 'y.csv'), 'utf8'), before);
  await misused(/--out: p\.json is an input/, 'certify', '--prompts', 'p.json', '--out', 'p.json');
  await writeFile(join(folder, 'square.csv'), '1,2\n3,4\n');
  const weighted = ['--prompts', 'p.json', '--weights', 'square.csv'];
  await misused(/--weights: is 2 x 2; one row or one column/, 'certify', ...weighted);
  await writeFile(join(folder, 'short.csv'), '1\n2\n');
  await misused(/targets: /, 'fit', '--prompts', 'p.json', '--targets', 'short.csv');
  await writeFile(join(folder, 'mixed.csv'), 'prompt,x\n1,1\n2,1\n1,1\n');
  await misused(/prompt 1 goes on in row 3/, 'certify', '--prompts', 'mixed.csv');
});

test('a file that cannot be written is a failure', async () => {
  const out = join(folder, 'no', 'such', 'place.json');
  const { code, stderr } = await attnlab('list', '--out', out);
  assert.equal(code, 1);
  assert.match(stderr, /--out: .*place\.json cannot be written/);
});

test('what a link points to is replaced and keeps its mode; a pipe is written to', async () => {
  const [file, link, pipe] = ['kept.txt', 'link.txt', 'pipe'].map((name) => join(folder, name));
  await writeFile(file, 'old', { mode: 0o600 });
  await symlink(file, link);
  await succeeds('list', '--out', link);
  assert.ok((await lstat(link)).isSymbolicLink());
  assert.match(await readFile(file, 'utf8'), /large-prompt\.output/);
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  const made = spawnSync('mkfifo', [pipe]);
  assert.equal(made.status, 0);
  const reader = spawn('cat', [pipe]);
  let read = '';
  reader.stdout.setEncoding('utf8').on('data', (text) => (read += text));
  const closed = new Promise((done) => reader.on('close', done));
  await succeeds('list', '--out', pipe);
  await closed;
  assert.match(read, /large-prompt\.output/);
});

test('Ctrl-C ends a run at once with 130 and prints no half result', async () => {
  for (const workers of ['0', '2']) {
    const child = start(['run', id, ...long, '--workers', workers]);
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text) => (stderr += text));
    const ended = new Promise((done) => child.on('close', (...how) => done(how)));
    await new Promise((done) => setTimeout(done, 2500));
    assert.equal(child.exitCode, null, 'the run is still going');
    const begun = performance.now();
    child.kill('SIGINT');
    const [code] = await ended;
    assert.equal(code, 130);
    assert.ok(performance.now() - begun < 2000);
    assert.equal(stdout, '');
    assert.match(stderr, /cancelled/);
  }
});

test('a reader that goes away early is no failure', async () => {
  const child = start(['describe', id, '--format', 'json']);
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text) => (stderr += text));
  child.stdout.destroy();
  const [code] = await new Promise((done) => child.on('close', (...how) => done(how)));
  assert.equal(stderr, '');
  assert.equal(code, 0);
});

test('a place that cannot be written to is told before the work', async () => {
  const begun = performance.now();
  for (const out of ['no/such/folder/x.json', '.']) {
    await misused(/--out: .* cannot be written/, 'run', id, ...long, '--out', out);
    await misused(/--out: .* cannot be written/, 'fit', '--prompts', 'x.csv', '--out', out);
    await misused(/--out: .* cannot be written/, 'certify', '--prompts', 'x.csv', '--out', out);
  }
  assert.ok(performance.now() - begun < 60_000);
});

test(
  'a full disk at the end of standard output is told',
  { skip: !existsSync('/dev/full') },
  async () => {
    const full = openSync('/dev/full', 'w');
    try {
      const child = start(['list'], { stdio: ['ignore', full, 'pipe'] });
      let stderr = '';
      child.stderr.setEncoding('utf8').on('data', (text) => (stderr += text));
      const [code] = await new Promise((done) => child.on('close', (...how) => done(how)));
      assert.equal(code, 1);
      assert.match(stderr, /^attnlab: the output cannot be written: .*ENOSPC/);
    } finally {
      closeSync(full);
    }
  },
);

test('options may stand before the command', async () => {
  assert.equal(await succeeds('--format', 'json', 'list'), await succeeds('list', '--format=json'));
});
