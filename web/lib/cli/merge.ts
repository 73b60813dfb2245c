/** `attnlab merge`: one table of the results files of a sweep. */

import { stat } from 'node:fs/promises';
import { extname } from 'node:path';
import { sweep as sweeps, type Lab } from '../index.js';
import { arrowFile, loadArrow } from './arrow.js';
import { single, type Arguments } from './arguments.js';
import { loadDraftsman, writeFigures } from './figures.js';
import { firstLine, readHead } from './results_file.js';
import { ResultsIndex } from './results_index.js';
import { checkOut, streamOut, writePieces } from './output.js';
import { EXIT, UsageError } from './usage.js';

const FORMATS = ['csv', 'jsonl', 'arrow'] as const;
type Format = (typeof FORMATS)[number];

/** As --format says, else as the file is called, else CSV. */
function formatOf(args: Arguments, out: string | undefined): Format {
  const given = single(args, '--format');
  const wanted = given ?? (out === undefined ? 'csv' : extname(out).slice(1).toLowerCase());
  const found = FORMATS.find((format) => format === wanted);
  if (found) return found;
  if (given === undefined) {
    const text = `--out: ${out} ends in none of .csv, .jsonl and .arrow; --format says which it is`;
    throw new UsageError(text);
  }
  throw new UsageError(`--format: ${JSON.stringify(given)} is not ${FORMATS.join(', ')}`);
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
function* rowsOf(
  index: ResultsIndex,
  table: sweeps.SweepTable,
): Generator<readonly sweeps.Cell[], void, undefined> {
  for (let point = 0; point < index.plan.points; ++point) {
    yield* table.rows(point, index.recordsOf(point));
  }
}

function* lines(
  { headings }: sweeps.SweepTable,
  rows: Iterable<readonly sweeps.Cell[]>,
  format: sweeps.LineFormat,
): Generator<string, void, undefined> {
  yield sweeps.headLine(headings, format);
  for (const cells of rows) yield sweeps.rowLine(headings, cells, format);
}

/** What is missing: an error, or a note where it may be. */
function checkWhole(index: ResultsIndex, args: Arguments): void {
  const { count, first } = index.missing();
  if (count === 0) return;
  const text = `${count} of ${index.plan.runs} runs are missing, the first is ${first}`;
  const mayBe = args.options.has('--partial') || index.plan.stop.seconds !== undefined;
  if (!mayBe) throw new Error(`merge: ${text}; --partial does without them`);
  process.stderr.write(`attnlab: ${text}\n`);
}

export async function merge(lab: Lab, args: Arguments): Promise<number> {
  const paths = args.words.slice(1);
  if (paths.length === 0) throw new UsageError('merge: a results file is missing');
  const out = single(args, '--out');
  const format = formatOf(args, out);
  const name = single(args, '--table');
  const figures = single(args, '--figures');
  if (format === 'arrow') await loadArrow();
  const draftsman = figures === undefined ? undefined : await loadDraftsman();
  await checkOut(out);
  await checkIsNoResultsFile(out);
  const index = await ResultsIndex.open(lab, paths);
  try {
    const Table = args.options.has('--summary') ? sweeps.SummaryTable : sweeps.RowTable;
    const table = new Table(index.plan, name);
    checkWhole(index, args);
    if (figures !== undefined && draftsman) {
      const files = await writeFigures(figures, index, draftsman);
      process.stderr.write(`attnlab: ${files} figures are in ${figures}\n`);
      if (out === undefined) return EXIT.done;
    }
    const rows = rowsOf(index, table);
    if (format === 'arrow') {
      await writePieces(out, arrowFile(table.headings, rows, await loadArrow()));
    } else {
      await streamOut(out, lines(table, rows, format));
    }
    return EXIT.done;
  } finally {
    index.close();
  }
}
