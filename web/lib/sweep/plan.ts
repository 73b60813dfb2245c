/**
 * A plan: an experiment, what is fixed, what is varied, the seeds, and when it is enough. Runs are
 * numbered with the seeds outside: all points with the first seed, then all with the second, so
 * that a sweep that ends early has seen every point.
 */

import type { Descriptor } from '../descriptor.js';
import { fail, show } from '../errors.js';
import { parameterToJson, type Json } from '../format/json.js';
import type { Lab } from '../lab.js';
import { readOnce, readSafely, requireCount, requireObject } from '../options.js';
import { findParameter, type ParameterValue, type ParameterValues } from '../parameters.js';
import { seedText, type Seed } from '../seed.js';
import type { CheckPoint } from './check.js';
import { Fields, placed } from './fields.js';
import { readGrid } from './grid.js';
import { readPointList } from './point_list.js';
import { onePoint, type Points } from './points.js';
import { readSample } from './sample.js';
import { readSeeds } from './seeds.js';
import { readStop, type Stop } from './stop.js';
import { readValue } from './values.js';

/** One run of a plan: a point, and which of the seeds. */
export interface SweepRun {
  readonly point: number;
  readonly seedIndex: number;
  readonly seed: Seed;
}

/** A plan that was read and checked whole. */
export interface SweepPlan {
  readonly descriptor: Descriptor;
  readonly version: string;
  /** The varied parameters, in the plan's order. */
  readonly names: readonly string[];
  readonly points: number;
  readonly seeds: number;
  /** How many runs there are at most; they are numbered from 0. */
  readonly runs: number;
  readonly stop: Stop;
  /** The plan as JSON, spelled out; reading it gives the same plan. */
  readonly text: string;
  run(run: number): SweepRun;
  runAt(point: number, seedIndex: number): number;
  /** The varied parameters' values, as JSON spells them. */
  values(point: number): Readonly<Record<string, Json>>;
  /** Every parameter of a point's runs. */
  parameters(point: number): ParameterValues;
  /** All that a run's result depends on. */
  identity(run: number): string;
  /** The shard of `count`, from 0, that a run belongs to. */
  shardOf(run: number, count: number): number;
}

export const MOST_RUNS = 10_000_000;
const KNOWN = ['experiment', 'preset', 'parameters', 'vary', 'points', 'sample', 'seeds', 'stop'];
const SOURCES = { vary: readGrid, points: readPointList, sample: readSample } as const;

interface Fixed {
  readonly values: Readonly<Record<string, ParameterValue>>;
  readonly entry: Readonly<Record<string, Json>>;
}

function readFixed(value: unknown, descriptor: Descriptor, check: CheckPoint): Fixed {
  const fields = new Fields(value ?? {}, 'parameters');
  for (const name of fields.names) findParameter(descriptor, name, fields.pathOf(name));
  const given = descriptor.parameters.filter(({ name }) => fields.has(name));
  const values = Object.fromEntries(
    given.map((parameter) => [parameter.name, readValue(parameter, fields.get(parameter.name))]),
  );
  check(values, (name) => fields.pathOf(name));
  return {
    values,
    entry: Object.fromEntries(given.map(({ name }) => [name, fields.get(name) as Json])),
  };
}

function readPoints(
  plan: Fields,
  descriptor: Descriptor,
  fixed: readonly string[],
  check: CheckPoint,
): Points {
  const given = (['vary', 'points', 'sample'] as const).filter((name) => plan.has(name));
  const [source, other] = given;
  if (source === undefined) return onePoint;
  if (other !== undefined) {
    fail('malformed', other, `stands beside ${source}; one of vary, points and sample is expected`);
  }
  return SOURCES[source](plan.get(source), descriptor, fixed, check);
}

/** Reads a plan's JSON, parsed. Throws an AttnLabError that names the entry, before any work. */
export function readPlan(lab: Lab, value: unknown): SweepPlan {
  const object = requireObject(lab, 'lab');
  if (
    ['describe', 'resolveParameters'].some(
      (name) => typeof readOnce(object, name, 'lab') !== 'function',
    )
  ) {
    fail('type', 'lab', `is ${show(lab)}; what load() resolves to is expected`);
  }
  return readSafely('plan', () => planOf(lab, value));
}

/** A place in the plan, counted from 0. */
function requirePlace(value: number, name: string, count: number): number {
  if (typeof value !== 'number') fail('type', name, `is ${show(value)}; a number is expected`);
  return requireCount(value, name, 0, count - 1);
}

function planOf(lab: Lab, value: unknown): SweepPlan {
  const plan = new Fields(value, '', KNOWN);
  const descriptor = lab.describe(plan.text('experiment'));
  const { id } = descriptor;
  const preset = plan.has('preset') ? { preset: plan.text('preset') } : {};
  lab.resolveParameters(id, {}, preset);
  const checkWith =
    (fixed: Readonly<Record<string, unknown>>): CheckPoint =>
    (values, pathOf) =>
      void placed(pathOf, () =>
        lab.resolveParameters<string>(id, { ...fixed, ...values } as ParameterValues, preset),
      );
  const fixed = readFixed(plan.get('parameters'), descriptor, checkWith({}));
  const base = lab.resolveParameters<string>(id, fixed.values, preset);
  const points = readPoints(plan, descriptor, Object.keys(fixed.values), checkWith(fixed.values));
  const seeds = readSeeds(plan.get('seeds'));
  const stop = readStop(plan.get('stop'), descriptor);
  const all = points.count * seeds.count;
  const runs = Math.min(all, stop.runs ?? all);
  if (runs > MOST_RUNS) {
    fail('out-of-range', 'plan', `has ${show(runs)} runs; ${MOST_RUNS} at most are allowed`);
  }

  const entry = {
    experiment: id,
    ...preset,
    parameters: fixed.entry,
    ...points.entry,
    seeds: seeds.entry,
    stop: stop.entry,
  };
  const baseTexts = new Map(
    Object.entries(base).map(([name, value]) => [name, JSON.stringify(parameterToJson(value))]),
  );
  const { names } = points;
  const find = (run: number): SweepRun => {
    requirePlace(run, 'run', runs);
    const seedIndex = Math.floor(run / points.count);
    return { point: run % points.count, seedIndex, seed: seeds.at(seedIndex) };
  };
  const valuesAt = (point: number) => points.at(requirePlace(point, 'point', points.count));
  return {
    descriptor,
    version: lab.version,
    names,
    points: points.count,
    seeds: seeds.count,
    runs,
    stop,
    text: JSON.stringify(entry),
    run: find,
    runAt: (point, seedIndex) =>
      requirePlace(seedIndex, 'seedIndex', seeds.count) * points.count +
      requirePlace(point, 'point', points.count),
    values: (point) => {
      const values = valuesAt(point);
      return Object.fromEntries(names.map((name, i) => [name, parameterToJson(values[i]!)]));
    },
    parameters: (point) => {
      const values = valuesAt(point);
      return { ...base, ...Object.fromEntries(names.map((name, i) => [name, values[i]!])) };
    },
    identity: (run) => {
      const { point, seed } = find(run);
      const texts = new Map(baseTexts);
      points.at(point).forEach((value, i) => {
        texts.set(names[i]!, JSON.stringify(parameterToJson(value)));
      });
      const parameters = [...texts].map(([name, text]) => `${JSON.stringify(name)}:${text}`);
      const head = JSON.stringify({ experiment: id, version: lab.version, seed: seedText(seed) });
      return `${head.slice(0, -1)},"params":{${parameters.join()}}}`;
    },
    shardOf: (run, count) => {
      const { point, seedIndex } = find(run);
      // A precision target looks at all seeds of a point, so that they stay together.
      return (stop.target ? point : point + seedIndex) % count;
    },
  };
}
