/**
 * The one error of the library. C++ and TypeScript raise the same: a code to branch on, the
 * parameter as the caller spells it, and a message that names the value and what is allowed.
 */

import type { ErrorCode } from './error_codes.js';

/** An error as it travels between threads and out of the module. */
export interface ErrorNote {
  readonly code: ErrorCode;
  readonly parameter: string;
  readonly message: string;
}

const brand = Symbol.for('attnlab.error');

/**
 * The one error of the library: a code to branch on, the parameter as the caller spells it, and a
 * message that names the value and what is allowed.
 */
export class AttnLabError extends Error {
  /** 'AttnLabError' */
  override readonly name = 'AttnLabError';
  /** @internal */
  readonly [brand] = true;
  /** What is wrong, to branch on. */
  readonly code: ErrorCode;
  /** The parameter's name as the caller spelled it. */
  readonly parameter: string;
  /** For files: where, counted from 1. */
  readonly row?: number;
  /** For files: where, counted from 1. */
  readonly column?: number;

  /** Made by the library. @internal */
  constructor(note: ErrorNote, place: { row?: number; column?: number; cause?: unknown } = {}) {
    super(note.message, place.cause === undefined ? undefined : { cause: place.cause });
    this.code = note.code;
    this.parameter = note.parameter;
    if (place.row !== undefined) this.row = place.row;
    if (place.column !== undefined) this.column = place.column;
  }

  /** True for the errors of every copy of this library in the program. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && brand in value;
  }
}

/** Throws an AttnLabError with the message "parameter: text". */
export function fail(
  code: ErrorCode,
  parameter: string,
  text: string,
  place?: { row?: number; column?: number; cause?: unknown },
): never {
  throw new AttnLabError({ code, parameter, message: `${parameter}: ${text}` }, place);
}

export function noteOf(error: unknown): ErrorNote {
  if (error instanceof AttnLabError) {
    return { code: error.code, parameter: error.parameter, message: error.message };
  }
  const text = error instanceof Error ? error.message : String(error);
  return {
    code: 'internal',
    parameter: 'attnlab',
    message: `attnlab: a fault of this library: ${text}`,
  };
}

/** A value as messages show it: short, and never by running the caller's code. */
export function show(value: unknown): string {
  if (typeof value === 'string') {
    return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
  }
  if (typeof value === 'number' || typeof value === 'boolean' || value == null) {
    return String(value);
  }
  if (typeof value === 'bigint') return `${value}n (a BigInt)`;
  if (typeof value === 'symbol') return 'a symbol';
  if (typeof value === 'function') return 'a function';
  try {
    if (Array.isArray(value)) return `an array of ${value.length}`;
    if (ArrayBuffer.isView(value)) return `a ${Object.prototype.toString.call(value).slice(8, -1)}`;
  } catch {
    // A proxy that will not tell.
  }
  return 'an object';
}
