/** A fitted multi-head linear attention as JSON, and back. */

import { fail, show } from '../errors.js';
import { packMatrix, toRows, type Matrix } from '../matrix.js';
import type { FitOutput } from '../mhla.js';
import { fromJsonNumber, toJsonNumber } from './numbers.js';

const FORMAT = 'attnlab-mhla';

const rowsOf = (matrix: Matrix): (number | string)[][] =>
  toRows(matrix).map((row) => row.map(toJsonNumber));

export function fitToJson(fit: FitOutput, indent?: number): string {
  return JSON.stringify(
    {
      format: FORMAT,
      method: fit.method,
      rank: fit.rank,
      dimension: fit.dimension,
      condition: toJsonNumber(fit.condition),
      trainingError: toJsonNumber(fit.trainingError),
      targetVariance: toJsonNumber(fit.targetVariance),
      warnings: fit.warnings,
      coefficients: rowsOf(fit.coefficients),
      singularValues: Array.from(fit.singularValues, toJsonNumber),
      heads: fit.heads.map(({ value, query }) => ({ value: rowsOf(value), query: rowsOf(query) })),
    },
    undefined,
    indent,
  );
}

function readMatrix(value: unknown, where: string): Matrix {
  if (!Array.isArray(value)) fail('malformed', 'json', `${where} is ${show(value)}`);
  const rows = value.map((row: unknown) =>
    Array.isArray(row) ? row.map((entry) => fromJsonNumber(entry) ?? (entry as number)) : row,
  );
  const { data, rows: count, columns } = packMatrix(rows, 'json');
  return { data, shape: [count, columns] };
}

function readNumber(value: unknown, where: string): number {
  return fromJsonNumber(value) ?? fail('malformed', 'json', `${where} is ${show(value)}`);
}

/** What `fitToJson` wrote. */
export function fitFromJson(text: string): FitOutput {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (cause) {
    fail('malformed', 'json', `cannot be read: ${(cause as Error).message}`, { cause });
  }
  const fit = (typeof parsed === 'object' && parsed !== null ? parsed : {}) as Record<
    string,
    unknown
  >;
  if (fit['format'] !== FORMAT) {
    fail('malformed', 'json', `has format ${show(fit['format'])}; "${FORMAT}" is expected`);
  }
  const { heads, singularValues, warnings, method } = fit;
  if (!Array.isArray(heads) || !Array.isArray(singularValues) || !Array.isArray(warnings)) {
    fail('malformed', 'json', 'lacks heads, singularValues or warnings');
  }
  return {
    coefficients: readMatrix(fit['coefficients'], 'coefficients'),
    heads: heads.map((head: Record<string, unknown> | null, h) => ({
      value: readMatrix(head?.['value'], `heads[${h}].value`),
      query: readMatrix(head?.['query'], `heads[${h}].query`),
    })),
    singularValues: Float64Array.from(singularValues, (value) =>
      readNumber(value, 'singularValues'),
    ),
    rank: readNumber(fit['rank'], 'rank'),
    dimension: readNumber(fit['dimension'], 'dimension'),
    trainingError: readNumber(fit['trainingError'], 'trainingError'),
    targetVariance: readNumber(fit['targetVariance'], 'targetVariance'),
    method: String(method),
    condition: readNumber(fit['condition'], 'condition'),
    warnings: warnings.map(String),
  };
}
