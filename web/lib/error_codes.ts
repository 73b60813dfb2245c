/** The codes of errors; apart from them, so that the command does not hold them twice. */

/** What the caller can mend. */
export const inputCodes = [
  'shape',
  'not-finite',
  'not-integer',
  'out-of-range',
  'domain',
  'unknown-name',
  'missing',
  'type',
  'malformed',
] as const;

/** What is wrong. The first twelve come from the core, the others from the library around it. */
export const errorCodes = [
  ...inputCodes,
  'too-large',
  'cancelled',
  'internal',
  /** A method was called after `dispose()`. */
  'disposed',
  /** The module or a resource could not be fetched or is not what it should be. */
  'load',
  /** The module is of another build than the script that loads it. */
  'version-mismatch',
  /** The engine has no WebAssembly SIMD. */
  'unsupported',
  /** A worker ended in the middle of its work. */
  'worker',
] as const;

/** One of `errorCodes`. */
export type ErrorCode = (typeof errorCodes)[number];
