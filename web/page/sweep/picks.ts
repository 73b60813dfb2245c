/** What of a sweep is looked at: a column, rows, and which parameters stand on the axes. */
import type { Descriptor, TableSpec } from '../../lib/descriptor.ts';
import type { SweptAxis } from './axes.ts';
import { isHeatMap } from './picture.ts';
import { spread, type RowPick, type RunNumbers } from './run-numbers.ts';
import type { Look } from './summary.ts';

export interface Picks {
  readonly table: string;
  readonly column: string;
  readonly row: RowPick | 'each';
  /** Names of varied parameters; '' for none. */
  readonly x: string;
  readonly y: string;
  /** Parameters on no axis: which of their values; without one, all together. */
  readonly held: Readonly<Record<string, number>>;
}

/** As many as there are colours and signs. */
const MOST_SERIES = 7;

const numbersIn = (table: TableSpec | undefined): string[] =>
  (table?.columns ?? []).filter(({ type }) => type === 'number').map(({ name }) => name);

/** What the experiment's first figure measures; from its summary where that has it. */
export function proposeColumn(descriptor: Descriptor): { table: string; column: string } {
  const marks = descriptor.figures.flatMap((figure) => figure.marks);
  const main = marks.find((mark) => mark.role === 'simulation' && mark.y) ?? marks[0];
  const named = (name: string | undefined): TableSpec | undefined =>
    descriptor.tables.find((table) => table.name === name);
  const summary = named('summary');
  if (main && summary && numbersIn(summary).includes(main.y)) {
    return { table: summary.name, column: main.y };
  }
  const own = named(main?.table);
  if (main && own && numbersIn(own).includes(main.y)) return { table: own.name, column: main.y };
  const first = descriptor.tables.find((table) => numbersIn(table).length > 0)!;
  return { table: first.name, column: numbersIn(first)[0]! };
}

export function proposePicks(descriptor: Descriptor, axes: readonly SweptAxis[]): Picks {
  const several = axes.filter(({ values }) => values.length > 1);
  const [x, y] = [several.find(({ numeric }) => numeric) ?? several[0] ?? axes[0], undefined];
  const second = several.find((axis) => axis !== x) ?? y;
  return {
    ...proposeColumn(descriptor),
    row: 'last',
    x: x?.parameter.name ?? '',
    y: second?.parameter.name ?? '',
    held: {},
  };
}

export function lookOf(picks: Picks, axes: readonly SweptAxis[], numbers: RunNumbers): Look {
  const named = (name: string): SweptAxis | undefined =>
    axes.find(({ parameter }) => parameter.name === name);
  const x = named(picks.x);
  const y = picks.y === picks.x ? undefined : named(picks.y);
  const held = axes
    .filter((axis) => axis !== x && axis !== y)
    .map((axis) => [axis, picks.held[axis.parameter.name]] as const)
    .filter((entry): entry is readonly [SweptAxis, number] => entry[1] !== undefined);
  const column = numbers.columns.findIndex(({ name }) => name === picks.column);
  return {
    column: Math.max(0, column),
    rows: rowsOf(picks, numbers, { x, y }),
    x,
    y,
    held: new Map(held),
  };
}

function rowsOf(
  { row }: Picks,
  numbers: RunNumbers,
  axes: { x: SweptAxis | undefined; y: SweptAxis | undefined },
): readonly RowPick[] {
  if (row === 'last') return ['last'];
  if (row !== 'each') return numbers.rows.includes(row) ? [row] : ['last'];
  if (isHeatMap(axes) || numbers.rows.length < 2) return ['last'];
  return spread(numbers.rows.length, MOST_SERIES).map((place) => numbers.rows[place]!);
}
