// reference/core*.html: the core in C++, from the comments of its headers. A page a room, without
// scripts, in the dress of the library's reference.
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readHeader } from './header.mjs';
import { referencePage } from './reference_page.mjs';
import { escapeHtml } from './reference_text.mjs';

const LINKS = [
  { href: 'index.html', text: 'the library' },
  { href: 'core.html', text: 'the core' },
];

// In the order in which they build on each other.
const ROOMS = {
  core: 'types, errors, random streams, special functions, quadrature',
  attention: 'score kernels, forward, gradient, approximations',
  measure: 'the attention operator on a measure of tokens',
  optimize: 'gradient descent, AdamW, L-BFGS, Levenberg-Marquardt',
  regression: 'in-context linear regression',
  needle: 'single-location regression',
  mhla: 'multi-head linear attention',
  experiments: 'parameters, runs, tables, the registry',
  wasm: 'the bindings',
};

const fileOf = (room) => `core-${room}.html`;

// Indented lines are formulas and stay as they stand; the others are paragraphs.
export function renderComment(lines) {
  const parts = [];
  let [kind, text] = ['', []];
  const end = () => {
    if (text.length > 0 && kind === 'p') parts.push(`<p>${escapeHtml(text.join(' '))}</p>`);
    if (text.length > 0 && kind === 'pre')
      parts.push(`<pre tabindex="0">${escapeHtml(text.join('\n'))}</pre>`);
    text = [];
  };
  for (const line of lines) {
    const next = line.trim() === '' ? '' : /^ /.test(line) ? 'pre' : 'p';
    if (next !== kind) end();
    kind = next;
    if (next !== '') text.push(line);
  }
  end();
  return parts.join('\n');
}

function renderItem(header, { comment, code, names }, ids) {
  // Overloads are found at the first of them.
  const free = names.filter((name) => !ids.has(name));
  free.forEach((name) => ids.add(name));
  const [id = '', ...others] = free.map((name) => ` id="${header.id}.${name}"`);
  const anchors = others.map((other) => `<span${other}></span>`).join('');
  const shown = code === '' ? '' : `<pre tabindex="0"><code>${escapeHtml(code)}</code></pre>`;
  return `<div class="about"${id}>\n${anchors}${shown}\n${renderComment(comment)}\n</div>`;
}

function renderSection(header) {
  const ids = new Set();
  const items = header.items.map((item) => renderItem(header, item, ids)).join('\n');
  return `<section id="${header.id}">
<h2><a href="#${header.id}">${header.path}</a></h2>
<div class="about">${renderComment(header.intro)}</div>
${items}
</section>`;
}

async function readRoom(root, room) {
  const folder = join(root, 'src', room);
  const files = (await readdir(folder)).filter((name) => name.endsWith('.h')).sort();
  return Promise.all(
    files.map(async (file) => ({
      ...readHeader(await readFile(join(folder, file), 'utf8')),
      path: `${room}/${file}`,
      id: file.replace(/\.h$/, ''),
    })),
  );
}

function roomPage(room, headers) {
  const list = headers.map(({ id, path }) => `<li><a href="#${id}">${path}</a></li>`).join('\n');
  return `<p>${escapeHtml(ROOMS[room])}</p>
<nav aria-label="Headers"><ul>\n${list}\n</ul></nav>
${headers.map(renderSection).join('\n')}`;
}

function indexPage(rooms) {
  const list = rooms.map(([room, headers]) => {
    const names = headers.map(({ id }) => `<a href="${fileOf(room)}#${id}">${id}</a>`).join(', ');
    const about = `<a href="${fileOf(room)}">src/${room}</a>: ${escapeHtml(ROOMS[room])}`;
    return `<section><h2>${about}</h2>\n<p>${names}</p></section>`;
  });
  return `<p>C++20 on Eigen. A prompt is n x d, a row a token; what is wrong with an input throws an
<a href="core-core.html#error">Error</a> that names the parameter. Nothing here knows of a browser but src/wasm.</p>
${list.join('\n')}`;
}

export async function buildCoreReference({ root, folder, version, policy }) {
  await mkdir(folder, { recursive: true });
  const found = (await readdir(join(root, 'src'))).sort();
  const unknown = found.find((room) => !Object.hasOwn(ROOMS, room));
  if (unknown !== undefined) throw new Error(`core_reference.mjs: what is src/${unknown}?`);
  const rooms = await Promise.all(
    Object.keys(ROOMS).map(async (room) => [room, await readRoom(root, room)]),
  );
  const write = (file, title, body) =>
    writeFile(join(folder, file), referencePage({ version, policy, title, links: LINKS, body }));
  for (const [room, headers] of rooms)
    await write(fileOf(room), `src/${room}`, roomPage(room, headers));
  await write('core.html', 'The core', indexPage(rooms));
}
