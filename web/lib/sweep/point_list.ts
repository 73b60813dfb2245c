/** `points`: a list of points, each with a value for the same parameters. */

import type { Descriptor } from '../descriptor.js';
import { fail, show } from '../errors.js';
import type { Json } from '../format/json.js';
import type { CheckPoint } from './check.js';
import { Fields } from './fields.js';
import { findVaried, MOST_POINTS, type Points } from './points.js';
import { readValue } from './values.js';

export function readPointList(
  value: unknown,
  descriptor: Descriptor,
  fixed: readonly string[],
  check: CheckPoint,
): Points {
  if (!Array.isArray(value)) fail('type', 'points', `is ${show(value)}; a list is expected`);
  if (value.length === 0) fail('shape', 'points', 'is empty; one point at least is expected');
  if (value.length > MOST_POINTS) {
    fail('out-of-range', 'points', `has ${value.length}; ${MOST_POINTS} at most are allowed`);
  }
  const names = new Fields(value[0], 'points[0]').names;
  if (names.length === 0) fail('missing', 'points[0]', 'names no parameter');
  const parameters = names.map((name) => findVaried(descriptor, name, `points[0].${name}`, fixed));
  const firstAt = new Map<string, number>();
  const points = value.map((given: unknown, i) => {
    const fields = new Fields(given, `points[${i}]`, names);
    const spelled = names.map((name) => fields.required(name, 'a value, as in points[0],'));
    const values = parameters.map((parameter, j) => readValue(parameter, spelled[j]));
    check(Object.fromEntries(names.map((name, j) => [name, values[j]])), (name) =>
      fields.pathOf(name),
    );
    const key = JSON.stringify(spelled);
    const first = firstAt.get(key);
    if (first !== undefined) fail('malformed', `points[${i}]`, `is points[${first}] again`);
    firstAt.set(key, i);
    return {
      values,
      entry: Object.fromEntries(names.map((name, j) => [name, spelled[j] as Json])),
    };
  });
  return {
    names,
    count: points.length,
    at: (point) => points[point]!.values,
    entry: { points: points.map(({ entry }) => entry) },
  };
}
