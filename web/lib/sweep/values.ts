/** A parameter's value as a plan's JSON spells it: "Infinity" and "NaN" are strings there. */

import type { Parameter } from '../descriptor.js';
import { fromJsonNumber } from '../format/numbers.js';
import type { ParameterValue } from '../parameters.js';

export const readScalar = (value: unknown): unknown => fromJsonNumber(value) ?? value;

/** Only spelled differently: what is no value of this parameter is left for the library to refuse. */
export function readValue({ type }: Parameter, value: unknown): ParameterValue {
  const isNumber = type === 'number' || type === 'integer';
  if (isNumber) return readScalar(value) as ParameterValue;
  if (type === 'numbers' && Array.isArray(value)) return value.map(readScalar) as number[];
  return value as ParameterValue;
}
