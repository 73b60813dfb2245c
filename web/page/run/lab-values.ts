/** Values as the library takes them. */
import type { ParameterInput } from '../../lib/index.ts';
import { isMatrix, type Values } from '../state/values.ts';

/** The library's matrices say their shape; the descriptor's literals their rows and columns. */
export function labValues(values: Values): Record<string, ParameterInput> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      isMatrix(value)
        ? { data: Float64Array.from(value.data), shape: [value.rows, value.columns] }
        : value,
    ]),
  );
}
