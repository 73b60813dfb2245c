// reference/: what the library exports, from its docstrings. TypeDoc reads them; the page is written
// here, as one file without scripts that works under the site's policy and from any folder.
import { createHash } from 'node:crypto';
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildCoreReference } from './core_reference.mjs';
import { referencePage } from './reference_page.mjs';
import { escapeHtml, renderBlocks } from './reference_text.mjs';
import { renderParameters, renderType } from './reference_types.mjs';

const NAMESPACE = 4;
const CLASS = 128;
const INTERFACE = 256;
const METHOD = 2048;
const KINDS = { 32: 'value', 64: 'function', [CLASS]: 'class', [INTERFACE]: 'interface' };

// → TypeDoc's model of the library. It takes seconds, so it is kept until a source changes.
async function readModel({ root, cacheFolder }) {
  const folder = join(root, 'web/lib');
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.ts'));
  const hash = createHash('sha256');
  hash.update(await readFile(join(root, 'node_modules/typedoc/package.json')));
  for (const name of names.sort()) hash.update(name).update(await readFile(join(folder, name)));
  const file = join(cacheFolder, `${hash.digest('hex').slice(0, 16)}.json`);
  const kept = await readFile(file, 'utf8').catch(() => undefined);
  if (kept) return JSON.parse(kept);
  const { Application } = await import('typedoc');
  const app = await Application.bootstrap({
    entryPoints: ['index', 'data'].map((name) => join(folder, `${name}.ts`)),
    tsconfig: join(folder, 'tsconfig.json'),
    basePath: folder,
    sort: ['source-order'],
    excludeInternal: true,
    excludePrivate: true,
    excludeExternals: true,
    disableGit: true,
    sourceLinkTemplate: '{path}',
    readme: 'none',
    // The library was compiled and checked just before.
    skipErrorChecking: true,
    logLevel: 'Error',
  });
  const project = await app.convert();
  if (!project || app.logger.hasErrors()) throw new Error('TypeDoc cannot read web/lib');
  const model = app.serializer.projectToObject(project, root);
  await mkdir(cacheFolder, { recursive: true });
  await writeFile(file, JSON.stringify(model));
  return model;
}

const commentOf = (item) =>
  item.comment ?? item.signatures?.[0]?.comment ?? item.getSignature?.comment;

function renderSignature(name, signature) {
  const generics = (signature.typeParameters ?? []).map((each) => each.name).join(', ');
  const shown = generics && `&lt;${generics}&gt;`;
  const list = renderParameters(signature.parameters ?? []);
  return `${escapeHtml(name)}${shown}(${list}): ${renderType(signature.type)}`;
}

function renderMember(owner, member) {
  if (owner.kind === NAMESPACE) return renderNested(owner, member);
  const id = `${owner.name}.${member.name}`;
  const optional = member.flags?.isOptional ? '?' : '';
  const type = member.type ?? member.getSignature?.type;
  const code = member.signatures
    ? member.signatures.map((each) => renderSignature(member.name, each)).join('<br>')
    : `${escapeHtml(member.name)}${optional}: ${renderType(type)}`;
  return `<dt id="${escapeHtml(id)}"><code>${code}</code></dt>
<dd>${renderBlocks(commentOf(member))}</dd>`;
}

// What a namespace holds: each with what it is; its own members follow it.
function renderNested(owner, item) {
  const id = `${owner.name}.${item.name}`;
  const own = (item.children ?? []).filter((each) => commentOf(each) && !each.inheritedFrom);
  const members = own.map((each) => renderMember({ name: id }, each)).join('\n');
  // Types link to a name alone.
  const name = escapeHtml(item.name);
  return `<dt id="${escapeHtml(id)}"><code id="${name}">${renderHeadline(item)}</code></dt>
<dd>${renderBlocks(commentOf(item))}${members && `<dl>\n${members}\n</dl>`}</dd>`;
}

function renderHeadline(item) {
  const name = escapeHtml(item.name);
  if (item.kind === NAMESPACE) return `namespace ${name}`;
  if (item.signatures) return item.signatures.map((each) => renderSignature(item.name, each)).join('<br>');
  if (item.kind === CLASS || item.kind === INTERFACE) {
    const parents = (item.extendedTypes ?? []).map(renderType).join(', ');
    return `${KINDS[item.kind]} ${name}${parents && ` extends ${parents}`}`;
  }
  return item.kind === 32 ? `${name}: ${renderType(item.type)}` : `type ${name} = ${renderType(item.type)}`;
}

// Of a type that is one of several objects: what is said of their members.
function renderVariants(item) {
  if (item.type?.type !== 'union') return '';
  const said = item.type.types
    .filter(({ type }) => type === 'reflection')
    .flatMap(({ declaration: { children = [] } }) => {
      const kind = children.find(({ name }) => name === 'kind');
      const nameOf = (each) => {
        if (each === kind) return renderType(kind.type);
        return [kind && renderType(kind.type), escapeHtml(each.name)].filter(Boolean).join(', ');
      };
      return children
        .filter(commentOf)
        .map((each) => `<dt><code>${nameOf(each)}</code></dt>\n<dd>${renderBlocks(commentOf(each))}</dd>`);
    });
  return said.length > 0 ? `<dl>\n${said.join('\n')}\n</dl>` : '';
}

function renderExport(item) {
  const own = (item.children ?? []).filter((each) => !each.inheritedFrom);
  // What holds values first, then what is called.
  const members = [
    ...own.filter(({ kind }) => kind !== METHOD),
    ...own.filter(({ kind }) => kind === METHOD),
  ];
  const name = escapeHtml(item.name);
  return `<section id="${name}">
<h3><a href="#${name}">${name}</a></h3>
<p class="headline"><code>${renderHeadline(item)}</code></p>
<div class="about">${renderBlocks(commentOf(item))}</div>
${members.length > 0 ? `<dl>\n${members.map((each) => renderMember(item, each)).join('\n')}\n</dl>` : renderVariants(item)}
</section>`;
}

const titleOf = (file) => {
  const words = file.replace(/^.*\//, '').replace(/\.ts$/, '').replaceAll('_', ' ');
  return words[0].toUpperCase() + words.slice(1);
};

// The exports by the file they come from, in the order in which index.ts names the files.
function groupsOf(module, index) {
  const files = [...index.matchAll(/from '\.\/(.*)\.js'/g)].map(([, name]) => `${name}.ts`);
  const fileOf = (item) => (item.sources ?? item.signatures[0].sources)[0].fileName;
  return [...new Set(files)]
    .map((file) => ({
      title: titleOf(file.replace(/\/index\.ts$/, '.ts')),
      items: module.children.filter((item) => fileOf(item) === file),
    }))
    .filter(({ items }) => items.length > 0);
}

const link = ({ name }) => `<a href="#${escapeHtml(name)}">${escapeHtml(name)}</a>`;

function page({ modules, groups, version, policy }) {
  const [main, data] = modules;
  const list = groups
    .map(({ title, items }) => `<li>${title}: ${items.map(link).join(', ')}</li>`)
    .join('\n');
  const sections = groups
    .map(({ title, items }) => `<h2>${title}</h2>\n${items.map(renderExport).join('\n')}`)
    .join('\n');
  const body = `${renderBlocks(main.comment)}
<nav aria-label="Exports">
<ul>
${list}
</ul>
</nav>
<h2>attnlab/data</h2>
${renderBlocks(data.comment)}
<p>It exports ${data.children.map(link).join(', ')}, the same as <code>attnlab</code> does.</p>
${sections}`;
  const links = [{ href: 'core.html', text: 'the core in C++' }];
  return referencePage({ version, policy, title: 'The library', links, body });
}

export async function buildReference({ root, web, out }) {
  const model = await readModel({ root, cacheFolder: join(root, 'build/page/reference') });
  const modules = ['attnlab', 'attnlab/data'].map((name) =>
    model.children.find((each) => each.name === name),
  );
  const groups = groupsOf(modules[0], await readFile(join(root, 'web/lib/index.ts'), 'utf8'));
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const policy = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'";
  const folder = join(out, 'reference');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'index.html'), page({ modules, groups, version, policy }));
  await buildCoreReference({ root, folder, version, policy });
  const styles = ['tokens', 'base', 'reference'].map((name) =>
    readFile(join(web, 'page/style', `${name}.css`), 'utf8'),
  );
  await writeFile(join(folder, 'reference.css'), (await Promise.all(styles)).join('\n'));
}
