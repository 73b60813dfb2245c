/**
 * An experiment's parameters, from what a caller gives to what the core reads. Only types are
 * converted here; names and limits are checked by the core (src/experiments/parameters.cpp).
 */

import type { Descriptor, DescriptorValue, MatrixLiteral, Parameter } from './descriptor.js';
import { fail, show } from './errors.js';
import {
  packMatrix,
  packVector,
  type Matrix,
  type MatrixInput,
  type NumberArray,
  type PackedMatrix,
} from './matrix.js';
import { nearestNameHint } from './names.js';
import { ownKeys, readOnce, requireObject } from './options.js';
import type { PackedValue, PackedValues } from './protocol.js';

/** A parameter's value as `lab.run` takes it; undefined stands for the default. */
export type ParameterInput = number | boolean | string | NumberArray | MatrixInput | undefined;
/** A parameter's value as a run gives it back. */
export type ParameterValue = number | boolean | string | readonly number[] | Matrix;
/** Every parameter of a run by its name. */
export type ParameterValues = Readonly<Record<string, ParameterValue>>;

const EXPECTED = {
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  choice: 'a name',
  text: 'a text',
} as const;

const SCALAR_TYPE = {
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  choice: 'string',
  text: 'string',
} as const;

function packValue({ name, type }: Parameter, value: unknown): PackedValue {
  if (type === 'numbers') return packVector(value, name);
  if (type === 'matrix') return packMatrix(value, name);
  if (typeof value !== SCALAR_TYPE[type]) {
    fail('type', name, `is ${show(value)}; ${EXPECTED[type]} is expected`);
  }
  return value as PackedValue;
}

function fromDescriptor({ type }: Parameter, value: DescriptorValue): PackedValue {
  if (type === 'numbers') return Float64Array.from(value as readonly number[]);
  if (type === 'matrix') {
    const { rows, columns, data } = value as MatrixLiteral;
    return { rows, columns, data: Float64Array.from(data) };
  }
  return value as PackedValue;
}

/** Defaults, the preset's values over them, the caller's over those. */
export function packParameters(
  descriptor: Descriptor,
  preset: string | undefined,
  given: unknown,
): PackedValues {
  const packed = new Map<string, PackedValue>();
  const parameters = new Map(descriptor.parameters.map((entry) => [entry.name, entry]));
  for (const parameter of descriptor.parameters) {
    packed.set(parameter.name, fromDescriptor(parameter, parameter.default));
  }
  if (preset !== undefined) {
    for (const [name, value] of Object.entries(findPreset(descriptor, preset).values)) {
      packed.set(name, fromDescriptor(parameters.get(name)!, value));
    }
  }
  if (given === undefined) return [...packed];
  const object = requireObject(given, 'parameters');
  for (const key of ownKeys(object, 'parameters')) {
    if (typeof key === 'symbol') fail('unknown-name', 'parameters', 'has a symbol as a name');
    const parameter = findParameter(descriptor, key);
    const value = readOnce(object, key);
    if (value !== undefined) packed.set(key, packValue(parameter, value));
  }
  return [...packed];
}

/** `where`: what the caller calls it. Throws 'unknown-name' with the nearest name as a hint. */
export function findParameter(descriptor: Descriptor, name: string, where = name): Parameter {
  const names = descriptor.parameters.map((parameter) => parameter.name);
  if (where === '') fail('unknown-name', 'parameters', 'has an empty name');
  return (
    descriptor.parameters.find((parameter) => parameter.name === name) ??
    fail(
      'unknown-name',
      where,
      `is not a parameter of ${descriptor.id}${nearestNameHint(name, names)}`,
    )
  );
}

export function findPreset(descriptor: Descriptor, name: string): Descriptor['presets'][number] {
  const names = descriptor.presets.map((preset) => preset.name);
  return (
    descriptor.presets.find((preset) => preset.name === name) ??
    fail(
      'unknown-name',
      'preset',
      `${show(name)} is not a preset of ${descriptor.id}${nearestNameHint(name, names)}`,
    )
  );
}

function unpackValue(value: PackedValue): ParameterValue {
  if (value instanceof Float64Array) return Array.from(value);
  if (typeof value !== 'object') return value;
  const { data, rows, columns } = value as PackedMatrix;
  return { data: data.slice(), shape: [rows, columns] };
}

/** The values in use, as the caller may read them. */
export function unpackParameters(values: PackedValues): ParameterValues {
  return Object.fromEntries(values.map(([name, value]) => [name, unpackValue(value)]));
}

/** Whether a condition of the descriptor holds for these values. */
export function conditionHolds(
  condition: { readonly parameter: string; readonly values: readonly string[] },
  values: PackedValues,
): boolean {
  if (condition.parameter === '') return true;
  const entry = values.find(([name]) => name === condition.parameter);
  return entry !== undefined && condition.values.includes(String(entry[1]));
}
