// Lets the page import web/text/<language>/<experiment>.json as compiled text.
import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { compileText } from './texts.mjs';

const PLAIN = new Set(['page.json', 'glossary.json', 'cells.json']);

export function textPlugin(textFolder) {
  return {
    name: 'attnlab-texts',
    enforce: 'pre',
    async transform(code, id) {
      const file = id.split('?')[0];
      if (!file.startsWith(textFolder) || !file.endsWith('.json')) return null;
      if (PLAIN.has(basename(file))) return null;
      const glossary = JSON.parse(await readFile(join(dirname(file), 'glossary.json'), 'utf8'));
      try {
        return JSON.stringify(compileText(JSON.parse(code), glossary));
      } catch (failure) {
        throw new Error(`${file}: ${failure.message}`, { cause: failure });
      }
    },
  };
}
