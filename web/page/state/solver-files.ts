/**
 * What the solver wrote (`attnlab fit`, `attnlab certify`, `fitToJson`) as the tables of the
 * experiment `mhla.fit`. What only the data could tell stays empty.
 */
import { fromJsonNumber } from '../../lib/format/numbers.ts';
import type { PlainTables } from './notebook-store.ts';

export const SOLVER_EXPERIMENT = 'mhla.fit';

type Cell = number | string;
type Columns = Record<string, readonly Cell[]>;

/** The tables, or undefined where the text is no file of the solver. Throws where it is broken. */
export async function readSolverFile(text: string): Promise<PlainTables | undefined> {
  const file = parse(text);
  if (file?.['format'] === 'attnlab-mhla') return fitTables(text);
  if (file?.['format'] === 'attnlab-certificate') return certificateTables(file);
  return undefined;
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

function verdict(determined: boolean): string {
  return determined ? 'the data determine the model' : 'the data do not determine the model';
}

function single(row: Record<string, Cell>): Columns {
  return Object.fromEntries(Object.entries(row).map(([name, cell]) => [name, [cell]]));
}

async function fitTables(text: string): Promise<PlainTables> {
  const { fitFromJson } = await import('../../lib/data.ts');
  const fit = fitFromJson(text);
  const [outputs, features] = fit.coefficients.shape;
  const entries = Array.from(fit.coefficients.data);
  const cells = fit.heads.flatMap(({ value, query }, h) =>
    [
      { matrix: 'V', of: value },
      { matrix: 'Q', of: query },
    ].flatMap(({ matrix, of }) =>
      Array.from(of.data, (entry, i) => ({
        head: h + 1,
        matrix,
        row: Math.floor(i / of.shape[1]) + 1,
        column: (i % of.shape[1]) + 1,
        entry,
      })),
    ),
  );
  return {
    summary: {
      columns: single({
        method: fit.method,
        samples: fit.samples,
        tokenDimension: fit.heads[0]?.query.shape[1] ?? NaN,
        outputs,
        rank: fit.rank,
        dimension: fit.dimension,
        trainingError: fit.trainingError,
        variance: fit.targetVariance,
        relativeError: fit.targetVariance > 0 ? fit.trainingError / fit.targetVariance : NaN,
        condition: fit.condition,
        minimumEigenvalue: NaN,
        maximumEigenvalue: NaN,
        heads: fit.heads.length,
        verdict: verdict(fit.rank === fit.dimension),
      }),
    },
    values: {
      columns: {
        number: Array.from(fit.singularValues, (_, i) => i + 1),
        value: Array.from(fit.singularValues),
      },
    },
    coefficients: {
      columns: {
        output: entries.map((_, i) => Math.floor(i / features) + 1),
        feature: entries.map((_, i) => fit.featureNames[i % features] ?? ''),
        value: entries,
        open: entries.map(() => NaN),
      },
    },
    heads: {
      columns: {
        head: cells.map(({ head }) => head),
        matrix: cells.map(({ matrix }) => matrix),
        row: cells.map(({ row }) => row),
        column: cells.map(({ column }) => column),
        value: cells.map(({ entry }) => entry),
      },
    },
    warnings: { columns: { warning: fit.warnings } },
  };
}

function certificateTables(file: Record<string, unknown>): PlainTables {
  const number = (value: unknown): number => fromJsonNumber(value) ?? NaN;
  const text = (value: unknown): string => (typeof value === 'string' ? value : '');
  const list = (value: unknown): Record<string, unknown>[] =>
    Array.isArray(value) ? value.map((each) => Object(each) as Record<string, unknown>) : [];
  const inputs = list(file['perInput']);
  const open = list(file['openDirections']);
  return {
    summary: {
      columns: single({
        method: text(file['method']),
        samples: number(file['samples']),
        tokenDimension: NaN,
        outputs: NaN,
        rank: number(file['rank']),
        dimension: number(file['dimension']),
        trainingError: NaN,
        variance: NaN,
        relativeError: NaN,
        condition: number(file['condition']),
        minimumEigenvalue: number(file['minimumEigenvalue']),
        maximumEigenvalue: number(file['maximumEigenvalue']),
        heads: NaN,
        verdict: verdict(file['identifiable'] === true),
      }),
    },
    predictions: {
      columns: {
        sample: inputs.map((_, i) => i + 1),
        output: inputs.map(() => 1),
        target: inputs.map(() => NaN),
        prediction: inputs.map(() => NaN),
        leverage: inputs.map((each) => number(each['leverage'])),
      },
    },
    coefficients: {
      columns: {
        output: open.map(() => NaN),
        feature: open.map((each) => text(each['text'])),
        value: open.map(() => NaN),
        open: open.map((each) => number(each['share'])),
      },
    },
    warnings: {
      columns: { warning: Array.isArray(file['warnings']) ? file['warnings'].map(text) : [] },
    },
  };
}
