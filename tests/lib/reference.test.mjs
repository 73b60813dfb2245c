// The reference says something of whatever the library exports, and its examples do what they say.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { access, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path) => readFile(join(root, path), 'utf8');
const page = await read('dist/site/reference/index.html');

const plain = (html) =>
  html
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');

// The declarations that ship, read by the compiler and not by what made the page.
const files = ['index', 'data'].map((name) => join(root, `dist/lib/${name}.d.ts`));
const program = ts.createProgram(files, { target: ts.ScriptTarget.ES2022, types: [] });
const checker = program.getTypeChecker();
const exportsOf = (file) =>
  checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(file)));
const names = new Set(files.flatMap(exportsOf).map(({ name }) => name));

const sections = new Map(
  [...page.matchAll(/<section id="(.*?)">([\s\S]*?)<\/section>/g)].map(([, id, html]) => [
    id,
    html,
  ]),
);

test('every export has a section with a description, and nothing else has one', () => {
  assert.ok(names.size > 100, `${names.size} exports`);
  assert.deepEqual([...sections.keys()].sort(), [...names].sort());
  for (const [name, html] of sections) {
    const [, about] = /<div class="about">([\s\S]*?)<\/div>/.exec(html);
    assert.match(plain(about), /\w+[^.]*[.:'*)\d]/, name);
  }
});

test('every member of an export is listed', () => {
  for (const symbol of files.flatMap(exportsOf)) {
    const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    // Made by the build for each experiment; listed in dist/docs/experiments.md.
    if (/^Experiment(Parameters|Tables)$/.test(symbol.name)) continue;
    for (const member of target.members?.values() ?? []) {
      if (/^(__|#)/.test(member.name) || !(member.flags & ts.SymbolFlags.ClassMember)) continue;
      const declaration = member.valueDeclaration;
      if (ts.getCombinedModifierFlags(declaration) & ts.ModifierFlags.Private) continue;
      assert.ok(
        page.includes(`id="${symbol.name}.${member.name}"`),
        `${symbol.name}.${member.name}`,
      );
    }
  }
});

test('every member has a description', () => {
  const members = [...page.matchAll(/<dt id="(.*?)">.*<\/dt>\n<dd>([\s\S]*?)<\/dd>/g)];
  assert.ok(members.length > 200, `${members.length} members`);
  for (const [, id, about] of members) assert.match(plain(about), /\w/, id);
});

test('its links lead somewhere in it or beside it, and it runs and fetches nothing', async () => {
  const ids = new Set([...page.matchAll(/ id="(.*?)"/g)].map(([, id]) => id));
  for (const [, target] of page.matchAll(/(?:href|src)="(.*?)"/g)) {
    if (target.startsWith('#')) assert.ok(ids.has(target.slice(1)), target);
    else {
      assert.match(target, /^(\.\.\/)?[\w-]+\.(html|css|svg)$/);
      await access(join(root, 'dist/site/reference', target));
    }
  }
  assert.doesNotMatch(page, /<script|<style| style=| on\w+=|https?:/);
});

test('it is not among the files kept for use without a network', async () => {
  assert.doesNotMatch(await read('dist/site/sw.js'), /reference\/|LICENSES/);
});

test('its examples print what their comments say', async () => {
  await mkdir(join(root, 'build'), { recursive: true });
  // Inside the project, so that 'attnlab' is found.
  const folder = await mkdtemp(join(root, 'build/examples-'));
  after(() => rm(folder, { recursive: true, force: true }));
  const examples = [...page.matchAll(/<pre[^>]*><code>([\s\S]*?)<\/code><\/pre>/g)].map(
    ([, code]) => plain(code),
  );
  const inSources = await Promise.all(
    program
      .getSourceFiles()
      .map(({ fileName, text }) =>
        fileName.includes('/dist/lib/') ? (text.match(/^ *\* @example$/gm)?.length ?? 0) : 0,
      ),
  );
  assert.equal(
    examples.length,
    inSources.reduce((sum, count) => sum + count, 0),
  );
  for (const call of [
    ...['load(', 'lab.run(', 'attention.forward(', 'measure.attend(', 'needle.', 'mhla.fit('],
    ...['readMatrix(', 'toCsv('],
  ]) {
    assert.ok(
      examples.some((code) => code.includes(call)),
      call,
    );
  }
  for (const [i, code] of examples.entries()) {
    const file = join(folder, `${i}.mjs`);
    await writeFile(file, code);
    const { status, stdout, stderr } = spawnSync(process.execPath, [file], { encoding: 'utf8' });
    assert.equal(status, 0, `${code}\n${stderr}`);
    const said = [...code.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map(([, text]) => text);
    assert.ok(said.length > 0, code);
    assert.equal(stdout, `${said.join('\n')}\n`, code);
  }
});
