/** A fitted multi-head linear attention as JSON, and back. */

import { fail, show } from '../errors.js';
import { packMatrix, packVector, requireMatrix, toRows, type Matrix } from '../matrix.js';
import type { FitOutput, Head } from '../mhla.js';
import { Options, readList, readOnce, requireObject } from '../options.js';
import { readTexts } from './json.js';
import { fromJsonNumber, toJsonNumber } from './numbers.js';
import { parseJson } from './parse_json.js';

const FORMAT = 'attnlab-mhla';
const NUMBERS = [
  ...(['samples', 'rank', 'dimension', 'condition'] as const),
  ...(['trainingError', 'targetVariance'] as const),
];

function requireTexts(value: unknown, name: string): readonly string[] {
  const texts = readList(value, name);
  if (texts.every((entry) => typeof entry === 'string')) return texts;
  return fail('type', name, 'is not a list of texts');
}

/** A fit as `lab.mhla.fit` gives it. Throws an AttnLabError that names what is not. */
function requireFit(value: unknown): FitOutput {
  const object = requireObject(value, 'fit');
  const get = (name: string): unknown => readOnce(object, name);
  const fit = new Options(
    Object.fromEntries([...NUMBERS, 'method'].map((name) => [name, get(name)])),
    [...NUMBERS, 'method'],
  );
  const numbers = NUMBERS.map((name) => [name, fit.required(name)] as const);
  return {
    ...(Object.fromEntries(numbers) as Record<(typeof NUMBERS)[number], number>),
    method: fit.anyText('method') ?? fail('missing', 'method', 'is missing; a name is expected'),
    warnings: requireTexts(get('warnings'), 'warnings'),
    featureNames: requireTexts(get('featureNames'), 'featureNames'),
    coefficients: requireMatrix(get('coefficients'), 'coefficients'),
    singularValues: packVector(get('singularValues'), 'singularValues'),
    heads: readList(get('heads'), 'heads').map((entry, h): Head => {
      const head = requireObject(entry, `heads[${h}]`);
      return {
        value: requireMatrix(readOnce(head, 'value'), `heads[${h}].value`),
        query: requireMatrix(readOnce(head, 'query'), `heads[${h}].query`),
      };
    }),
  };
}

const rowsOf = (matrix: Matrix): (number | string)[][] =>
  toRows(matrix).map((row) => row.map(toJsonNumber));

/**
 * A fitted multi-head linear attention as JSON text, which `fitFromJson` reads without a loss.
 */
export function fitToJson(fit: FitOutput, indent?: number): string {
  const read = requireFit(fit);
  return JSON.stringify(
    {
      format: FORMAT,
      method: read.method,
      samples: read.samples,
      rank: read.rank,
      dimension: read.dimension,
      condition: toJsonNumber(read.condition),
      trainingError: toJsonNumber(read.trainingError),
      targetVariance: toJsonNumber(read.targetVariance),
      warnings: read.warnings,
      featureNames: read.featureNames,
      coefficients: rowsOf(read.coefficients),
      singularValues: Array.from(read.singularValues, toJsonNumber),
      heads: read.heads.map(({ value, query }) => ({ value: rowsOf(value), query: rowsOf(query) })),
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

// Whatever else the file holds, its parts are of one model.
function requireAgreement({ coefficients, heads, dimension, featureNames }: FitOutput): void {
  const [outputs, features] = coefficients.shape;
  if (features !== dimension) {
    fail('malformed', 'json', `has ${features} coefficients an output for dimension ${dimension}`);
  }
  if (featureNames.length > 0 && featureNames.length !== dimension) {
    fail('malformed', 'json', `has ${featureNames.length} featureNames for dimension ${dimension}`);
  }
  heads.forEach(({ value, query }, h) => {
    const d = query.shape[0];
    const isWhole = query.shape[1] === d && value.shape[0] === outputs && value.shape[1] === d;
    if (isWhole && (d * d * (d + 1)) / 2 === dimension) return;
    fail('malformed', 'json', `heads[${h}] does not fit ${outputs} x ${dimension} coefficients`);
  });
}

/** What `fitToJson` wrote. */
export function fitFromJson(text: string): FitOutput {
  const parsed = parseJson(text);
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
  const read: FitOutput = {
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
  requireAgreement(read);
  return read;
}
