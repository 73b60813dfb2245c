import { inputCodes } from '../error_codes.js';

/** What the command line was told wrongly: exit code 2. */
export class UsageError extends Error {}

export const EXIT = { done: 0, failed: 1, usage: 2, cancelled: 130 } as const;

/** Bad input is the caller's to mend (2); anything else is a failure (1). */
export function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError) return EXIT.usage;
  const { name, code } = error as { name?: string; code?: string };
  if (name !== 'AttnLabError' || code === undefined) return EXIT.failed;
  if (code === 'cancelled') return EXIT.cancelled;
  return inputCodes.some((each) => each === code) ? EXIT.usage : EXIT.failed;
}
