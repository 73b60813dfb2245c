/** The values of an experiment's parameters, and what is true of them. */
import type {
  Condition,
  Descriptor,
  DescriptorValue,
  MatrixLiteral,
  Parameter,
} from '../../lib/descriptor.ts';

export type Values = Readonly<Record<string, DescriptorValue>>;

export function isMatrix(value: DescriptorValue | undefined): value is MatrixLiteral {
  return typeof value === 'object' && value !== null && 'rows' in value;
}

export function defaultValues(descriptor: Descriptor): Values {
  return Object.fromEntries(descriptor.parameters.map((each) => [each.name, each.default]));
}

/** The preset's values laid over the defaults; an unknown preset gives the defaults. */
export function presetValues(descriptor: Descriptor, name: string): Values {
  const preset = descriptor.presets.find((each) => each.name === name);
  return { ...defaultValues(descriptor), ...preset?.values };
}

/** The preset that has these values; '' where none has. */
export function presetOf(descriptor: Descriptor, values: Values): string {
  const has = (name: string): boolean => sameValues(presetValues(descriptor, name), values);
  return descriptor.presets.find(({ name }) => has(name))?.name ?? '';
}

export function sameValue(a: DescriptorValue | undefined, b: DescriptorValue | undefined): boolean {
  if (Object.is(a, b)) return true;
  if (isMatrix(a) && isMatrix(b)) {
    return a.rows === b.rows && a.columns === b.columns && sameNumbers(a.data, b.data);
  }
  if (Array.isArray(a) && Array.isArray(b)) return sameNumbers(a, b);
  return false;
}

function sameNumbers(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((entry, place) => Object.is(entry, b[place]));
}

export function sameValues(a: Values, b: Values): boolean {
  return Object.keys({ ...a, ...b }).every((name) => sameValue(a[name], b[name]));
}

/** The parameters in which `values` differ from `base`. */
export function changes(descriptor: Descriptor, base: Values, values: Values): Parameter[] {
  return descriptor.parameters.filter((each) => !sameValue(base[each.name], values[each.name]));
}

/** Whether something under a condition is to be seen with these values. */
export function isShown(condition: Condition, values: Values): boolean {
  if (!condition.parameter) return true;
  return condition.values.includes(conditionText(values[condition.parameter]));
}

function conditionText(value: DescriptorValue | undefined): string {
  return Array.isArray(value) ? value.join(',') : String(value);
}
