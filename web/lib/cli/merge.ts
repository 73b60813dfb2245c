/** `attnlab merge`: one table of the results files of a sweep. */

import { stat } from 'node:fs/promises';
import { extname } from 'node:path';
import { sweep as sweeps, type Lab } from '../index.js';
import { single, type Arguments } from './arguments.js';
import { firstLine, readHead } from './results_file.js';
import { ResultsIndex } from './results_index.js';
import { checkOut, streamOut } from './output.js';
import { EXIT, UsageError } from './usage.js';

const FORMATS = ['csv', 'jsonl'] as const;

/** As --format says, else as the file is called, else CSV. */
function lineFormat(args: Arguments, out: string | undefined): sweeps.LineFormat {
  const given = single(args, '--format');
  const wanted = given ?? (out === undefined ? 'csv' : extname(out).slice(1).toLowerCase());
  const found = FORMATS.find((format) => format === wanted);
  if (found) return found;
  if (given === undefined) {
    const text = `--out: ${out} ends neither in .csv nor in .jsonl; --format says which it is`;
    throw new UsageError(text);
  }
  throw new UsageError(`--format: ${JSON.stringify(given)} is not ${FORMATS.join(' or ')}`);
}

/** A table must not take the place of what it is made from. */
async function checkIsNoResultsFile(out: string | undefined): Promise<void> {
  if (out === undefined || out === '-') return;
  const there = await stat(out).catch(() => undefined);
  const line = there?.isFile() ? await firstLine(out) : undefined;
  if (!line || !readHead(line.text)) return;
  throw new UsageError(`--out: ${out} is a sweep's results file; another name is expected`);
}

/** Points in the plan's order, and of each the seeds in theirs. */
function* lines(
  index: ResultsIndex,
  table: sweeps.SweepTable,
  format: sweeps.LineFormat,
): Generator<string, void, undefined> {
  const { plan } = index;
  yield sweeps.headLine(table.headings, format);
  for (let point = 0; point < plan.points; ++point) {
    for (const cells of table.rows(point, index.recordsOf(point))) {
      yield sweeps.rowLine(table.headings, cells, format);
    }
  }
}

export async function merge(lab: Lab, args: Arguments): Promise<number> {
  const paths = args.words.slice(1);
  if (paths.length === 0) throw new UsageError('merge: a results file is missing');
  const out = single(args, '--out');
  const format = lineFormat(args, out);
  const name = single(args, '--table');
  await checkOut(out);
  await checkIsNoResultsFile(out);
  const index = await ResultsIndex.open(lab, paths);
  try {
    const Table = args.options.has('--summary') ? sweeps.SummaryTable : sweeps.RowTable;
    const table = new Table(index.plan, name);
    const { count, first } = index.missing();
    if (count > 0) {
      const text = `${count} of ${index.plan.runs} runs are missing, the first is ${first}`;
      const mayBe = args.options.has('--partial') || index.plan.stop.seconds !== undefined;
      if (!mayBe) throw new Error(`merge: ${text}; --partial does without them`);
      process.stderr.write(`attnlab: ${text}\n`);
    }
    await streamOut(out, lines(index, table, format));
    return EXIT.done;
  } finally {
    index.close();
  }
}
