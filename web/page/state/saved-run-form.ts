/** Whether something from a file has the form of a kept run: each entry of its own kind. */
import type { Descriptor, Parameter } from '../../lib/descriptor.ts';
import { ENDS, type End } from '../run/outcome.ts';
import { isSeed } from './link.ts';
import type { SavedRun } from './notebook-store.ts';

export function isSavedRun(value: unknown, descriptor: Descriptor): value is SavedRun {
  if (!isRecord(value)) return false;
  const { experiment, link, seed, status, divergedAt, params, tables } = value;
  const texts = ['key', 'name', 'savedAt', 'version'];
  return (
    experiment === descriptor.id &&
    texts.every((name) => typeof value[name] === 'string') &&
    typeof link === 'string' &&
    link.startsWith('#/') &&
    typeof seed === 'string' &&
    isSeed(seed) &&
    (status === undefined || ENDS.includes(status as End)) &&
    (divergedAt === undefined || typeof divergedAt === 'number') &&
    isRecord(params) &&
    descriptor.parameters.every(
      (each) => params[each.name] === undefined || isValueOf(each, params[each.name]),
    ) &&
    isRecord(tables) &&
    areTablesOf(descriptor, tables)
  );
}

/** Of the parameter's kind; the library alone judges whether it is allowed. */
export function isValueOf({ type }: Parameter, value: unknown): boolean {
  switch (type) {
    case 'number':
    case 'integer':
      return typeof value === 'number';
    case 'boolean':
      return typeof value === 'boolean';
    case 'choice':
    case 'text':
      return typeof value === 'string';
    case 'numbers':
      return isNumbers(value);
    case 'matrix':
      return isMatrixLiteral(value);
  }
}

function isNumbers(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'number');
}

function isMatrixLiteral(value: unknown): boolean {
  if (!isRecord(value) || !isNumbers(value['data'])) return false;
  const { rows, columns, data } = value;
  return isCount(rows) && isCount(columns) && rows * columns === data.length;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** What the descriptor does not name is not shown, but it is kept and has to be cells as well. */
function areTablesOf(descriptor: Descriptor, tables: Record<string, unknown>): boolean {
  return Object.entries(tables).every(([name, table]) => {
    if (!isRecord(table) || !isRecord(table['columns'])) return false;
    const spec = descriptor.tables.find((each) => each.name === name);
    return Object.entries(table['columns']).every(([column, cells]) =>
      isColumn(spec?.columns.find((each) => each.name === column)?.type, cells),
    );
  });
}

/** JSON has no NaN and no infinities: a notebook has them as words. */
export const NUMBER_WORDS: readonly unknown[] = ['NaN', 'Infinity', '-Infinity'];

function isColumn(type: 'number' | 'text' | undefined, cells: unknown): boolean {
  if (!Array.isArray(cells)) return false;
  const isNumber = (cell: unknown): boolean =>
    typeof cell === 'number' || NUMBER_WORDS.includes(cell);
  if (type !== 'text' && cells.every(isNumber)) return true;
  return type !== 'number' && cells.every((cell) => typeof cell === 'string');
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
