// The declarations and the program say the same; a strict consumer compiles; bundlers are quiet.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import * as data from '../../dist/lib/data.js';
import * as library from '../../dist/lib/index.js';
import { openLab, shortRun } from './lab.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const lab = await openLab({ workers: 0 });
// Inside the project, so that its TypeScript and Node types are found.
await mkdir(join(root, 'build'), { recursive: true });
const folder = await mkdtemp(join(root, 'build/consumer-'));
after(() => rm(folder, { recursive: true, force: true }));
await mkdir(join(folder, 'node_modules'));
await symlink(root, join(folder, 'node_modules/attnlab'), 'dir');

const options = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.esnext.disposable.d.ts'],
  types: [],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  noEmit: true,
  preserveSymlinks: true,
};

async function problemsOf(source, more = {}) {
  const file = join(folder, `consumer-${Math.random().toString(36).slice(2)}.mts`);
  await writeFile(file, source);
  const compiled = ts.createProgram([file], { ...options, ...more });
  return ts
    .getPreEmitDiagnostics(compiled)
    .map((one) => ts.flattenDiagnosticMessageText(one.messageText, '\n'));
}

function exportsOf(name) {
  const file = join(root, 'dist/lib', name);
  const compiled = ts.createProgram([file], options);
  const checker = compiled.getTypeChecker();
  const module = checker.getSymbolAtLocation(compiled.getSourceFile(file));
  const isValue = (symbol) => {
    const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    return (target.flags & ts.SymbolFlags.Value) !== 0;
  };
  const all = checker.getExportsOfModule(module);
  return {
    checker,
    all,
    values: all
      .filter(isValue)
      .map(({ name: one }) => one)
      .sort(),
  };
}

// Public members of a declared type, by name.
function membersOf(typeName) {
  const { checker, all } = exportsOf('index.d.ts');
  const symbol = all.find(({ name }) => name === typeName);
  const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  return checker
    .getDeclaredTypeOfSymbol(target)
    .getProperties()
    .map(({ name }) => name)
    .filter((name) => !name.startsWith('__') && name !== '#private')
    .sort();
}

function membersAtRunTime(object) {
  const names = new Set();
  for (let at = object; at && at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    for (const name of Object.getOwnPropertyNames(at)) names.add(name);
  }
  names.delete('constructor');
  return [...names].sort();
}

test('every value that the declarations export is there, and the reverse', () => {
  // AttnLabError is a class; the Lab and Run classes are made by load and run alone.
  const typesOnly = (name) => !['Lab', 'Run'].includes(name);
  assert.deepEqual(Object.keys(library).sort(), exportsOf('index.d.ts').values.filter(typesOnly));
  assert.deepEqual(Object.keys(data).sort(), exportsOf('data.d.ts').values);
});

test('every member that the declarations promise is there, and the reverse', async () => {
  const run = lab.run('large-prompt.output', shortRun);
  const things = {
    Lab: lab,
    Run: run,
    Attention: lab.attention,
    MeasureCalls: lab.measure,
    Mhla: lab.mhla,
    Needle: lab.needle,
    Regression: lab.regression,
  };
  for (const [name, thing] of Object.entries(things)) {
    const internal = name === 'Run' ? ['abandon'] : [];
    const found = membersAtRunTime(thing).filter((member) => !internal.includes(member));
    assert.deepEqual(found, membersOf(name), name);
  }
  assert.deepEqual(
    Object.keys(await run.result).sort(),
    membersOf('RunResult').filter((name) => name !== 'divergedAt'),
  );
});

test('a strict consumer compiles, and its mistakes do not', async () => {
  const use = (code) => `import { load, type Lab, type RunResult } from 'attnlab';
    import { readMatrix } from 'attnlab/data';
    const lab: Lab = await load();
    ${code}
    export {};`;
  assert.deepEqual(
    await problemsOf(
      use(`
      const run = lab.run('large-prompt.output', { largestCount: 64, magnitudes: [1] }, { seed: '1', workers: 0 });
      for await (const { progress, tables } of run) { const p: number = progress; void p; void tables; }
      const result: RunResult = await run.result;
      const dynamic: string = 'large-prompt.output';
      lab.run(dynamic, { anything: 5 });
      const { output, weights } = lab.attention.forward({ queries: [[1]], keys: [[1]], values: new Array([1]), kernel: 'erf', returnWeights: true });
      const rows: number = output.shape[0]; void rows; void weights;
      const fit = await lab.mhla.fit({ prompts: [[[1, 2]]], targets: readMatrix('1'), onProgress: (p: number) => void p });
      const best: Float64Array = fit.coefficients.data; void best; void result;
      await load({ createWorker: () => new Worker('w.js'), wasm: new WebAssembly.Module(new Uint8Array(0)) });
      using other = await load(); void other;`),
    ),
    [],
  );
  const mistakes = {
    'an unknown experiment': `lab.run('large-prompt.outputs');`,
    'an unknown parameter': `lab.run('large-prompt.output', { largestcount: 64 });`,
    'a parameter of another type': `lab.run('large-prompt.output', { largestCount: '64' });`,
    'an unknown choice': `lab.run('large-prompt.output', { source: 'nothing' });`,
    'an unknown option': `lab.run('large-prompt.output', {}, { seeed: 1 });`,
    'an unknown kernel': `lab.attention.forward({ queries: [[1]], keys: [[1]], values: [[1]], kernel: 'sofmax' });`,
    'a missing input': `lab.attention.forward({ queries: [[1]], keys: [[1]] });`,
    'a measure without its parameter': `lab.measure.constants({ measure: { kind: 'cube', dimension: 2 }, a: [1] });`,
  };
  for (const [what, code] of Object.entries(mistakes)) {
    assert.notEqual((await problemsOf(use(code))).length, 0, `${what} compiles`);
  }
});

test('a strict consumer without the DOM’s types compiles', async () => {
  const source = `import { load, type CreateWorker, type Lab, type WasmSource } from 'attnlab';
    import { readMatrix } from 'attnlab/data';
    const wasm: WasmSource = new Uint8Array(0);
    const lab: Lab = await load({ wasm });
    const { signal } = new AbortController();
    await lab.mhla.fit({ prompts: [[[1, 2]]], targets: readMatrix('1'), signal });
    declare const createWorker: CreateWorker; void createWorker;`;
  const bare = {
    lib: ['lib.es2022.d.ts'],
    types: ['node'],
    typeRoots: [join(root, 'node_modules/@types')],
  };
  assert.deepEqual(await problemsOf(source, bare), []);
});

test('every experiment’s parameters and tables are typed from its descriptor', async () => {
  const declared = await readFile(join(root, 'dist/lib/experiments.d.ts'), 'utf8');
  for (const { id, parameters, tables } of lab.experiments) {
    assert.ok(declared.includes(`readonly ${JSON.stringify(id)}: {`), id);
    for (const { name } of parameters)
      assert.ok(declared.includes(`readonly ${name}?: `), `${id} ${name}`);
    for (const { name } of tables)
      assert.ok(declared.includes(`readonly "${name}": { readonly columns`), `${id} ${name}`);
  }
  const docs = await readFile(join(root, 'dist/docs/experiments.md'), 'utf8');
  for (const { id, parameters } of lab.experiments) {
    assert.ok(docs.includes(`## ${id}\n`));
    for (const { name } of parameters) assert.ok(docs.includes(`| ${name} |`));
  }
});

test('nothing but addresses of its own files leaves the built scripts', async () => {
  const places = await readdir(join(root, 'dist/lib'));
  const scripts = places.filter((name) => name.endsWith('.js') && name !== 'cli.js');
  assert.ok(scripts.length >= 3);
  for (const name of scripts) {
    const text = await readFile(join(root, 'dist/lib', name), 'utf8');
    assert.doesNotMatch(text, /\bnew Function\b|\beval\(/, name);
    for (const builtin of builtinModules) {
      const imported = new RegExp(
        `(from|import|require)\\s*\\(?\\s*["'](node:)?${builtin.replace('/', '\\/')}["']`,
      );
      assert.doesNotMatch(text, imported, `${name} imports ${builtin}`);
    }
    for (const [, address] of text.matchAll(/new URL\(["']([^"']+)["'],\s*import\.meta\.url\)/g)) {
      const place = join(root, 'dist/lib', address);
      assert.ok((await readFile(place)).length > 0, `${name} names ${address}`);
    }
    assert.doesNotMatch(text, /https?:\/\/(?!www\.w3\.org)/, name);
  }
  const worker = await readFile(join(root, 'dist/lib/worker.js'), 'utf8');
  assert.doesNotMatch(worker, /import\.meta|^import /m, 'the worker stands alone');
});
