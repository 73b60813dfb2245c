/** The varied parameters of a plan: which values each has, and which of them a point has. */
import type { Descriptor, Parameter } from '../../lib/descriptor.ts';
import { fromJsonNumber } from '../../lib/format/numbers.ts';
import type { SweepPlan } from '../../lib/sweep/plan.ts';
import { formatNumber } from '../figure/format.ts';
import { isNumber } from './plan-form.ts';
import type { Slices } from './slices.ts';

/** More values than these are put together into bins. */
const MOST_VALUES = 100;
const BINS = 32;

export interface SweptAxis {
  readonly parameter: Parameter;
  readonly numeric: boolean;
  readonly logarithmic: boolean;
  /** Rising numbers (of bins their middles), or texts. */
  readonly values: readonly (number | string)[];
  /** Of each value, as a reader takes it in. */
  readonly labels: readonly string[];
  readonly binned: boolean;
  /** By point, which of the values. */
  readonly at: Uint32Array;
}

/** `descriptor` in the reader's language. */
export async function readAxes(
  plan: SweepPlan,
  descriptor: Descriptor,
  slices: Slices,
): Promise<SweptAxis[]> {
  const parameters = plan.names.map((name) =>
    descriptor.parameters.find((each) => each.name === name)!,
  );
  const places = parameters.map(() => new Map<number | string, number>());
  const at = parameters.map(() => new Uint32Array(plan.points));
  for (let point = 0; point < plan.points; ++point) {
    if (slices.over) await slices.pause();
    const values = plan.values(point);
    parameters.forEach((parameter, p) => {
      const given = values[parameter.name];
      const value = isNumber(parameter) ? (fromJsonNumber(given) ?? NaN) : textOf(given);
      let place = places[p]!.get(value);
      if (place === undefined) places[p]!.set(value, (place = places[p]!.size));
      at[p]![point] = place;
    });
  }
  return parameters.map((parameter, p) =>
    isNumber(parameter)
      ? numberAxis(parameter, [...places[p]!.keys()] as number[], at[p]!, scaleOf(plan, parameter))
      : textAxis(parameter, [...places[p]!.keys()] as string[], at[p]!),
  );
}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);

/** Whether the plan itself spaces the values in ratios. */
function scaleOf(plan: SweepPlan, { name, logarithmic }: Parameter): boolean {
  type Scales = Record<string, { scale?: string } | undefined>;
  const { vary, sample } = JSON.parse(plan.text) as { vary?: Scales; sample?: { ranges: Scales } };
  const scale = (vary ?? sample?.ranges)?.[name]?.scale;
  return scale === undefined ? logarithmic : scale === 'log';
}

function textAxis(parameter: Parameter, values: readonly string[], at: Uint32Array): SweptAxis {
  const labels = values.map((value) => {
    if (parameter.type === 'boolean') return value === 'true' ? '✓' : '✗';
    const text = parameter.choices.find((choice) => choice.name === value)?.label ?? value;
    return text.length > 40 ? `${text.slice(0, 39)}…` : text;
  });
  return { parameter, numeric: false, logarithmic: false, values, labels, binned: false, at };
}

function numberAxis(
  parameter: Parameter,
  found: readonly number[],
  at: Uint32Array,
  wantsLog: boolean,
): SweptAxis {
  const logarithmic = wantsLog && found.every((value) => value > 0 && value < Infinity);
  const sorted = [...found].sort((a, b) => a - b);
  const binned = found.length > MOST_VALUES;
  const values = binned ? middles(sorted, logarithmic) : sorted;
  const rank = binned ? binOf(sorted, logarithmic) : new Map(sorted.map((value, i) => [value, i]));
  const moved = found.map((value) => (rank instanceof Map ? rank.get(value)! : rank(value)));
  return {
    parameter,
    numeric: true,
    logarithmic,
    values,
    labels: values.map((value) => formatNumber(value)),
    binned,
    at: at.map((place) => moved[place]!),
  };
}

function ends(sorted: readonly number[]): [number, number] {
  const finite = sorted.filter(Number.isFinite);
  return [finite[0] ?? 0, finite.at(-1) ?? 1];
}

function middles(sorted: readonly number[], logarithmic: boolean): number[] {
  const [low, high] = ends(sorted);
  return Array.from({ length: BINS }, (_, i) => {
    const share = (i + 0.5) / BINS;
    return logarithmic ? low * (high / low) ** share : low + (high - low) * share;
  });
}

function binOf(sorted: readonly number[], logarithmic: boolean): (value: number) => number {
  const [low, high] = ends(sorted);
  return (value) => {
    const share = logarithmic
      ? Math.log(value / low) / Math.log(high / low)
      : (value - low) / (high - low);
    return Math.min(BINS - 1, Math.max(0, Math.floor(share * BINS) || 0));
  };
}
