/** A fitted multi-head linear attention as JSON, and back. */

import { fail, show } from '../errors.js';
import { packMatrix, toRows, type Matrix } from '../matrix.js';
import type { FitOutput, Head } from '../mhla.js';
import { readTexts } from './json.js';
import { fromJsonNumber, toJsonNumber } from './numbers.js';

const FORMAT = 'attnlab-mhla';

const rowsOf = (matrix: Matrix): (number | string)[][] =>
  toRows(matrix).map((row) => row.map(toJsonNumber));

/**
 * A fitted multi-head linear attention as JSON text, which `fitFromJson` reads without a loss.
 */
export function fitToJson(fit: FitOutput, indent?: number): string {
  return JSON.stringify(
    {
      format: FORMAT,
      method: fit.method,
      samples: fit.samples,
      rank: fit.rank,
      dimension: fit.dimension,
      condition: toJsonNumber(fit.condition),
      trainingError: toJsonNumber(fit.trainingError),
      targetVariance: toJsonNumber(fit.targetVariance),
      warnings: fit.warnings,
      featureNames: fit.featureNames,
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

function readCount(value: unknown, where: string): number {
  if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number;
  fail('malformed', 'json', `${where} is ${show(value)}; a whole number is expected`);
}

function readHead(value: unknown, h: number): Head {
  const head = value as Record<string, unknown> | null;
  return {
    value: readMatrix(head?.['value'], `heads[${h}].value`),
    query: readMatrix(head?.['query'], `heads[${h}].query`),
  };
}

/** What `fitToJson` wrote. */
export function fitFromJson(text: string): FitOutput {
  if (typeof text !== 'string') fail('type', 'json', `is ${show(text)}; a text is expected`);
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
  const { heads, singularValues, warnings, featureNames, method } = fit;
  const lists = [heads, singularValues, warnings, featureNames];
  if (!lists.every(Array.isArray)) {
    fail('malformed', 'json', 'lacks heads, singularValues, warnings or featureNames');
  }
  if (typeof method !== 'string') fail('malformed', 'json', `method is ${show(method)}`);
  return {
    coefficients: readMatrix(fit['coefficients'], 'coefficients'),
    heads: (heads as unknown[]).map((head, h) => readHead(head, h)),
    singularValues: Float64Array.from(singularValues as unknown[], (value) =>
      readNumber(value, 'singularValues'),
    ),
    samples: readCount(fit['samples'], 'samples'),
    rank: readCount(fit['rank'], 'rank'),
    dimension: readCount(fit['dimension'], 'dimension'),
    trainingError: readNumber(fit['trainingError'], 'trainingError'),
    targetVariance: readNumber(fit['targetVariance'], 'targetVariance'),
    method,
    condition: readNumber(fit['condition'], 'condition'),
    warnings: readTexts(warnings, 'warnings'),
    featureNames: readTexts(featureNames, 'featureNames'),
  };
}
