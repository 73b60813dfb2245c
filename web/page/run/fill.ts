/**
 * Sentences with the run's numbers: {parameterName}, {table.column} (its first row). Braces that
 * name neither, as in e^{2q}, are left as they are.
 */
import type { Axis, Descriptor, DescriptorValue, Figure, Parameter } from '../../lib/descriptor.ts';
import { formatNumber } from '../figure/format.ts';
import { isMatrix, type Values } from '../state/values.ts';
import type { Tables } from './tables.ts';

const UNKNOWN = '…';
/** A text of the tables in the language of the page. */
type Say = (text: string) => string;

export function fill(
  template: string,
  descriptor: Descriptor,
  values: Values,
  tables: Tables | undefined,
  say: Say = (text) => text,
): string {
  const filled = template.replace(
    /\{([\w-]+)(?:\.([\w-]+))?\}/g,
    (whole, first: string, second?: string) =>
      lookUp(first, second, descriptor, values, tables, say) ?? whole,
  );
  // No line may begin with a percent sign or break within 0.5 ± 0.1 and 2 × 10⁻⁵.
  return filled.replace(/ (?=[±×%])|(?<=[±×]) /g, '\u00a0');
}

/**
 * The answer with the run's numbers; as long as one of them is to come, what the experiment shows.
 * What stands in brackets is left out where one of its numbers is not defined. `ended`: whether the
 * run of the tables came to its end, so that what is no number will be none.
 */
export function answerOf(
  descriptor: Descriptor,
  values: Values,
  tables: Tables | undefined,
  say?: Say,
  ended = true,
): string {
  if (!tables || cellsOf(descriptor.answer, tables).includes(undefined)) return descriptor.summary;
  const answer = descriptor.answer.replace(/\[([^\]]*)\]/g, (_, clause: string) =>
    cellsOf(clause, tables).some((cell) => typeof cell === 'number' && !Number.isFinite(cell))
      ? ''
      : clause,
  );
  // A row may be there before its numbers are.
  if (!ended && cellsOf(answer, tables).some(Number.isNaN)) return descriptor.summary;
  return fill(answer, descriptor, values, tables, say);
}

/** An answer with all that it may say, and numbers of the usual length. */
export function roomyAnswer(descriptor: Descriptor, values: Values): string {
  const whole = descriptor.answer.replace(/[[\]]/g, '').replace(/\{[\w-]+\.[\w-]+\}/g, '0.0000');
  return fill(whole, descriptor, values, undefined);
}

function cellsOf(template: string, tables: Tables): readonly (number | string | undefined)[] {
  return [...template.matchAll(/\{([\w-]+)\.([\w-]+)\}/g)].map(
    ([, table, column]) => tables[table!]?.columns[column!]?.[0],
  );
}

/** The figure with its numbers in its name and caption: no figure is shown or saved without. */
export function filledFigure(
  figure: Figure,
  descriptor: Descriptor,
  values: Values,
  tables: Tables | undefined,
  say: Say = (text) => text,
): Figure {
  const filled = (text: string): string => fill(text, descriptor, values, tables, say);
  const axis = (each: Axis): Axis => ({ ...each, label: filled(each.label) });
  return {
    ...figure,
    label: filled(figure.label),
    caption: filled(figure.caption),
    x: axis(figure.x),
    y: axis(figure.y),
  };
}

export function lookUp(
  first: string,
  second: string | undefined,
  descriptor: Descriptor,
  values: Values,
  tables: Tables | undefined,
  say: Say = (text) => text,
): string | undefined {
  if (second) {
    if (!descriptor.tables.some((each) => each.name === first)) return undefined;
    const cell = tables?.[first]?.columns[second]?.[0];
    if (cell === undefined) return UNKNOWN;
    return typeof cell === 'string'
      ? say(cell)
      : formatNumber(cell, /error$/i.test(second) ? 2 : 3);
  }
  const parameter = descriptor.parameters.find((each) => each.name === first);
  return parameter ? formatValue(parameter, values[first] ?? parameter.default) : undefined;
}

/** A parameter's value in words. */
export function formatValue(parameter: Parameter, value: DescriptorValue): string {
  if (typeof value === 'number') return formatNumber(value);
  if (typeof value === 'boolean') return value ? '✓' : '✗';
  if (typeof value === 'string') {
    const choice = parameter.choices.find((each) => each.name === value);
    return choice?.label ?? (value.length > 24 ? `“${value.slice(0, 23)}…”` : `“${value}”`);
  }
  if (isMatrix(value)) return `${value.rows} × ${value.columns}`;
  return value.map((entry) => formatNumber(entry)).join(', ');
}
