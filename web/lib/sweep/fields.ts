/** An object of a plan: known fields only, and errors that name the entry by its path. */

import { AttnLabError, fail, show } from '../errors.js';
import { nearestNameHint } from '../names.js';
import { ownKeys, readOnce, requireCount, requireObject } from '../options.js';

export class Fields {
  /** Its path in the plan; '' for the plan itself. */
  readonly where: string;
  readonly #values = new Map<string, unknown>();

  /** Without `known`, any names. */
  constructor(value: unknown, where: string, known?: readonly string[]) {
    this.where = where;
    const object = requireObject(value, where || 'plan');
    for (const key of ownKeys(object, where || 'plan')) {
      const name = String(key);
      const path = this.pathOf(name);
      if (known && !known.includes(name)) {
        fail('unknown-name', path, `is not an entry here${nearestNameHint(name, known)}`);
      }
      this.#values.set(name, readOnce(object, name, path));
    }
  }

  pathOf(name: string): string {
    return this.where === '' ? name : `${this.where}.${name}`;
  }

  get names(): readonly string[] {
    return [...this.#values.keys()];
  }

  has(name: string): boolean {
    return this.#values.get(name) !== undefined;
  }

  get(name: string): unknown {
    return this.#values.get(name);
  }

  required(name: string, what: string): unknown {
    if (!this.has(name)) fail('missing', this.pathOf(name), `is missing; ${what} is expected`);
    return this.get(name);
  }

  list(name: string): readonly unknown[] {
    const value = this.get(name);
    const path = this.pathOf(name);
    if (!Array.isArray(value)) fail('type', path, `is ${show(value)}; a list is expected`);
    if (value.length === 0) fail('shape', path, 'is empty; one entry at least is expected');
    return value;
  }

  text(name: string): string {
    const value = this.required(name, 'a name');
    if (typeof value === 'string') return value;
    return fail('type', this.pathOf(name), `is ${show(value)}; a name is expected`);
  }

  number(name: string): number {
    const value = this.required(name, 'a number');
    if (typeof value === 'number') return value;
    return fail('type', this.pathOf(name), `is ${show(value)}; a number is expected`);
  }

  positive(name: string): number {
    const value = this.number(name);
    if (value > 0 && Number.isFinite(value)) return value;
    return fail('out-of-range', this.pathOf(name), `is ${value}; above 0 is allowed`);
  }

  count(name: string, minimum: number, maximum: number, whenMissing?: number): number {
    if (whenMissing !== undefined && !this.has(name)) return whenMissing;
    return requireCount(this.number(name), this.pathOf(name), minimum, maximum);
  }

  choice<Name extends string>(name: string, known: readonly Name[], whenMissing?: Name): Name {
    if (whenMissing !== undefined && !this.has(name)) return whenMissing;
    const value = this.text(name);
    const found = known.find((candidate) => candidate === value);
    if (found !== undefined) return found;
    const path = this.pathOf(name);
    return fail(
      'unknown-name',
      path,
      `${show(value)} is not known${nearestNameHint(value, known)}`,
    );
  }
}

/** What `call` finds wrong with a parameter, said of the plan's entry. */
export function placed<Result>(pathOf: (parameter: string) => string, call: () => Result): Result {
  try {
    return call();
  } catch (cause) {
    if (!(cause instanceof AttnLabError)) throw cause;
    const { code, parameter, message } = cause;
    const head = `${parameter}: `;
    const text = message.startsWith(head) ? message.slice(head.length) : message;
    return fail(code, pathOf(parameter), text, { cause });
  }
}
