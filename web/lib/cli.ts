/** attnlab: the laboratory on the command line. */

import {
  formatOf,
  onlyWord,
  readArguments,
  single,
  workersOf,
  type Arguments,
} from './cli/arguments.js';
import { describeText, HELP, listText } from './cli/help.js';
import { checkOut, print, ProgressBar, writeOut } from './cli/output.js';
import { readSettings } from './cli/settings.js';
import { merge } from './cli/merge.js';
import { QUEUE_OPTIONS } from './cli/queue/address.js';
import { certify, fit } from './cli/solver.js';
import { sweep } from './cli/sweep.js';
import { worker } from './cli/worker.js';
import { EXIT, exitCodeOf, UsageError } from './cli/usage.js';
import { load, toCsv, toJson, type Descriptor, type Lab, type RunResult } from './index.js';

const RUN = ['--set', '--preset', '--seed', '--workers', '--format', '--table', '--out'];
const SAMPLES = ['--prompts', '--length', '--mode', '--weights', '--out'];
/** The options of each command that take a value, and those that do not. */
const COMMANDS: Readonly<Record<string, readonly [readonly string[], readonly string[]]>> = {
  list: [['--format', '--out'], []],
  describe: [['--format', '--out'], []],
  run: [RUN, []],
  fit: [[...SAMPLES, '--targets', '--method', '--ridge'], []],
  certify: [[...SAMPLES, '--queries'], ['--null-space']],
  sweep: [
    ['--out', '--workers', '--shard', ...QUEUE_OPTIONS],
    ['--resume', '--dry-run'],
  ],
  worker: [['--workers', '--idle', ...QUEUE_OPTIONS], []],
  merge: [
    ['--out', '--format', '--table', '--figures'],
    ['--summary', '--partial'],
  ],
};
const EVERYWHERE = ['--help', '--version'];

async function list(lab: Lab, args: Arguments): Promise<number> {
  const extra = args.words.slice(1);
  if (extra.length > 0) throw new UsageError(`list: ${extra.join(' ')} is too much`);
  const json = formatOf(args, ['text', 'json']) === 'json';
  const text = json
    ? `${JSON.stringify(
        lab.experiments.map(({ id, wing, title }) => ({ id, wing, title })),
        undefined,
        2,
      )}\n`
    : listText(lab.experiments);
  await writeOut(single(args, '--out'), text);
  return EXIT.done;
}

const showNonFinite = (_key: string, value: unknown): unknown =>
  typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;

async function describe(lab: Lab, args: Arguments): Promise<number> {
  const experiment = lab.describe(onlyWord(args, 'an experiment'));
  const json = formatOf(args, ['text', 'json']) === 'json';
  await writeOut(
    single(args, '--out'),
    json ? `${JSON.stringify(experiment, showNonFinite, 2)}\n` : describeText(experiment),
  );
  return EXIT.done;
}

function resultText(result: RunResult, descriptor: Descriptor, args: Arguments): string {
  if (formatOf(args, ['json', 'csv']) === 'json') return `${toJson(result, 2)}\n`;
  const table = single(args, '--table');
  return toCsv(result, { descriptor, ...(table === undefined ? {} : { table }) });
}

async function run(lab: Lab, args: Arguments): Promise<number> {
  const descriptor = lab.describe(onlyWord(args, 'an experiment'));
  // Everything the command line says is checked before any work.
  const format = formatOf(args, ['json', 'csv']);
  const table = single(args, '--table');
  if (table !== undefined && format !== 'csv') {
    throw new UsageError('--table: goes with --format csv');
  }
  if (table !== undefined && !descriptor.tables.some(({ name }) => name === table)) {
    const known = descriptor.tables.map(({ name }) => name).join(', ');
    throw new UsageError(`--table: ${JSON.stringify(table)} is not known; known: ${known}`);
  }
  const out = single(args, '--out');
  await checkOut(out);
  const preset = single(args, '--preset');
  const seed = single(args, '--seed');
  const workers = workersOf(args);
  const settings = await readSettings(descriptor, args.options.get('--set') ?? []);
  const going = lab.run(descriptor.id, settings, {
    ...(preset === undefined ? {} : { preset }),
    ...(seed === undefined ? {} : { seed }),
    ...(workers === undefined ? {} : { workers }),
  });
  const cancel = (): void => going.cancel();
  process.once('SIGINT', cancel);
  process.once('SIGTERM', cancel);
  const bar = new ProgressBar(descriptor.id);
  try {
    for await (const frame of going) bar.show(frame.progress, frame.etaSeconds);
  } finally {
    bar.clear();
    process.off('SIGINT', cancel);
    process.off('SIGTERM', cancel);
  }
  const result = await going.result;
  if (result.status === 'cancelled') {
    process.stderr.write('attnlab: cancelled\n');
    return EXIT.cancelled;
  }
  await writeOut(out, resultText(result, descriptor, args));
  if (result.status === 'done') return EXIT.done;
  process.stderr.write(`attnlab: diverged at step ${result.divergedAt}\n`);
  return EXIT.failed;
}

const COMMAND = { list, describe, run, fit, certify, sweep, worker, merge } as const;

/** The first word that is neither an option nor an option's value. */
function commandOf(given: readonly string[]): string | undefined {
  const valued = new Set(Object.values(COMMANDS).flatMap(([names]) => names));
  return given.find((word, i) => !word.startsWith('-') && !(i > 0 && valued.has(given[i - 1]!)));
}

async function main(given: readonly string[]): Promise<number> {
  const command = commandOf(given);
  const isKnown = command !== undefined && Object.hasOwn(COMMANDS, command);
  if (command !== undefined && !isKnown) {
    throw new UsageError(`${JSON.stringify(command)} is not a command`);
  }
  const [valued, plain] = isKnown ? COMMANDS[command]! : [[], []];
  const known = new Map([
    ...valued.map((name) => [name, true] as const),
    ...[...plain, ...EVERYWHERE].map((name) => [name, false] as const),
  ]);
  const args = readArguments(given, known);
  if (single(args, '--out') === '') {
    throw new UsageError('--out: is empty; the name of a file is expected');
  }
  const wantsHelp = args.options.has('--help');
  if (args.options.has('--version')) {
    const lab = await load();
    await print(`${lab.version}\n`);
    return EXIT.done;
  }
  const isOfExperiment = command === 'run' || command === 'describe';
  if (wantsHelp && (args.words.length < 2 || !isOfExperiment)) {
    await print(HELP);
    return EXIT.done;
  }
  if (!isKnown) {
    process.stderr.write(HELP);
    return EXIT.usage;
  }
  const lab = await load();
  try {
    if (wantsHelp) return await describe(lab, args);
    return await COMMAND[command as keyof typeof COMMAND](lab, args);
  } finally {
    lab.dispose();
  }
}

// A reader that closes the pipe early (head) wants no more: that is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(EXIT.done);
  process.stderr.write(`attnlab: the output cannot be written: ${error.message}\n`);
  process.exit(EXIT.failed);
});

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    const text = error instanceof Error ? error.message : String(error);
    process.stderr.write(`attnlab: ${text}\n`);
    const code = exitCodeOf(error);
    if (code === EXIT.usage) process.stderr.write('attnlab --help says what there is.\n');
    process.exitCode = code;
  },
);
