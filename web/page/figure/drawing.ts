/**
 * The drawing of a figure's chart: in turns, anew only when something that it shows has changed, the
 * last one standing until the next is whole. The chart library is loaded when the first is drawn.
 */
import type { Outcome } from '../run/outcome.ts';
import type { Chart } from './chart.ts';
import { curvesOf, type Curves } from './curves.ts';
import { categoryRange, rangesOf, union, type Ranges } from './domain.ts';
import type { FigureElement } from './figure.ts';
import type { Layer } from './marks.ts';
import { describe } from './nearest.ts';
import { messageOf } from '../view/failure.ts';
import { hasTurns, leaveTurns, takeTurns } from '../view/turns.ts';

type ChartModule = typeof import('./chart.ts');

export class FigureDrawing {
  chart: Chart | undefined;
  private module: ChartModule | undefined;
  private loading = false;
  private held: Ranges | undefined;
  private heldScales = '';
  private shown: readonly unknown[] = [];
  private found: readonly unknown[] = [];
  private curves: Curves = { curves: [], hidden: 0, total: 0, categories: undefined };

  constructor(private readonly host: FigureElement) {}

  /** Whether the chart shows what the session holds. */
  get settled(): boolean {
    return this.chart !== undefined && !hasTurns(this);
  }

  /** The curves of the session as it is now. */
  current(): Curves {
    const { session, figure, texts, say } = this.host;
    const { tables, shown } = session;
    const from = [tables, shown.values, figure, texts];
    if (!same(from, this.found)) {
      this.found = from;
      const curves = curvesOf(figure, tables ?? {}, shown.values, say);
      this.curves = this.host.small ? essential(curves) : curves;
    }
    return this.curves;
  }

  forget(): void {
    this.held = undefined;
  }

  end(): void {
    leaveTurns(this);
    this.shown = [];
  }

  /** Draws the chart where it would look different. */
  request(): void {
    const { host } = this;
    const canvas = host.querySelector('.canvas');
    if (!canvas || !host.width) return;
    if (!this.module) return this.load();
    const { session } = host;
    const toShow = [
      ...[this.current(), session.busy, session.ghost, session.pins, session.descriptor],
      ...[host.figure, host.texts, host.width, host.small, host.zoomed],
    ];
    if (same(toShow, this.shown)) return;
    this.shown = toShow;
    takeTurns(this, () => this.steps(canvas));
  }

  private load(): void {
    if (this.loading) return;
    this.loading = true;
    void import('./chart.ts')
      .then((module) => {
        // Cut off at a lucky place, a script is still one, without what it should bring.
        if (!module.drawChart) throw new Error('It is not whole.');
        this.module = module;
        this.host.chartFailure = '';
        this.request();
      })
      .catch((failure: unknown) => (this.host.chartFailure = messageOf(failure)));
  }

  /** After a failure. */
  loadAgain(): void {
    this.loading = false;
    this.load();
  }

  private *steps(canvas: Element): Generator<undefined> {
    const { host, module } = this;
    if (!module) return;
    const { session, shownFigure: figure, width } = host;
    const current = this.current();
    const layers = this.layers();
    yield;
    this.chart = yield* module.drawChart({
      figure,
      current,
      layers,
      ranges: host.zoomed ?? this.ranges(current, layers),
      width,
      height: heightFor(width, host.small),
      description: describe(session.descriptor, figure, current.curves, host.texts),
      small: host.small,
      say: host.say,
      sans: host.sans,
    });
    canvas.replaceChildren(this.chart.svg);
    host.drawn();
  }

  private ranges(current: Curves, layers: readonly Layer[]): Ranges {
    const { figure, session } = this.host;
    const all = [...current.curves, ...layers.flatMap((layer) => layer.curves)];
    const { categories } = current;
    let ranges = rangesOf(figure, all);
    if (categories) ranges = { ...ranges, x: categoryRange(categories.length) };
    // While a run is under way the axes only grow; they settle when it ends.
    const scales = `${figure.x.logarithmic} ${figure.y.logarithmic}`;
    const grows = session.busy && scales === this.heldScales;
    this.held = grows ? union(this.held, ranges) : ranges;
    this.heldScales = scales;
    return this.held;
  }

  private layers(): Layer[] {
    const { figure, session, say } = this.host;
    const { ghost, pins } = session;
    const layer = (kind: Layer['kind'], { tables, values }: Outcome): Layer => ({
      kind,
      curves: curvesOf(figure, tables, values, say).curves,
    });
    const pinned = pins.map((pin) => layer('pin', pin));
    return ghost && ghost.tables !== session.tables ? [layer('ghost', ghost), ...pinned] : pinned;
  }
}

/** A small figure shows theory where it holds and what was simulated, without spread and by-lines. */
function essential(all: Curves): Curves {
  const curves = all.curves.filter(({ mark }) => mark.kind !== 'band' && mark.role !== 'reference');
  return { ...all, curves };
}

function same(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((each, index) => Object.is(each, b[index]));
}

function heightFor(width: number, small: boolean): number {
  if (small) return Math.round(Math.max(150, width * 0.56));
  return Math.round(Math.min(460, Math.max(280, width * 0.58)));
}
