/** Results as JSON, and back. NaN and the infinities survive as strings in number columns. */

import { fail, show } from '../errors.js';
import { requireMatrix, type Matrix } from '../matrix.js';
import type { ParameterValue, ParameterValues } from '../parameters.js';
import { readSafely } from '../options.js';
import type { RunResult } from '../run.js';
import { seedText, seedValue, type Seed } from '../seed.js';
import { requireWholeTables, type ColumnValues, type Table, type Tables } from '../tables.js';
import { fromJsonNumber, toJsonNumber } from './numbers.js';
import { parseJson } from './parse_json.js';

const FORMAT = 'attnlab-result';
const STATUSES = ['done', 'cancelled', 'diverged'];

export type Json =
  string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

function columnToJson(values: ColumnValues): Json {
  return values instanceof Float64Array ? Array.from(values, toJsonNumber) : values;
}

function isMatrix(value: ParameterValue): value is Matrix {
  return typeof value === 'object' && !Array.isArray(value);
}

export function parameterToJson(value: ParameterValue): Json {
  if (typeof value === 'number') return toJsonNumber(value);
  if (typeof value !== 'object') return value;
  if (isMatrix(value)) {
    return { data: Array.from(value.data, toJsonNumber), shape: [...value.shape] };
  }
  return value.map(toJsonNumber);
}

const mapValues = <From, To>(
  object: Readonly<Record<string, From>>,
  change: (value: From) => To,
): Record<string, To> =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));

/** A text column is told from a number column by its place in `texts`. */
function tableToJson(table: Table): Json {
  const entries = Object.entries(table.columns);
  const texts = entries.filter(([, values]) => !(values instanceof Float64Array));
  return {
    columns: mapValues(table.columns, columnToJson),
    ...(texts.length > 0 ? { texts: texts.map(([name]) => name) } : {}),
  };
}

export const tablesToJson = (tables: Tables): Readonly<Record<string, Json>> =>
  mapValues(tables, tableToJson);

type JsonObject = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function requireParameter(value: unknown, name: string): ParameterValue {
  if (['number', 'boolean', 'string'].includes(typeof value)) return value as ParameterValue;
  if (!Array.isArray(value)) return requireMatrix(value, name);
  if (value.every((entry) => typeof entry === 'number')) return value;
  return fail('type', name, `is ${show(value)}; a parameter's value is expected`);
}

/** All of a result but its tables. Throws an AttnLabError where it is not as a run gives it. */
function requireHead(result: RunResult): Omit<RunResult, 'tables'> {
  return readSafely('result', () => {
    const { params, experiment, status, divergedAt, seed, version } = result;
    if (!isObject(params)) {
      fail('type', 'result', 'has no params; what run() resolves to is expected');
    }
    const isHead = typeof experiment === 'string' && typeof version === 'string';
    if (!isHead || !STATUSES.includes(status)) {
      fail('type', 'result', 'lacks its experiment, version or status');
    }
    const read = Object.entries(params).map(([name, value]): [string, ParameterValue] => [
      name,
      requireParameter(value, name),
    ]);
    return {
      ...{ experiment, status, version, params: Object.fromEntries(read) },
      seed: seedValue(seedText(seed)),
      ...(typeof divergedAt === 'number' ? { divergedAt } : {}),
    };
  });
}

/**
 * A result as JSON text, which `fromJson` reads without a loss. NaN and the infinities become
 * strings; `indent` spaces a level, none by default.
 */
export function toJson(result: RunResult, indent?: number): string {
  const tables = requireWholeTables(result);
  const { params, experiment, status, divergedAt, seed, version } = requireHead(result);
  // Texts that would read back as numbers.
  const texts = Object.keys(params).filter((name) => {
    const value = params[name];
    return typeof value === 'string' && fromJsonNumber(value) !== undefined;
  });
  return JSON.stringify(
    {
      format: FORMAT,
      experiment,
      status,
      ...(divergedAt === undefined ? {} : { divergedAt }),
      params: mapValues(params, parameterToJson),
      ...(texts.length > 0 ? { texts } : {}),
      seed,
      version,
      tables: tablesToJson(tables),
    },
    undefined,
    indent,
  );
}

function requireJsonObject(value: unknown, where: string): JsonObject {
  if (isObject(value)) return value;
  fail('malformed', 'json', `${where} is ${show(value)}; an object is expected`);
}

function readNumbers(value: unknown, where: string): Float64Array {
  if (!Array.isArray(value)) {
    fail('malformed', 'json', `${where} is ${show(value)}; a list is expected`);
  }
  return Float64Array.from(value as unknown[], (entry, i) => {
    const number = fromJsonNumber(entry);
    return (
      number ?? fail('malformed', 'json', `${where}[${i}] is ${show(entry)}; a number is expected`)
    );
  });
}

export function readTexts(value: unknown, where: string): readonly string[] {
  if (Array.isArray(value) && value.every((entry) => typeof entry === 'string')) return value;
  fail('malformed', 'json', `${where} is not a list of texts`);
}

function readTable(value: unknown, where: string): Table {
  const table = requireJsonObject(value, where);
  const texts = table['texts'] === undefined ? [] : readTexts(table['texts'], `${where}.texts`);
  const columns = requireJsonObject(table['columns'], `${where}.columns`);
  const read = Object.entries(columns).map(([name, values]): [string, ColumnValues] => {
    const place = `${where}.columns.${name}`;
    return [name, texts.includes(name) ? readTexts(values, place) : readNumbers(values, place)];
  });
  const lengths = new Set(read.map(([, values]) => values.length));
  if (lengths.size > 1) fail('malformed', 'json', `${where} has columns of different lengths`);
  return { columns: Object.fromEntries(read) };
}

function readParameter(value: unknown, where: string, isText: boolean): ParameterValue {
  if (typeof value === 'boolean' || (isText && typeof value === 'string')) return value;
  const number = fromJsonNumber(value);
  if (number !== undefined) return number;
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return Array.from(readNumbers(value, where));
  const matrix = requireJsonObject(value, where);
  const shape = readNumbers(matrix['shape'], `${where}.shape`);
  const data = readNumbers(matrix['data'], `${where}.data`);
  const [rows = -1, columns = -1] = shape;
  const isShape = shape.length === 2 && shape.every((side) => Number.isInteger(side) && side >= 0);
  if (!isShape || rows * columns !== data.length) {
    fail('malformed', 'json', `${where} has data that do not fit its shape`);
  }
  return { data, shape: [rows, columns] };
}

function readSeed(value: unknown): Seed {
  try {
    return seedValue(seedText(value));
  } catch (cause) {
    fail('malformed', 'json', (cause as Error).message, { cause });
  }
}

/** What `toJson` wrote; throws 'malformed' where it is anything else. */
export function fromJson(text: string): RunResult {
  const object = requireJsonObject(parseJson(text), 'the text');
  if (object['format'] !== FORMAT) {
    fail('malformed', 'json', `has format ${show(object['format'])}; "${FORMAT}" is expected`);
  }
  const { status, experiment, version, seed, divergedAt } = object;
  if (typeof status !== 'string' || !STATUSES.includes(status)) {
    fail(
      'malformed',
      'json',
      `has status ${show(status)}; one of ${STATUSES.join(', ')} is expected`,
    );
  }
  if (typeof experiment !== 'string' || typeof version !== 'string') {
    fail('malformed', 'json', 'does not name its experiment and version');
  }
  const texts = object['texts'] === undefined ? [] : readTexts(object['texts'], 'texts');
  const params: ParameterValues = Object.fromEntries(
    Object.entries(requireJsonObject(object['params'], 'params')).map(([name, value]) => [
      name,
      readParameter(value, `params.${name}`, texts.includes(name)),
    ]),
  );
  const tables: Tables = Object.fromEntries(
    Object.entries(requireJsonObject(object['tables'], 'tables')).map(([name, value]) => [
      name,
      readTable(value, `tables.${name}`),
    ]),
  );
  return {
    status: status as RunResult['status'],
    ...(typeof divergedAt === 'number' ? { divergedAt } : {}),
    experiment,
    params,
    seed: readSeed(seed),
    version,
    tables,
  };
}
