// How long a property is tried: a fixed number of inputs from a fixed seed, or, when
// ATTNLAB_FUZZ_SECONDS says so, for that long from a new seed each time.
import { test } from 'node:test';
import fc from 'fast-check';

const seconds = Number(process.env.ATTNLAB_FUZZ_SECONDS ?? 0);

function budgetOf(runs) {
  if (seconds === 0) return { seed: 20_261_130, numRuns: runs };
  return {
    numRuns: Number.MAX_SAFE_INTEGER,
    interruptAfterTimeLimit: seconds * 1000,
    markInterruptAsFailure: false,
  };
}

// One test; says how many inputs it has tried.
export function fuzz(name, runs, property) {
  test(name, async (context) => {
    const details = await fc.check(property, budgetOf(runs));
    context.diagnostic(`${details.numRuns} executions`);
    if (!details.failed) return;
    const cause = details.errorInstance;
    throw new Error(`${await fc.asyncDefaultReportMessage(details)}\n${cause?.message ?? cause}`);
  });
}
