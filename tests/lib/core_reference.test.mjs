// The reference of the core says all that its headers say of what is public, and its links lead
// somewhere.
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { readHeader } from '../../web/build/header.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = join(root, 'dist/site/reference');
const paths = (await readdir(join(root, 'src'), { recursive: true })).filter((path) =>
  path.endsWith('.h'),
);
const headers = await Promise.all(
  paths.map(async (path) => ({ path, text: await readFile(join(root, 'src', path), 'utf8') })),
);
const files = (await readdir(folder)).filter((name) => name.endsWith('.html'));
const pages = new Map(
  await Promise.all(files.map(async (name) => [name, await readFile(join(folder, name), 'utf8')])),
);

const plain = (html) =>
  html
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');
const squeeze = (text) => text.replaceAll(/\s+/g, ' ');

function sectionOf(path) {
  const [room, file] = path.split('/');
  const id = file.replace(/\.h$/, '');
  const html = pages.get(`core-${room}.html`);
  return new RegExp(`<section id="${id}">[\\s\\S]*?</section>`).exec(html)?.[0];
}

test('every header has a section with every comment that stands outside of braces', () => {
  assert.ok(headers.length > 100, `${headers.length} headers`);
  for (const { path, text } of headers) {
    const section = sectionOf(path);
    assert.ok(section, path);
    const said = squeeze(plain(section));
    for (const [, line] of text.matchAll(/^\/\/ ?(.*\S.*)$/gm))
      assert.ok(said.includes(squeeze(line.trim())), `${path}: ${line}`);
  }
});

test('every class, structure and enumeration can be linked to', () => {
  let count = 0;
  for (const { path, text } of headers) {
    const [, id] = /\/(.*)\.h$/.exec(path);
    for (const [, name] of text.matchAll(/^(?:class|struct|enum class) (\w+)[^;]*\{$/gm)) {
      assert.ok(sectionOf(path).includes(`id="${id}.${name}"`), `${path}: ${name}`);
      ++count;
    }
  }
  assert.ok(count > 150, `${count} types`);
});

test('what is private, and how functions work, is left out', () => {
  for (const { path } of headers) {
    assert.doesNotMatch(plain(sectionOf(path)), /^ private:|^ {2}[\w:<>]+ \w+_( = .*)?;/m, path);
  }
  const { items } = readHeader(
    [
      ...['// A file.', '#pragma once', '', 'namespace a {', '', '// Twice x.'],
      ...['inline int twice(int x) {', '  // Hidden.', '  return 2 * x;', '}'],
      ...['inline int thrice(int x) {', '', '  return 3 * x;', '}', '', '// Holds.'],
      ...['class B {', ' public:', '  int get() const;', '', ' private:', '  int x_ = 0;', '};'],
      ...['', '}  // namespace a'],
    ].join('\n'),
  );
  assert.deepEqual(items, [
    { comment: ['Twice x.'], code: 'inline int twice(int x);', names: ['twice'] },
    { comment: [], code: 'inline int thrice(int x);', names: ['thrice'] },
    { comment: ['Holds.'], code: 'class B {\n public:\n  int get() const;\n};', names: ['B'] },
  ]);
});

test('links of the reference lead to a page and a place in it', () => {
  for (const [name, html] of pages) {
    assert.equal(
      new Set(html.match(/ id="[^"]*"/g)).size,
      html.match(/ id="[^"]*"/g)?.length ?? 0,
      name,
    );
    for (const [, file, place] of html.matchAll(/href="([\w-]*(?:\.html)?)(?:#([^"]*))?"/g)) {
      if (file !== '' && !file.endsWith('.html')) continue;
      const target = pages.get(file || name);
      assert.ok(target, `${name}: ${file}`);
      if (place) assert.ok(target.includes(` id="${place}"`), `${name}: ${file}#${place}`);
    }
  }
});
