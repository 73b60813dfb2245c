/** What the command line was told wrongly: exit code 2. */
export class UsageError extends Error {}

export const EXIT = { done: 0, failed: 1, usage: 2, cancelled: 130 } as const;

const INPUT_CODES = [
  'shape',
  'not-finite',
  'not-integer',
  'out-of-range',
  'domain',
  'unknown-name',
  'missing',
  'type',
  'malformed',
];

/** Bad input is the caller's to mend (2); anything else is a failure (1). */
export function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError) return EXIT.usage;
  const { name, code } = error as { name?: string; code?: string };
  if (name !== 'AttnLabError' || code === undefined) return EXIT.failed;
  if (code === 'cancelled') return EXIT.cancelled;
  return INPUT_CODES.includes(code) ? EXIT.usage : EXIT.failed;
}
