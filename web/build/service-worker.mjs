// sw.js: after the first visit the page works without a network. The cache carries the hash of all
// file names and contents, so a new build never mixes with an old one.
import { createHash } from 'node:crypto';
import { readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

// What the page itself never asks for.
const NOT_KEPT = /^(standalone\.html|LICENSES\.txt|examples\/|reference\/)/;

const sha256 = (content) => createHash('sha256').update(content);

async function filesIn(folder) {
  const names = await readdir(folder, { recursive: true });
  const paths = names.map((name) => join(folder, name));
  const kinds = await Promise.all(paths.map((path) => stat(path)));
  return paths.filter((_, i) => kinds[i].isFile()).sort();
}

export async function serviceWorker(out) {
  const hash = createHash('sha256');
  const list = [];
  for (const file of await filesIn(out)) {
    const path = relative(out, file).split('\\').join('/');
    if (NOT_KEPT.test(path)) continue;
    const content = await readFile(file);
    hash.update(path).update(content);
    // Hosts may add a line of their own to a page.
    const isPage = path.endsWith('.html');
    list.push(isPage ? [path] : [path, `sha256-${sha256(content).digest('base64')}`]);
  }
  const source = await readFile(new URL('./sw-template.js', import.meta.url), 'utf8');
  await writeFile(
    join(out, 'sw.js'),
    source
      .replace("'VERSION'", JSON.stringify(hash.digest('hex').slice(0, 12)))
      .replace("'FILE_LIST'", JSON.stringify([['./'], ...list])),
  );
}
