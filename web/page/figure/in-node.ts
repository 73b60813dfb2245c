/**
 * Figures without a browser, for the command line: it brings the document, Observable Plot draws.
 * Built into dist/lib/figures.js.
 */
import type { Descriptor, Figure } from '../../lib/descriptor.ts';
import { filledFigure } from '../run/fill.ts';
import type { Tables } from '../run/tables.ts';
import { englishTexts as texts } from '../state/language.ts';
import { isShown, type Values } from '../state/values.ts';
import tokens from '../style/tokens.css?inline';
import { drawChart, type Chart, type ChartInput } from './chart.ts';
import { curvesOf } from './curves.ts';
import { categoryRange, rangesOf } from './domain.ts';
import { composeFigure, resolveColours } from './figure-file.ts';
import { describe } from './nearest.ts';

export interface FigureOrder {
  readonly descriptor: Descriptor;
  readonly values: Values;
  readonly tables: Tables;
  /** Stands under each caption. */
  readonly note: string;
}

export interface FigureFile {
  readonly name: string;
  readonly svg: string;
}

const [WIDTH, HEIGHT] = [720, 420];
// The light ones, which the file begins with.
const [light] = tokens.split('}');
const colours = new Map(
  [...(light ?? '').matchAll(/(--[\w-]+):\s*([^;]+);/g)].map(([, name, value]) => [name, value]),
);

/** In one go what the page does in turns. */
function drawn(input: ChartInput): Chart {
  const turns = drawChart(input);
  for (;;) {
    const { done, value } = turns.next();
    if (done) return value;
  }
}

function drawFigure(template: Figure, order: FigureOrder): FigureFile {
  const { descriptor, values, tables, note } = order;
  const figure = filledFigure(template, descriptor, values, tables);
  const current = curvesOf(figure, tables, values);
  const ranges = rangesOf(figure, current.curves);
  const { categories } = current;
  const chart = drawn({
    figure,
    current,
    layers: [],
    ranges: categories ? { ...ranges, x: categoryRange(categories.length) } : ranges,
    width: WIDTH,
    height: HEIGHT,
    description: describe(descriptor, figure, current.curves, texts),
    say: (text) => text,
  });
  const caption = [figure.caption, note].join(' ').trim();
  const parts = { figure: { ...figure, caption }, chart, curves: current.curves };
  const markup = composeFigure(parts, descriptor.title, texts).outerHTML;
  return { name: figure.name, svg: resolveColours(markup, (name) => colours.get(name) ?? '') };
}

/** The experiment's figures that are shown with these values. */
export function drawFigures(window: Window, order: FigureOrder): FigureFile[] {
  const { document } = window;
  Object.assign(globalThis, { window, document });
  return order.descriptor.figures
    .filter(({ shownWhen }) => isShown(shownWhen, order.values))
    .map((figure) => drawFigure(figure, order));
}
