/** Finding an experiment by its name, its paper, or a symbol in it. */
import type { Entry } from '../state/entry.ts';

function wordsOf({ id, title, summary, source, words }: Entry): string {
  return `${id} ${title} ${summary} ${source}`.toLowerCase() + words;
}

/** Every word of the query has to occur. */
export function search(experiments: readonly Entry[], query: string): readonly Entry[] {
  const wanted = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (!wanted.length) return experiments;
  return experiments.filter((each) => {
    const words = wordsOf(each);
    return wanted.every((word) => words.includes(word));
  });
}

/** For a name that is none: experiments that share most letter pairs with it. */
export function near(experiments: readonly Entry[], name: string): readonly Entry[] {
  const wanted = pairs(name.slice(0, 60));
  const scored = experiments.map((each) => {
    const own = pairs(each.id);
    const shared = [...wanted].filter((pair) => own.has(pair)).length;
    return { each, score: (2 * shared) / (wanted.size + own.size || 1) };
  });
  return scored
    .filter(({ score }) => score > 0.25)
    .sort((a, b) => b.score - a.score)
    .slice(0, 3)
    .map(({ each }) => each);
}

function pairs(text: string): Set<string> {
  const letters = text.toLowerCase();
  return new Set(
    Array.from({ length: Math.max(0, letters.length - 1) }, (_, i) => letters.slice(i, i + 2)),
  );
}
