/** `attnlab merge --figures`: an experiment's figures, drawn as on the page, for each point. */

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { sweep as sweeps, type Descriptor, type ParameterValues, type Tables } from '../index.js';
import { loadOptional } from './optional.js';
import { writeOut } from './output.js';
import type { ResultsIndex } from './results_index.js';
import { UsageError } from './usage.js';

interface FigureOrder {
  readonly descriptor: Descriptor;
  readonly values: ParameterValues;
  readonly tables: Tables;
  readonly note: string;
}

/** dist/lib/figures.js, which is made of the page's own drawing. */
interface Drawing {
  drawFigures(window: unknown, order: FigureOrder): { name: string; svg: string }[];
}

/** Each has a file or more. */
const MOST_POINTS = 1000;

export interface Draftsman {
  draw(order: FigureOrder): { name: string; svg: string }[];
}

export async function loadDraftsman(): Promise<Draftsman> {
  const load = <Module>(call: () => Promise<Module>): Promise<Module> =>
    loadOptional('--figures', ['@observablehq/plot', 'linkedom'], call);
  const { parseHTML } = await load(() => import('linkedom'));
  // The drawing takes it from beside the lab as well.
  await load(() => import('@observablehq/plot'));
  const address = new URL('./figures.js', import.meta.url).href;
  const { drawFigures } = (await import(address)) as Drawing;
  const window = parseHTML('<!doctype html><html><body></body></html>');
  return { draw: (order) => drawFigures(window, order) };
}

function noteOf(plan: sweeps.SweepPlan, point: number, runs: number): string {
  const values = Object.entries(plan.values(point)).map(([name, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return `${name} = ${text.length > 40 ? `${text.slice(0, 40)}…` : text}`;
  });
  const over = runs > 1 ? [`means of ${runs} runs, error bars their standard errors`] : [];
  const parts = [...values, ...over];
  return parts.length === 0 ? '' : `(${parts.join(', ')})`;
}

/** Gives how many files there are. */
export async function writeFigures(
  folder: string,
  index: ResultsIndex,
  draftsman: Draftsman,
): Promise<number> {
  const { plan } = index;
  const { descriptor, points } = plan;
  if (points > MOST_POINTS) {
    throw new UsageError(
      `--figures: the plan has ${points} points; up to ${MOST_POINTS} are drawn`,
    );
  }
  await mkdir(folder, { recursive: true });
  let files = 0;
  for (let point = 0; point < points; ++point) {
    const records = [...index.recordsOf(point)].filter(({ status }) => status !== 'failed');
    if (records.length === 0) continue;
    const tables = sweeps.meanTables(descriptor, records);
    const note = noteOf(plan, point, records.length);
    const order = { descriptor, values: plan.parameters(point), tables, note };
    const end = points === 1 ? '' : `-${String(point + 1).padStart(String(points).length, '0')}`;
    for (const { name, svg } of draftsman.draw(order)) {
      await writeOut(join(folder, `${name}${end}.svg`), `${svg}\n`);
      ++files;
    }
  }
  return files;
}
