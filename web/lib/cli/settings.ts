/** `--set name=value`: from text to a parameter's value, by the descriptor. */

import { readFile } from 'node:fs/promises';
import { readMatrix, type Descriptor, type Parameter, type ParameterInput } from '../index.js';
import { UsageError } from './usage.js';

const NUMBER = /^[+-]?((\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?|inf(inity)?|nan)$/i;

function readNumber(text: string, name: string): number {
  const trimmed = text.trim();
  if (!NUMBER.test(trimmed)) {
    throw new UsageError(`${name}: ${JSON.stringify(text)} is not a number`);
  }
  if (/inf/i.test(trimmed)) return trimmed.startsWith('-') ? -Infinity : Infinity;
  return /nan/i.test(trimmed) ? NaN : Number(trimmed);
}

function readFlag(text: string, name: string): boolean {
  if (text === 'true') return true;
  if (text === 'false') return false;
  throw new UsageError(`${name}: ${JSON.stringify(text)} is neither true nor false`);
}

async function readBytes(path: string, name: string): Promise<Uint8Array> {
  try {
    return await readFile(path);
  } catch (cause) {
    throw new UsageError(`${name}: ${path} cannot be read: ${(cause as Error).message}`, { cause });
  }
}

/** `@file`, or the text itself, whose own `@` at the beginning is written `@@`. */
async function readText(text: string, name: string): Promise<string> {
  if (!text.startsWith('@')) return text;
  if (text.startsWith('@@')) return text.slice(1);
  return new TextDecoder().decode(await readBytes(text.slice(1), name));
}

function named<Result>(name: string, read: () => Result): Result {
  try {
    return read();
  } catch (cause) {
    throw new UsageError(`${name}: ${(cause as Error).message}`, { cause });
  }
}

async function readValue({ name, type }: Parameter, text: string): Promise<ParameterInput> {
  switch (type) {
    case 'number':
    case 'integer':
      return readNumber(text, name);
    case 'boolean':
      return readFlag(text, name);
    case 'choice':
      return text;
    case 'text':
      return readText(text, name);
    case 'numbers':
      if (text.trim() === '') return [];
      return text.split(',').map((entry) => readNumber(entry, name));
    case 'matrix': {
      if (!text.startsWith('@')) return named(name, () => readMatrix(text));
      const path = text.slice(1);
      const bytes = await readBytes(path, name);
      return named(name, () => readMatrix(bytes, { name: path }));
    }
  }
}

/** Names that the experiment does not have are left to the library, which knows the nearest. */
export async function readSettings(
  descriptor: Descriptor,
  settings: readonly string[],
): Promise<Record<string, ParameterInput>> {
  const values: [string, ParameterInput][] = [];
  for (const setting of settings) {
    const equals = setting.indexOf('=');
    if (equals <= 0) throw new UsageError(`--set: ${JSON.stringify(setting)} is not name=value`);
    const name = setting.slice(0, equals);
    const text = setting.slice(equals + 1);
    if (values.some(([other]) => other === name)) {
      throw new UsageError(`--set: ${name} is given more than once`);
    }
    const parameter = descriptor.parameters.find((candidate) => candidate.name === name);
    values.push([name, parameter ? await readValue(parameter, text) : text]);
  }
  return Object.fromEntries(values);
}
