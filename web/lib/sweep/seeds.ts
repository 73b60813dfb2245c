/** `seeds`: {"first", "count"} or a list. */

import { fail } from '../errors.js';
import type { Json } from '../format/json.js';
import { seedText, seedValue, type Seed } from '../seed.js';
import { Fields, placed } from './fields.js';

export interface Seeds {
  readonly count: number;
  at(index: number): Seed;
  readonly entry: Json;
}

const MOST_SEEDS = 10_000_000;

function readSeedList(list: readonly unknown[]): Seeds {
  if (list.length === 0) fail('shape', 'seeds', 'is empty; one seed at least is expected');
  const firstAt = new Map<string, number>();
  const seeds = list.map((entry, i) => {
    const path = `seeds[${i}]`;
    const text = placed(
      () => path,
      () => seedText(entry),
    );
    const first = firstAt.get(text);
    if (first !== undefined) fail('malformed', path, `is ${text} again, as seeds[${first}] is`);
    firstAt.set(text, i);
    return seedValue(text);
  });
  return { count: seeds.length, at: (index) => seeds[index]!, entry: seeds };
}

/** Default: the seed 1 alone. */
export function readSeeds(value: unknown): Seeds {
  if (Array.isArray(value)) return readSeedList(value);
  const fields = new Fields(value ?? {}, 'seeds', ['first', 'count']);
  const count = fields.count('count', 1, MOST_SEEDS, 1);
  const first = fields.count('first', 0, Number.MAX_SAFE_INTEGER, 1);
  if (!Number.isSafeInteger(first + (count - 1))) {
    fail('out-of-range', 'seeds.first', `is ${first}; its last seed is beyond 9007199254740991`);
  }
  return { count, at: (index) => first + index, entry: { first, count } };
}
