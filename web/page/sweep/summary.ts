/** Means over the runs of a sweep, for each value of the axes that are looked along. */
import { Moments } from '../../lib/sweep/moments.ts';
import type { SweptAxis } from './axes.ts';
import type { RowPick, RunNumbers } from './run-numbers.ts';
import type { Slices } from './slices.ts';
import type { SweepSource } from './source.ts';

export interface Look {
  /** Among the table's columns of numbers. */
  readonly column: number;
  /** One row, or several, each a series. */
  readonly rows: readonly RowPick[];
  readonly x: SweptAxis | undefined;
  readonly y: SweptAxis | undefined;
  /** Other axes at one of their values. */
  readonly held: ReadonlyMap<SweptAxis, number>;
}

export interface Cell {
  readonly x: number;
  readonly y: number;
  /** Which of the look's rows. */
  readonly row: number;
  readonly mean: number;
  /** Of the mean; NaN for one run alone. */
  readonly error: number;
  readonly count: number;
}

/** In the plan's order, so that a mean has the same bits as the command line's. */
export async function summarise(
  source: SweepSource,
  numbers: RunNumbers,
  look: Look,
  slices: Slices,
): Promise<Cell[]> {
  const { plan } = source;
  const across = look.x?.values.length ?? 1;
  const up = look.y?.values.length ?? 1;
  const found = new Map<number, Moments>();
  for (let point = 0; point < plan.points; ++point) {
    if (slices.over) await slices.pause();
    if ([...look.held].some(([axis, place]) => axis.at[point] !== place)) continue;
    const place = (look.x?.at[point] ?? 0) + across * (look.y?.at[point] ?? 0);
    for (let seed = 0; seed < plan.seeds; ++seed) {
      if (seed % 1024 === 1023 && slices.over) await slices.pause();
      const run = plan.runAt(point, seed);
      if (run >= plan.runs) break;
      if (!numbers.has(run) || !source.needs(run)) continue;
      look.rows.forEach((row, r) => {
        const key = place + across * up * r;
        let moments = found.get(key);
        if (!moments) found.set(key, (moments = new Moments()));
        moments.add(numbers.value(run, look.column, row));
      });
    }
  }
  return [...found]
    .filter(([, { count }]) => count > 0)
    .sort(([a], [b]) => a - b)
    .map(([key, { mean, standardError, count }]) => ({
      x: key % across,
      y: Math.floor(key / across) % up,
      row: Math.floor(key / (across * up)),
      mean,
      error: standardError,
      count,
    }));
}
