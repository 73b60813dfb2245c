/** Where a sweep's points come from: nothing varied, a grid, a list, or a sample. */

import type { Descriptor, Parameter } from '../descriptor.js';
import { fail } from '../errors.js';
import type { Json } from '../format/json.js';
import { findParameter, type ParameterValue } from '../parameters.js';

export interface Points {
  /** The varied parameters, in the plan's order. */
  readonly names: readonly string[];
  readonly count: number;
  /** A value for each name. */
  at(point: number): readonly ParameterValue[];
  /** The plan's entry, spelled out. */
  readonly entry: Readonly<Record<string, Json>>;
}

export const MOST_POINTS = 1_000_000;

export const onePoint: Points = { names: [], count: 1, at: () => [], entry: {} };

/** A parameter that may be varied; `where` is the plan's entry. */
export function findVaried(
  descriptor: Descriptor,
  name: string,
  where: string,
  fixed: readonly string[],
): Parameter {
  const parameter = findParameter(descriptor, name, where);
  if (parameter.type === 'matrix') fail('type', where, 'is a matrix; matrices cannot be varied');
  if (fixed.includes(name)) {
    fail('malformed', where, 'stands among the fixed parameters too');
  }
  return parameter;
}
