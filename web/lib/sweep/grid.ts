/** `vary`: every combination of some values of each parameter; the last one changes fastest. */

import type { Descriptor, Parameter } from '../descriptor.js';
import { fail, show } from '../errors.js';
import type { Json } from '../format/json.js';
import type { ParameterValue } from '../parameters.js';
import type { CheckPoint } from './check.js';
import { Fields } from './fields.js';
import { findVaried, MOST_POINTS, type Points } from './points.js';
import { readSpan, valueAt } from './span.js';
import { readValue } from './values.js';

interface Axis {
  readonly name: string;
  readonly values: readonly ParameterValue[];
  readonly entry: Json;
}

function readList(fields: Fields, parameter: Parameter, check: CheckPoint): Axis {
  const given = fields.list('grid');
  const firstAt = new Map<string, number>();
  const values = given.map((entry, i) => {
    const path = `${fields.pathOf('grid')}[${i}]`;
    const value = readValue(parameter, entry);
    check({ [parameter.name]: value }, () => path);
    const key = JSON.stringify(entry);
    const first = firstAt.get(key);
    if (first !== undefined) fail('malformed', path, `is ${show(entry)} again, as [${first}] is`);
    firstAt.set(key, i);
    return value;
  });
  return { name: parameter.name, values, entry: { grid: given as Json[] } };
}

// Whole numbers that round to the same are one value.
function readRange(
  fields: Fields,
  parameter: Parameter,
  descriptor: Descriptor,
  check: CheckPoint,
): Axis {
  const span = readSpan(fields, parameter, descriptor, check);
  const count = fields.count('count', 2, MOST_POINTS);
  const all = Array.from({ length: count }, (_, i) => {
    const value = valueAt(span, i / (count - 1));
    return parameter.type === 'integer' ? Math.round(value) : value;
  });
  return { name: parameter.name, values: [...new Set(all)], entry: { ...span, count } };
}

export function readGrid(
  value: unknown,
  descriptor: Descriptor,
  fixed: readonly string[],
  check: CheckPoint,
): Points {
  const vary = new Fields(value, 'vary');
  const axes = vary.names.map((name) => {
    const parameter = findVaried(descriptor, name, vary.pathOf(name), fixed);
    const isList = new Fields(vary.get(name), vary.pathOf(name)).has('grid');
    const known = isList ? ['grid'] : ['from', 'to', 'count', 'scale'];
    const fields = new Fields(vary.get(name), vary.pathOf(name), known);
    return isList
      ? readList(fields, parameter, check)
      : readRange(fields, parameter, descriptor, check);
  });
  if (axes.length === 0) fail('missing', 'vary', 'names no parameter');
  const count = axes.reduce((product, { values }) => product * values.length, 1);
  if (count > MOST_POINTS) {
    fail('out-of-range', 'vary', `makes ${count} points; ${MOST_POINTS} at most are allowed`);
  }
  return {
    names: axes.map(({ name }) => name),
    count,
    at(point) {
      const values: ParameterValue[] = [];
      for (let left = point, i = axes.length - 1; i >= 0; --i) {
        const axis = axes[i]!.values;
        values[i] = axis[left % axis.length]!;
        left = Math.floor(left / axis.length);
      }
      return values;
    },
    entry: { vary: Object.fromEntries(axes.map(({ name, entry }) => [name, entry])) },
  };
}
