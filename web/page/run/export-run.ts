/** A whole run as JSON, in the form of the library, which the notebook takes in. */
import { toJson } from '../../lib/format/json.ts';
import type { ParameterValues, RunResult } from '../../lib/index.ts';
import { labValues } from './lab-values.ts';
import type { Found } from './outcome.ts';

export function jsonOf(experiment: string, found: Found): string {
  const { status, divergedAt, values, seed, version, tables } = found;
  const result = {
    experiment,
    status,
    ...(divergedAt === undefined ? {} : { divergedAt }),
    params: labValues(values) as ParameterValues,
    seed,
    version,
    tables: tables as RunResult['tables'],
  };
  return `${toJson(result, 1)}\n`;
}
