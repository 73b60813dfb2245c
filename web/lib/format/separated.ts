/** Text in rows and cells (RFC 4180): quotes, doubled quotes, line ends within quotes. */

import { fail } from '../errors.js';

export type Separator = ',' | '\t' | ';';

export interface SeparatedRow {
  readonly cells: readonly string[];
  /** For each cell whether it stood in quotes. */
  readonly quoted: readonly boolean[];
  /** The line it begins on, counted from 1. */
  readonly line: number;
}

/** Rows of cells. Empty lines are left out; what is wrong says on which line. */
export function parseSeparated(
  text: string,
  separator: Separator,
  parameter: string,
): SeparatedRow[] {
  const rows: SeparatedRow[] = [];
  let cells: string[] = [];
  let quoted: boolean[] = [];
  let line = 1;
  let begun = 1;
  let at = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  const endRow = (): void => {
    const empty = cells.length === 1 && !quoted[0] && cells[0]!.trim() === '';
    if (!empty) rows.push({ cells, quoted, line: begun });
    cells = [];
    quoted = [];
    begun = line;
  };
  while (at <= text.length) {
    let cell: string;
    quoted.push(text[at] === '"');
    if (quoted.at(-1)) {
      [cell, at] = readQuoted(text, at, begun, cells.length + 1, parameter);
      line += cell.split('\n').length - 1;
    } else {
      const end = findEnd(text, at, separator);
      cell = text.slice(at, end);
      at = end;
    }
    cells.push(cell);
    const next = text[at];
    if (next === separator) {
      ++at;
      continue;
    }
    if (next !== undefined && next !== '\n' && next !== '\r') {
      const place = { row: begun, column: cells.length };
      fail('malformed', parameter, `line ${line} has text after a closing quote`, place);
    }
    at += next === '\r' && text[at + 1] === '\n' ? 2 : 1;
    ++line;
    endRow();
  }
  return rows;
}

function findEnd(text: string, from: number, separator: string): number {
  let end = from;
  while (end < text.length) {
    const letter = text[end];
    if (letter === separator || letter === '\n' || letter === '\r') break;
    ++end;
  }
  return end;
}

function readQuoted(
  text: string,
  start: number,
  row: number,
  column: number,
  parameter: string,
): [string, number] {
  let cell = '';
  let from = start + 1;
  for (;;) {
    const quote = text.indexOf('"', from);
    if (quote < 0) {
      fail('malformed', parameter, `line ${row} has a quote that is never closed`, { row, column });
    }
    cell += text.slice(from, quote);
    if (text[quote + 1] !== '"') return [cell, quote + 1];
    cell += '"';
    from = quote + 2;
  }
}

/** A cell as it may stand in a CSV file. */
export function quoteCell(text: string): string {
  return /[",\n\r]|^\s|\s$|^#/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
