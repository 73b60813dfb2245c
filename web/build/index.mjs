// The index of all experiments in each language, and each descriptor as a text of its own: the front
// page needs the first, an experiment only its own of the second.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

export const languages = ['en', 'ko', 'ja'];
const WINGS = ['needle', 'large-prompt', 'regression', 'mhla'];

// As the module writes them: the numbers that JSON lacks are words.
export function descriptorTexts(experiments) {
  const word = (_, value) =>
    typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;
  return Object.fromEntries(experiments.map((each) => [each.id, JSON.stringify(each, word)]));
}

async function readText(folder, language, id) {
  const text = await readFile(join(folder, language, `${id}.json`), 'utf8').catch(() => '{}');
  return JSON.parse(text).descriptor ?? {};
}

function wordsOf(experiment, own) {
  const words = [
    ...experiment.parameters.flatMap((each) => [
      each.symbol,
      own.parameters?.[each.name]?.label ?? each.label,
    ]),
    ...experiment.presets.flatMap((each) => [own.presets?.[each.name]?.label ?? each.label, each.source]),
  ];
  return [...new Set(words.filter(Boolean))].join(' ').toLowerCase();
}

const rank = (each) => WINGS.indexOf(each.wing) * 1e6 + each.order;

export async function makeIndex(experiments, textFolder) {
  const sorted = [...experiments].sort((a, b) => rank(a) - rank(b));
  const index = {};
  for (const language of languages) {
    index[language] = await Promise.all(
      sorted.map(async (each) => {
        const own = await readText(textFolder, language, each.id);
        return {
          id: each.id,
          wing: each.wing,
          order: each.order,
          title: own.title ?? each.title,
          summary: own.summary ?? each.summary,
          source: each.source,
          words: ` ${wordsOf(each, own)}`,
        };
      }),
    );
  }
  return index;
}
