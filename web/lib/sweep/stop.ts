/** `stop`: when a sweep has enough. */

import type { Descriptor } from '../descriptor.js';
import { fail, show } from '../errors.js';
import type { Json } from '../format/json.js';
import { nearestNameHint } from '../names.js';
import { Fields } from './fields.js';

/** Seeds of a point end when the standard error of a column's mean over them is small enough. */
export interface PrecisionTarget {
  readonly table: string;
  readonly column: string;
  readonly standardError: number;
  readonly minimumSeeds: number;
}

/** When a sweep ends before all of its runs. */
export interface Stop {
  readonly target?: PrecisionTarget;
  /** The plan's first runs alone. */
  readonly runs?: number;
  /** No run begins later than this. */
  readonly seconds?: number;
  readonly entry: Readonly<Record<string, Json>>;
}

const KNOWN = ['column', 'standardError', 'minimumSeeds', 'runs', 'seconds'];

function readTarget(fields: Fields, descriptor: Descriptor): PrecisionTarget | undefined {
  if (!fields.has('column')) {
    for (const name of ['standardError', 'minimumSeeds']) {
      if (fields.has(name)) fail('missing', 'stop.column', `is missing; ${name} needs it`);
    }
    return undefined;
  }
  const name = fields.text('column');
  const columns = descriptor.tables.flatMap((table) =>
    table.columns
      .filter(({ type }) => type === 'number')
      .map((column) => ({ table: table.name, column: column.name })),
  );
  const known = columns.map(({ table, column }) => `${table}.${column}`);
  const found = columns[known.indexOf(name)];
  if (!found) {
    const hint = nearestNameHint(name, known);
    const what = `${show(name)} is not a column of numbers of ${descriptor.id}`;
    fail('unknown-name', 'stop.column', `${what}${hint}`);
  }
  const standardError = fields.positive('standardError');
  return { ...found, standardError, minimumSeeds: fields.count('minimumSeeds', 2, 1_000_000, 5) };
}

export function readStop(value: unknown, descriptor: Descriptor): Stop {
  if (value === undefined) return { entry: {} };
  const fields = new Fields(value, 'stop', KNOWN);
  const target = readTarget(fields, descriptor);
  const runs = fields.has('runs') ? fields.count('runs', 1, 1e9) : undefined;
  const seconds = fields.has('seconds') ? fields.positive('seconds') : undefined;
  return {
    ...(target ? { target } : {}),
    ...(runs === undefined ? {} : { runs }),
    ...(seconds === undefined ? {} : { seconds }),
    entry: {
      ...(target
        ? {
            column: `${target.table}.${target.column}`,
            standardError: target.standardError,
            minimumSeeds: target.minimumSeeds,
          }
        : {}),
      ...(runs === undefined ? {} : { runs }),
      ...(seconds === undefined ? {} : { seconds }),
    },
  };
}
