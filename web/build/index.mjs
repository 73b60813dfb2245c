// The index of all experiments in each language, and each descriptor as a text of its own: the front
// page needs the first, an experiment only its own of the second.
import { languages, localise, readDictionary } from './localise.mjs';

const WINGS = ['needle', 'large-prompt', 'regression', 'mhla'];

// As the module writes them: the numbers that JSON lacks are words.
function descriptorTexts(experiments) {
  const word = (_, value) =>
    typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;
  return Object.fromEntries(experiments.map((each) => [each.id, JSON.stringify(each, word)]));
}

function wordsOf(experiment) {
  const words = [
    ...experiment.parameters.flatMap((each) => [each.symbol, each.label]),
    ...experiment.presets.flatMap((each) => [each.label, each.source]),
  ];
  return [...new Set(words.filter(Boolean))].join(' ').toLowerCase();
}

const rank = (each) => WINGS.indexOf(each.wing) * 1e6 + each.order;

// → { language: { entries, descriptors: { id: JSON text } } }
export async function makeIndex(experiments, textFolder) {
  const sorted = [...experiments].sort((a, b) => rank(a) - rank(b));
  const index = {};
  for (const language of languages) {
    const dictionary = await readDictionary(textFolder, language);
    const local = sorted.map((each) => localise(each, dictionary));
    index[language] = {
      entries: local.map((each) => ({
        id: each.id,
        wing: each.wing,
        order: each.order,
        title: each.title,
        summary: each.summary,
        source: each.source,
        words: ` ${wordsOf(each)}`,
      })),
      descriptors: descriptorTexts(local),
    };
  }
  return index;
}
