/** From means over a sweep to a figure: dots with error bars along one parameter, or a heat map. */
import type { Axis, Column, Descriptor, Figure, Mark } from '../../lib/descriptor.ts';
import { axisName } from '../figure/chart.ts';
import { formatNumber } from '../figure/format.ts';
import type { ColumnValues, Tables } from '../run/tables.ts';
import type { Texts } from '../state/texts.ts';
import type { SweptAxis } from './axes.ts';
import type { RowPick, RunNumbers } from './run-numbers.ts';
import type { Cell, Look } from './summary.ts';

export interface Picture {
  readonly figure: Figure;
  readonly tables: Tables;
}

const TABLE = 'sweep';
/** What is larger than this a file may say, but no axis can show. */
const LARGEST = 1e100;
/** Positive means that span more than this are drawn on a logarithmic axis. */
const WIDE = 1000;
const ALWAYS = { parameter: '', values: [] };

const shown = (value: number): number =>
  Math.abs(value) > LARGEST ? Math.sign(value) * Infinity : value;

/** A heat map where the second parameter is a number; a choice makes series. */
export function isHeatMap({ x, y }: Pick<Look, 'x' | 'y'>): boolean {
  return x !== undefined && y?.numeric === true;
}

export function pictureOf(
  look: Look,
  cells: readonly Cell[],
  numbers: RunNumbers,
  descriptor: Descriptor,
  texts: Texts,
): Picture {
  const column = columnIn(descriptor, numbers, look.column);
  const heat = isHeatMap(look);
  const tables: Tables = { [TABLE]: { columns: columnsOf(look, cells, numbers, column, texts) } };
  const value = { label: column.label, symbol: column.symbol, unit: column.unit };
  const over = look.x ? axisOf(look.x) : { label: '', symbol: '', unit: '', logarithmic: false };
  const up = heat
    ? axisOf(look.y!)
    : { ...value, logarithmic: isLogarithmic(descriptor, column, cells) };
  const title = heat
    ? texts.t('sweep.title.map', { value: column.label, x: over.label, y: up.label })
    : texts.t('sweep.title.curve', { value: column.label, x: over.label });
  const figure: Figure = {
    name: TABLE,
    label: look.x ? title : column.label,
    caption: captionOf(look, cells, numbers, texts),
    x: over,
    y: up,
    marks: [heat ? heatMark(axisName({ ...value, logarithmic: false })) : dotsMark(look, texts)],
    shownWhen: ALWAYS,
    handle: { x: '', y: '' },
  };
  return { figure, tables };
}

/** A column in the reader's language. */
export function columnIn(
  descriptor: Descriptor,
  { table, columns }: RunNumbers,
  at: number,
): Column {
  const own = columns[at]!;
  const spec = descriptor.tables.find(({ name }) => name === table.name);
  return spec?.columns.find(({ name }) => name === own.name) ?? own;
}

function columnsOf(
  look: Look,
  cells: readonly Cell[],
  numbers: RunNumbers,
  column: Column,
  texts: Texts,
): Record<string, ColumnValues> {
  const numeric = (of: (cell: Cell) => number): Float64Array => Float64Array.from(cells, of);
  const along = (axis: SweptAxis | undefined, place: (cell: Cell) => number): ColumnValues => {
    if (axis?.numeric) return numeric((cell) => axis.values[place(cell)] as number);
    return cells.map((cell) => axis?.labels[place(cell)] ?? column.label);
  };
  return {
    x: along(look.x, ({ x }) => x),
    y: along(look.y, ({ y }) => y),
    series: cells.map((cell) => seriesOf(look, cell, numbers, texts)),
    mean: numeric(({ mean }) => shown(mean)),
    error: numeric(({ error }) => shown(error)),
    runs: numeric(({ count }) => count),
  };
}

function seriesOf(look: Look, cell: Cell, numbers: RunNumbers, texts: Texts): string {
  const parts: string[] = [];
  if (look.y) parts.push(look.y.labels[cell.y]!);
  if (look.rows.length > 1) parts.push(rowName(numbers, look.rows[cell.row]!, texts));
  return parts.join(' · ');
}

/** A row by what stands in its key columns, where that is the same in every run, else by number. */
export function rowName(numbers: RunNumbers, row: RowPick, texts: Texts): string {
  if (row === 'last') return texts.t('sweep.row.last');
  const keys = numbers.keys[numbers.rows.indexOf(row)] ?? [];
  const words = keys.map((key, k) => keyName(key, numbers.keyColumns[k]!, numbers, texts));
  const said = words.filter(Boolean).slice(0, 3).join(', ');
  return said || texts.t('sweep.row.number', { number: String(row + 1) });
}

function keyName(key: unknown, name: string, { table }: RunNumbers, texts: Texts): string {
  if (typeof key === 'string') return texts.cell(key.slice(0, 40));
  if (typeof key !== 'number') return '';
  const symbol = table.columns.find((column) => column.name === name)?.symbol;
  return symbol ? `${symbol} = ${formatNumber(key)}` : formatNumber(key);
}

function axisOf({ parameter, logarithmic }: SweptAxis): Axis {
  const { label, symbol, unit } = parameter;
  return { label, symbol, unit, logarithmic };
}

/** As the experiment's own figures draw a column of this name, or where the means span much. */
function isLogarithmic({ figures }: Descriptor, { name }: Column, cells: readonly Cell[]): boolean {
  const means = cells.map(({ mean }) => shown(mean)).filter(Number.isFinite);
  if (means.length === 0 || means.some((mean) => mean <= 0)) return false;
  const drawn = figures.some(
    ({ y, marks }) => y.logarithmic && marks.some((mark) => mark.y === name),
  );
  const [low, high] = means.reduce(
    ([least, most], mean) => [Math.min(least, mean), Math.max(most, mean)],
    [Infinity, 0],
  );
  return drawn || high / low > WIDE;
}

const plain = {
  table: TABLE,
  role: 'simulation',
  x: 'x',
  low: '',
  high: '',
  standing: 'none',
  source: '',
  shownWhen: ALWAYS,
} as const;

function heatMark(label: string): Mark {
  return {
    ...plain,
    kind: 'heat-map',
    y: 'y',
    value: 'mean',
    error: '',
    series: '',
    label,
    colour: '',
  };
}

function dotsMark(look: Look, texts: Texts): Mark {
  const split = look.y !== undefined || look.rows.length > 1;
  return {
    ...plain,
    kind: 'dots',
    y: 'mean',
    value: '',
    error: 'error',
    series: split ? 'series' : '',
    label: split ? '{series}' : texts.t('sweep.mean'),
    colour: split ? 'series' : '',
  };
}

function captionOf(look: Look, cells: readonly Cell[], numbers: RunNumbers, texts: Texts): string {
  const counts = cells.map(({ count }) => count);
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  const runs = least === most ? String(most) : `${least}–${most}`;
  const key = isHeatMap(look) ? 'sweep.caption.map' : 'sweep.caption.curve';
  const parts = [counts.length > 0 ? texts.t(key, { runs }) : ''];
  if (look.rows.length === 1 && numbers.rows.length > 1) {
    parts.push(texts.t('sweep.caption.row', { row: rowName(numbers, look.rows[0]!, texts) }));
  }
  for (const axis of [look.x, look.y]) {
    if (axis?.binned) {
      const bins = String(axis.values.length);
      parts.push(texts.t('sweep.caption.bins', { name: axis.parameter.label, bins }));
    }
  }
  return parts.filter(Boolean).join(' ');
}
