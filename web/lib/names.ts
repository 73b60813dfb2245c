/** "did you mean ...?", as core/nearest_name.cpp says it. */

import { fail, show } from './errors.js';

function editDistance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, j) => j);
  for (let i = 1; i <= left.length; ++i) {
    const next = [i];
    for (let j = 1; j <= right.length; ++j) {
      const replaced = row[j - 1]! + (left[i - 1] === right[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[right.length]!;
}

export function nearestNameHint(name: string, known: readonly string[]): string {
  if (known.length === 0) return '; none is known';
  if (name.length <= 64) {
    const distances = known.map((candidate) => editDistance(name, candidate));
    const best = distances.indexOf(Math.min(...distances));
    const nearest = known[best]!;
    if (distances[best]! <= Math.max(2, Math.floor(nearest.length / 4))) {
      return `; did you mean "${nearest}"?`;
    }
  }
  return `; known: ${known.join(', ')}`;
}

/** Throws 'unknown-name' unless `name` is one of `known`. */
export function requireName<Name extends string>(
  name: string,
  known: readonly Name[],
  parameter: string,
): Name {
  const found = known.find((candidate) => candidate === name);
  return (
    found ??
    fail('unknown-name', parameter, `${show(name)} is not known${nearestNameHint(name, known)}`)
  );
}
