// A descriptor in another language. The dictionaries (web/text/<language>/strings/*.json) go from the
// English string, as the C++ file has it, to the other one: what several experiments share is
// translated once, and a string that changes in C++ is found missing by the tests.
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';

export const languages = ['en', 'ko', 'ja'];

export async function readDictionary(textFolder, language) {
  if (language === 'en') return {};
  const folder = join(textFolder, language, 'strings');
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.json'));
  const parts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  return Object.assign({}, ...parts.map((text) => JSON.parse(text)));
}

// say: what each string becomes.
export function mapStrings(descriptor, say) {
  const named = (list) => list.map((each) => ({ ...each, label: say(each.label) }));
  const sourced = (list) => list.map((each) => ({ ...each, source: say(each.source) }));
  const axis = (each) => ({ ...each, label: say(each.label), unit: say(each.unit) });
  return {
    ...descriptor,
    title: say(descriptor.title),
    summary: say(descriptor.summary),
    answer: say(descriptor.answer),
    source: say(descriptor.source),
    parameters: descriptor.parameters.map((each) => ({
      ...each,
      label: say(each.label),
      help: say(each.help),
      unit: say(each.unit),
      group: say(each.group),
      choices: named(each.choices),
    })),
    presets: sourced(named(descriptor.presets)).map((each) => ({ ...each, note: say(each.note) })),
    tables: descriptor.tables.map((each) => ({
      ...each,
      label: say(each.label),
      columns: each.columns.map((column) => ({
        ...column,
        label: say(column.label),
        unit: say(column.unit),
      })),
    })),
    figures: descriptor.figures.map((each) => ({
      ...each,
      label: say(each.label),
      caption: say(each.caption),
      x: axis(each.x),
      y: axis(each.y),
      marks: sourced(named(each.marks)),
    })),
  };
}

// Whether a string has words in it, beside symbols, numbers, papers' numbers and placeholders.
export function hasWords(text) {
  return /[A-Za-z]{3}/.test(text.replace(/\{[\w.-]+\}|\b(?:RMS|ESS|arXiv)\b/g, ''));
}

export function localise(descriptor, dictionary) {
  return mapStrings(descriptor, (text) => dictionary[text] ?? text);
}

export function missingStrings(descriptor, dictionary) {
  const missing = new Set();
  mapStrings(descriptor, (text) => {
    if (text && hasWords(text) && !Object.hasOwn(dictionary, text)) missing.add(text);
    return text;
  });
  return [...missing];
}
