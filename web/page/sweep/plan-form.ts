/** What the reader sets for a sweep, and the plan that it makes for the command line. */
import type { Descriptor, DescriptorValue, Parameter } from '../../lib/descriptor.ts';
import { parameterToJson, type Json } from '../../lib/format/json.ts';
import { toJsonNumber } from '../../lib/format/numbers.ts';
import { seedValue } from '../../lib/seed.ts';
import { formatPlain } from '../figure/format.ts';
import { entriesOf, parseNumber } from '../state/clamp.ts';
import { changes, defaultValues, isMatrix, isShown, type Values } from '../state/values.ts';

export const SPACINGS = ['linear', 'log', 'list'] as const;
export type Spacing = (typeof SPACINGS)[number];

/** One varied parameter, as its boxes hold it. */
export interface AxisForm {
  readonly name: string;
  readonly spacing: Spacing;
  readonly from: string;
  readonly to: string;
  readonly count: string;
  readonly list: string;
  /** Of a choice. */
  readonly chosen: readonly string[];
}

export interface PlanForm {
  readonly axes: readonly AxisForm[];
  readonly seeds: string;
}

export const isNumber = ({ type }: Parameter): boolean => type === 'number' || type === 'integer';

/** What can be varied by hand here: numbers, choices, and yes or no. */
export function sweepable(descriptor: Descriptor, values: Values): Parameter[] {
  return descriptor.parameters.filter(
    (each) =>
      isShown(each.shownWhen, values) &&
      (isNumber(each) || each.type === 'boolean' || each.choices.length > 1),
  );
}

/** A number that is no rare setting, where there is one. */
export function proposeFirst(parameters: readonly Parameter[]): Parameter | undefined {
  const numbers = parameters.filter(isNumber);
  return numbers.find(({ rare }) => !rare) ?? numbers[0] ?? parameters[0];
}

/** The names that a choice, or yes and no, may have. */
export function namesOf(parameter: Parameter): string[] {
  if (parameter.type === 'boolean') return ['false', 'true'];
  return parameter.choices.map((choice) => choice.name);
}

const STEPS = 7;
/** On a logarithmic slider the first proposal is this factor wide. */
const REACH = 32;

/** Up to the value in use, since more takes longer; from it where there is no room below. */
function proposeRatios({ minimum, maximum }: Parameter, used: number): readonly [number, number] {
  const low = Math.max(minimum, used / REACH);
  return used / low >= 4 ? [low, used] : [used, Math.min(maximum, used * REACH)];
}

/** A range by the value in use, inside the parameter's limits. */
export function proposeAxis(parameter: Parameter, value: DescriptorValue | undefined): AxisForm {
  const { name, minimum, maximum, logarithmic, step } = parameter;
  const used = typeof value === 'number' ? value : minimum;
  const log = logarithmic && used > 0;
  const [from, to] = log ? proposeRatios(parameter, used) : [minimum, maximum];
  const whole = parameter.type === 'integer';
  const round = (end: number): number => (whole ? Math.round(end) : Number(end.toPrecision(3)));
  const room = whole ? round(to) - round(from) + 1 : step > 0 ? (to - from) / step + 1 : STEPS;
  const count = Math.max(2, Math.min(STEPS, Math.floor(room)));
  return {
    name,
    spacing: log && from > 0 ? 'log' : 'linear',
    from: formatPlain(round(from)),
    to: formatPlain(round(to)),
    count: String(count),
    list: [...new Set([round(from), used, round(to)])].map(formatPlain).join(', '),
    chosen: namesOf(parameter),
  };
}

/** What is no number goes into the plan as a text, which the plan's reader then names. */
function typed(text: string): Json {
  const number = parseNumber(text);
  return Number.isNaN(number) ? text.trim() : toJsonNumber(number);
}

function axisEntry(parameter: Parameter, form: AxisForm): Json {
  if (parameter.type === 'boolean') return { grid: form.chosen.map((name) => name === 'true') };
  if (!isNumber(parameter)) return { grid: form.chosen };
  if (form.spacing === 'list') {
    return { grid: entriesOf(form.list).map(typed) };
  }
  const { from, to, count, spacing } = form;
  return { from: typed(from), to: typed(to), count: typed(count), scale: spacing };
}

function plainValue(value: DescriptorValue): Json {
  if (isMatrix(value)) {
    return { data: value.data.map(toJsonNumber), shape: [value.rows, value.columns] };
  }
  return parameterToJson(value);
}

/** Longer lists of seeds are left to the library, which says why it refuses them. */
const LONGEST_SEED_LIST = 100_000;
const LARGEST_SEED = 2n ** 64n - 1n;

/**
 * Seeds follow on the one in use, so that the run in the figure is one of them. A plan counts up to
 * 2^53 - 1; beyond that it has a list, which ends with the largest seed at the latest.
 */
function seedsOf(seed: string, count: Json): Json {
  const length = Number(count);
  if (Number.isSafeInteger(Number(seed) + (length || 1))) return { first: Number(seed), count };
  if (!Number.isInteger(length) || length < 1 || length > LONGEST_SEED_LIST) {
    return { first: seed, count };
  }
  const last = LARGEST_SEED - BigInt(length - 1);
  const first = BigInt(seed) < last ? BigInt(seed) : last;
  return Array.from({ length }, (_, i) => seedValue(String(first + BigInt(i))));
}

export function planOf(
  descriptor: Descriptor,
  state: { readonly values: Values; readonly seed: string },
  form: PlanForm,
): Json {
  const varied = form.axes.map(({ name }) => name);
  const fixed = changes(descriptor, defaultValues(descriptor), state.values).filter(
    ({ name }) => !varied.includes(name),
  );
  const parameterOf = (name: string): Parameter =>
    descriptor.parameters.find((each) => each.name === name)!;
  return {
    experiment: descriptor.id,
    parameters: Object.fromEntries(
      fixed.map(({ name }) => [name, plainValue(state.values[name] as DescriptorValue)]),
    ),
    vary: Object.fromEntries(
      form.axes.map((axis) => [axis.name, axisEntry(parameterOf(axis.name), axis)]),
    ),
    seeds: seedsOf(state.seed, typed(form.seeds)),
  };
}
