/** `sample`: points drawn from a box, at random or by a sequence that fills it evenly. */

import type { Descriptor } from '../descriptor.js';
import { fail } from '../errors.js';
import type { CheckPoint } from './check.js';
import { Fields } from './fields.js';
import { halton, MOST_COORDINATES } from './halton.js';
import { uniform } from './philox.js';
import { findVaried, MOST_POINTS, type Points } from './points.js';
import { readSpan, valueAt, wholeAt } from './span.js';

const KINDS = ['random', 'halton'] as const;

export function readSample(
  value: unknown,
  descriptor: Descriptor,
  fixed: readonly string[],
  check: CheckPoint,
): Points {
  const sample = new Fields(value, 'sample', ['count', 'kind', 'seed', 'ranges']);
  const count = sample.count('count', 1, MOST_POINTS);
  const kind = sample.choice('kind', KINDS);
  if (kind === 'halton' && sample.has('seed')) {
    fail('malformed', 'sample.seed', 'goes with the kind "random"; "halton" draws nothing');
  }
  const seed = sample.count('seed', 0, Number.MAX_SAFE_INTEGER, 1);
  const ranges = new Fields(sample.required('ranges', 'an object'), 'sample.ranges');
  const axes = ranges.names.map((name) => {
    const where = ranges.pathOf(name);
    const parameter = findVaried(descriptor, name, where, fixed);
    const fields = new Fields(ranges.get(name), where, ['from', 'to', 'scale']);
    const span = readSpan(fields, parameter, descriptor, check);
    if (span.from >= span.to) {
      fail('out-of-range', fields.pathOf('to'), `is ${span.to}; above ${span.from} is allowed`);
    }
    return { name, span, whole: parameter.type === 'integer' };
  });
  if (axes.length === 0) fail('missing', 'sample.ranges', 'names no parameter');
  if (kind === 'halton' && axes.length > MOST_COORDINATES) {
    const most = `"halton" takes ${MOST_COORDINATES} at most, "random" any number`;
    fail('out-of-range', 'sample.ranges', `has ${axes.length}; ${most}`);
  }
  // Of whole numbers the same point may be drawn again; it is one point.
  const points = new Map<string, readonly number[]>();
  for (let i = 0; i < count; ++i) {
    const values = axes.map(({ span, whole }, j) => {
      const share = kind === 'halton' ? halton(i + 1, j) : uniform(seed, i, j);
      return whole ? wholeAt(span, share) : valueAt(span, share);
    });
    const key = values.join();
    if (!points.has(key)) points.set(key, values);
  }
  const drawn = [...points.values()];
  return {
    names: axes.map(({ name }) => name),
    count: drawn.length,
    at: (point) => drawn[point]!,
    entry: {
      sample: {
        count,
        kind,
        ...(kind === 'random' ? { seed } : {}),
        ranges: Object.fromEntries(axes.map(({ name, span }) => [name, { ...span }])),
      },
    },
  };
}
