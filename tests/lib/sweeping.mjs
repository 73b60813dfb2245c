// What the tests of sweeps share: a folder of their own, the program run in it, plans and results files.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../../dist/lib/cli.js', import.meta.url));

export const id = 'large-prompt.output';
export const fixed = { largestCount: 64, replicates: 4 };
export const tiny = {
  experiment: id,
  parameters: { ...fixed, dimensions: [2] },
  vary: { source: { grid: ['gaussian', 'cube'] }, persistence: { grid: [0.5, 0.25] } },
  seeds: { count: 3 },
};
export const needle = { experiment: 'needle.population-risk', parameters: { snrs: [1] } };

export const folder = await mkdtemp(join(tmpdir(), 'attnlab sweep '));
after(() => rm(folder, { recursive: true, force: true }));

export const inFolder = (name) => join(folder, name);
export const read = (name) => readFile(inFolder(name), 'utf8');

export function start(args, { env = {}, cli = program } = {}) {
  const options = { cwd: folder, env: { ...process.env, ...env } };
  const child = spawn(process.execPath, [cli, ...args], options);
  after(() => child.kill('SIGKILL'));
  const told = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text) => (told.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text) => (told.stderr += text));
  const ended = new Promise((done) =>
    child.on('close', (code, signal) => done({ code, signal, ...told })),
  );
  return { child, ended, told };
}

export const attnlab = (...args) => start(args).ended;

export async function succeeds(...args) {
  const { code, stdout, stderr } = await attnlab(...args);
  assert.equal(code, 0, stderr);
  return { stdout, stderr };
}

export async function fails(expected, pattern, ...args) {
  const { code, stdout, stderr } = await attnlab(...args);
  assert.equal(code, expected, `${args.join(' ')}: code ${code}: ${stderr}`);
  assert.equal(stdout, '', `${args.join(' ')}: nothing on standard output`);
  assert.match(stderr, pattern);
  assert.doesNotMatch(stderr, /\n\s+at /, 'no stack');
}

export const misused = (pattern, ...args) => fails(2, pattern, ...args);
export const writePlan = (name, plan) => writeFile(inFolder(name), JSON.stringify(plan));

export async function merged(...files) {
  return (await succeeds('merge', ...files)).stdout;
}

// A record depends on nothing but its run: whatever happened, the lines are the same.
export const linesOf = async (name) => (await read(name)).trimEnd().split('\n').sort();

export const sha256 = (text) => createHash('sha256').update(text).digest('hex');

// A record's line with another content and a right checksum.
export function resealed(line, change) {
  const { check: _, ...object } = JSON.parse(line);
  const text = JSON.stringify({ ...object, ...change });
  return `${text.slice(0, -1)},"check":"${sha256(text).slice(0, 16)}"}`;
}

// The sweep, and its table, that everything else is held against: tiny.json, whole.jsonl.
export async function sweepWhole() {
  await writePlan('tiny.json', tiny);
  await succeeds('sweep', 'tiny.json', '--out', 'whole.jsonl', '--workers', '1');
  return merged('whole.jsonl');
}

// The program where no package is installed beside it.
export async function cliAlone() {
  const alone = await mkdtemp(join(tmpdir(), 'attnlab alone '));
  after(() => rm(alone, { recursive: true, force: true }));
  await cp(dirname(program), alone, { recursive: true });
  return join(alone, 'cli.js');
}
