// One case of a table: contenders that do the same work, timed in turn, A B C A B C.
//
// A contender is { name, prepare, only? }: prepare() → { run, release?, time? }. run() does the work
// once and returns its numbers, one array or several (or a promise of them). A limit has time() instead, which returns
// the milliseconds the work would take at the machine's best. The first contender is AttnLab; each
// other's ratio is its time over AttnLab's, taken round by round, so that a machine which slows
// down slows both.
import { disagreement, joined } from './agreement.mjs';
import { summary } from './statistics.mjs';

const wallClock = () => performance.now();

async function once(run, times, clock) {
  const start = clock();
  for (let i = 0; i < times; ++i) await run();
  return (clock() - start) / times;
}

// How often the work is done in a sample, so that the clock's grain and the call do not count.
async function calibrate(run, { sample, clock }) {
  let times = 1;
  for (;;) {
    const each = await once(run, times, clock);
    if (each * times >= sample / 2 || times >= 1 << 20) {
      return Math.max(1, Math.ceil(sample / Math.max(each, 1e-6)));
    }
    times *= 4;
  }
}

function describe(error) {
  const text = error?.message ?? String(error);
  return text.split('\n')[0].slice(0, 200);
}

async function enter(contender, expected, tolerance, effort) {
  const { name } = contender;
  try {
    const entry = { name, ...(await contender.prepare()), times: [] };
    if (entry.time) return entry;
    const found = await entry.run();
    const numbers = found && joined(found);
    entry.numbers = numbers;
    if (expected && numbers) {
      entry.disagreement = disagreement(numbers, expected, tolerance);
      if (!(entry.disagreement <= 1)) {
        entry.release?.();
        return { name, error: `differs by ${entry.disagreement.toPrecision(3)} tolerances` };
      }
    }
    entry.repeats = await calibrate(entry.run, effort);
    return entry;
  } catch (error) {
    return { name, error: describe(error) };
  }
}

function report(entry, first) {
  const { name, error } = entry;
  if (error) return { name, error };
  const ratios = entry.times.map((time, i) => time / first.times[i]);
  return {
    name,
    milliseconds: summary(entry.times),
    ratio: summary(ratios),
    ...(entry.disagreement === undefined ? {} : { disagreement: entry.disagreement }),
  };
}

// tolerance: { absolute, relative } against the expected numbers, or where none are given against
// the first contender's. rounds: at least 5; sample: milliseconds of work in one; clock: the wall's
// unless told otherwise.
export async function hold({ contenders, expected, tolerance }, options) {
  const clock = options.clock ?? wallClock;
  const effort = { ...options, clock };
  const entries = [];
  for (const contender of contenders) {
    const numbers = expected ?? entries[0]?.numbers;
    entries.push(await enter(contender, numbers, tolerance, effort));
    if (entries[0].error) break;
  }
  const [first] = entries;
  const running = entries.filter(({ error }) => !error);
  for (const entry of running) delete entry.numbers;
  for (let round = 0; round < options.rounds; ++round) {
    for (const entry of running) {
      try {
        entry.times.push(
          entry.time ? await entry.time() : await once(entry.run, entry.repeats, clock),
        );
      } catch (error) {
        entry.error = describe(error);
        running.splice(running.indexOf(entry), 1);
      }
    }
  }
  for (const entry of entries) entry.release?.();
  return entries.map((entry) => report(entry, first));
}
