/** The command line's words, read strictly: an unknown option is an error, not a guess. */

import { availableParallelism } from 'node:os';
import { UsageError } from './usage.js';

export interface Arguments {
  readonly words: readonly string[];
  readonly options: ReadonlyMap<string, readonly string[]>;
}

/** `takesValue` by option name; '--' ends the options. */
export function readArguments(
  given: readonly string[],
  known: ReadonlyMap<string, boolean>,
): Arguments {
  const words: string[] = [];
  const options = new Map<string, string[]>();
  for (let i = 0; i < given.length; ++i) {
    const argument = given[i]!;
    if (argument === '--') {
      words.push(...given.slice(i + 1));
      break;
    }
    if (!argument.startsWith('-') || argument === '-') {
      words.push(argument);
      continue;
    }
    const equals = argument.indexOf('=');
    const spelled = equals < 0 ? argument : argument.slice(0, equals);
    const name = { '-h': '--help', '-v': '--version' }[spelled] ?? spelled;
    const takesValue = known.get(name);
    if (takesValue === undefined) throw new UsageError(`${spelled}: is not an option here`);
    const values = options.get(name) ?? [];
    options.set(name, values);
    if (!takesValue) {
      if (equals >= 0) throw new UsageError(`${name}: takes no value`);
      values.push('');
      continue;
    }
    const value = equals < 0 ? given[++i] : argument.slice(equals + 1);
    if (value === undefined) throw new UsageError(`${name}: a value is missing`);
    values.push(value);
  }
  return { words, options };
}

/** The value of an option that may stand once; undefined when absent. */
export function single({ options }: Arguments, name: string): string | undefined {
  const values = options.get(name) ?? [];
  if (values.length > 1) throw new UsageError(`${name}: is given ${values.length} times`);
  return values[0];
}

/** The option --format; the first one allowed where it is absent. */
export function formatOf(args: Arguments, allowed: readonly string[]): string {
  const format = single(args, '--format') ?? allowed[0]!;
  if (allowed.includes(format)) return format;
  throw new UsageError(`--format: ${JSON.stringify(format)} is not ${allowed.join(' or ')}`);
}

/** The one word after the command. */
export function onlyWord(args: Arguments, what: string): string {
  const [, word, ...more] = args.words;
  if (word === undefined) throw new UsageError(`${args.words[0]}: ${what} is missing`);
  if (more.length > 0) throw new UsageError(`${args.words[0]}: ${more.join(' ')} is too much`);
  return word;
}

export function workersOf(args: Arguments): number | undefined {
  const text = single(args, '--workers');
  if (text === undefined) return undefined;
  if (!/^\d{1,4}$/.test(text)) {
    throw new UsageError(`--workers: ${JSON.stringify(text)} is not a whole number from 0 to 64`);
  }
  return Number(text);
}

const MOST_WORKERS = 64;

/** How many workers a sweep gets: as --workers says, else one a core. */
export function workerCount(args: Arguments): number {
  const count = workersOf(args) ?? Math.min(availableParallelism(), MOST_WORKERS);
  if (count <= MOST_WORKERS) return count;
  throw new UsageError(`--workers: is ${count}; 0 to ${MOST_WORKERS} is allowed`);
}
