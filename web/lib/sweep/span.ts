/** Ranges of a number: evenly, or evenly in ratios. */

import type { Descriptor, Parameter } from '../descriptor.js';
import { fail } from '../errors.js';
import { readScalar } from './values.js';
import type { CheckPoint } from './check.js';
import type { Fields } from './fields.js';

export const SCALES = ['linear', 'log'] as const;

export interface Span {
  readonly from: number;
  readonly to: number;
  readonly scale: (typeof SCALES)[number];
}

/** The fields from, to and scale. Both ends are checked, and with them all that lies between. */
export function readSpan(
  fields: Fields,
  parameter: Parameter,
  { id }: Descriptor,
  check: CheckPoint,
): Span {
  const { name, type } = parameter;
  if (type !== 'number' && type !== 'integer') {
    fail('type', fields.where, `${name} of ${id} is no number; only numbers have ranges`);
  }
  const read = (end: string): number => {
    const value = readScalar(fields.required(end, 'a number'));
    check({ [name]: value }, () => fields.pathOf(end));
    if (Number.isFinite(value)) return value as number;
    return fail('not-finite', fields.pathOf(end), `is ${value}; a finite number is expected`);
  };
  const [from, to] = [read('from'), read('to')];
  const scale = fields.choice('scale', SCALES, 'linear');
  if (scale === 'log' && !(from > 0 && to > 0)) {
    const end = from > 0 ? 'to' : 'from';
    fail('out-of-range', fields.pathOf(end), `is ${from > 0 ? to : from}; above 0 for a log scale`);
  }
  return { from, to, scale };
}

/**
 * The value at a share of the way. Twelve digits are kept: 0.3 is 0.3, a third decade is 1000, and
 * no engine's last bit makes another value of it.
 */
export function valueAt({ from, to, scale }: Span, share: number): number {
  if (share <= 0) return from;
  if (share >= 1) return to;
  const value = scale === 'log' ? from * Math.pow(to / from, share) : from + (to - from) * share;
  return Number(value.toPrecision(12));
}

/** A whole number of the range: each one stands for the interval that rounds to it. */
export function wholeAt({ from, to, scale }: Span, share: number): number {
  const value = valueAt({ from: from - 0.5, to: to + 0.5, scale }, share);
  return Math.min(to, Math.max(from, Math.round(value)));
}
