/**
 * Files into the notebook: an exported notebook, or one result as the command line and the library
 * write it (`attnlab run … --format json`, `attnlab fit`, `attnlab certify`). Only what has the
 * right form is taken.
 */
import type { Descriptor, DescriptorValue } from '../../lib/descriptor.ts';
import { AttnLabError } from '../../lib/errors.ts';
import type { ParameterValue } from '../../lib/index.ts';
import { DEFAULT_SEED, encodeState, formatLink } from './link.ts';
import {
  newKey,
  NOTEBOOK_FORMAT,
  plainTables,
  saveRun,
  type PlainTables,
  type SavedRun,
} from './notebook-store.ts';
import { isSavedRun, NUMBER_WORDS } from './saved-run-form.ts';
import { presetOf } from './values.ts';
import { readSolverFile, SOLVER_EXPERIMENT } from './solver-files.ts';

export const MOST_RUNS = 500;

type FindDescriptor = (id: string) => Promise<Descriptor | undefined>;

export interface Imported {
  readonly taken: number;
  /** Beyond what one file may bring. */
  readonly tooMany: number;
  /** Entries that have not the form of a run. */
  readonly odd: number;
}

/** Throws an error that says what is wrong with the file. */
export async function importRuns(text: string, find: FindDescriptor): Promise<Imported> {
  const entries = readNotebook(text) ?? [
    (await readSolver(text, find)) ?? (await readResult(text, find)),
  ];
  const runs: SavedRun[] = [];
  const known = new Map<unknown, Descriptor | undefined>();
  for (const entry of entries) {
    const id = (entry as Partial<SavedRun> | null)?.experiment;
    if (!known.has(id)) known.set(id, await find(String(id)));
    const descriptor = known.get(id);
    if (descriptor && isSavedRun(entry, descriptor)) runs.push(entry);
  }
  const taken = runs.slice(0, MOST_RUNS);
  for (const run of taken) await saveRun({ ...run, tables: withNumbers(run.tables) });
  return {
    taken: taken.length,
    tooMany: runs.length - taken.length,
    odd: entries.length - runs.length,
  };
}

function readNotebook(text: string): readonly unknown[] | undefined {
  let file: { format?: unknown; runs?: unknown } | null;
  try {
    file = JSON.parse(text) as typeof file;
  } catch {
    return undefined; // The reader of results says where it breaks off.
  }
  if (file?.format !== NOTEBOOK_FORMAT || !Array.isArray(file.runs)) return undefined;
  return file.runs as unknown[];
}

async function readSolver(text: string, find: FindDescriptor): Promise<SavedRun | undefined> {
  const tables = await readSolverFile(text);
  const descriptor = tables && (await find(SOLVER_EXPERIMENT));
  if (!descriptor) return undefined;
  return {
    key: newKey(),
    name: descriptor.title,
    experiment: SOLVER_EXPERIMENT,
    savedAt: new Date().toISOString(),
    link: formatLink(SOLVER_EXPERIMENT, new URLSearchParams()),
    seed: DEFAULT_SEED,
    version: '',
    params: {},
    tables,
  };
}

async function readResult(text: string, find: FindDescriptor): Promise<SavedRun> {
  const { fromJson } = await import('../../lib/data.ts');
  const result = fromJson(text);
  const descriptor = await find(result.experiment);
  if (!descriptor) {
    const message = `There is no experiment “${result.experiment.slice(0, 60)}”.`;
    throw new AttnLabError({ code: 'unknown-name', parameter: 'experiment', message });
  }
  const params = Object.fromEntries(
    Object.entries(result.params).map(([name, value]) => [name, pageValue(value)]),
  );
  const seed = String(result.seed);
  const { query } = encodeState(descriptor, {
    preset: presetOf(descriptor, params),
    values: params,
    seed,
  });
  return {
    key: newKey(),
    name: descriptor.title,
    experiment: descriptor.id,
    savedAt: new Date().toISOString(),
    link: formatLink(descriptor.id, query),
    seed,
    version: result.version,
    status: result.status,
    ...(result.divergedAt === undefined ? {} : { divergedAt: result.divergedAt }),
    params,
    tables: plainTables(result.tables),
  };
}

/** The library's matrices say their shape; the page's their rows and columns. */
function pageValue(value: ParameterValue): DescriptorValue {
  if (typeof value !== 'object') return value;
  if (!('shape' in value)) return Array.from(value);
  const [rows, columns] = value.shape;
  return { rows, columns, data: Array.from(value.data) };
}

function withNumbers(tables: PlainTables): PlainTables {
  const revive = (values: readonly (number | string)[]): readonly (number | string)[] =>
    values.every((each) => typeof each === 'number' || NUMBER_WORDS.includes(each))
      ? values.map(Number)
      : values;
  return Object.fromEntries(
    Object.entries(tables).map(([name, { columns }]) => [
      name,
      {
        columns: Object.fromEntries(
          Object.entries(columns).map(([column, values]) => [column, revive(values)]),
        ),
      },
    ]),
  );
}
