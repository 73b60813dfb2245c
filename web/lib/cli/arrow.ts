/** Tables of sweeps as Arrow files, by the package apache-arrow where it is installed. */

import type { DataType, Field, RecordBatch, Schema, Struct } from 'apache-arrow';
import type { sweep } from '../index.js';
import { loadOptional } from './optional.js';

type Arrow = typeof import('apache-arrow');
type Rows = Iterable<readonly sweep.Cell[]>;

const ROWS_A_BATCH = 4096;

export const loadArrow = (): Promise<Arrow> =>
  loadOptional('merge: an .arrow file', ['apache-arrow'], () => import('apache-arrow'));

function typeOf({ kind }: sweep.Heading, arrow: Arrow): DataType {
  switch (kind) {
    case 'number':
      return new arrow.Float64();
    case 'boolean':
      return new arrow.Bool();
    case 'seed':
      return new arrow.Uint64();
    default:
      return new arrow.Utf8();
  }
}

/** What a cell is in a column of its kind. */
function valueOf({ kind }: sweep.Heading, cell: sweep.Cell): unknown {
  switch (kind) {
    case 'number':
      return cell ?? NaN;
    case 'seed':
      return BigInt(cell as sweep.SweepRecord['seed']);
    case 'json':
      return JSON.stringify(cell);
    default:
      return cell;
  }
}

function fieldOf(heading: sweep.Heading, arrow: Arrow): Field {
  const { name, symbol, unit } = heading;
  const about = Object.entries({ symbol, unit }).filter(([, text]) => text !== '');
  return new arrow.Field(name, typeOf(heading, arrow), false, new Map(about));
}

function batchOf(
  headings: readonly sweep.Heading[],
  rows: readonly (readonly sweep.Cell[])[],
  schema: Schema,
  arrow: Arrow,
): RecordBatch {
  const children = headings.map((heading, i) => {
    const values = rows.map((cells) => valueOf(heading, cells[i]));
    return arrow.vectorFromArray(values, schema.fields[i]!.type).data[0]!;
  });
  const type: Struct = new arrow.Struct(schema.fields);
  return new arrow.RecordBatch(schema, arrow.makeData({ type, length: rows.length, children }));
}

function* inBatches(rows: Rows): Generator<(readonly sweep.Cell[])[], void, undefined> {
  let batch: (readonly sweep.Cell[])[] = [];
  for (const row of rows) {
    batch.push(row);
    if (batch.length < ROWS_A_BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** The bytes of a file. No more than a batch is held: the next is made when the last is taken. */
export async function* arrowFile(
  headings: readonly sweep.Heading[],
  rows: Rows,
  arrow: Arrow,
): AsyncGenerator<Uint8Array, void, undefined> {
  const schema = new arrow.Schema(headings.map((heading) => fieldOf(heading, arrow)));
  const writer = new arrow.RecordBatchFileWriter();
  // Without rows too a file says what its columns are.
  writer.reset(undefined, schema);
  let isAsking = false;
  async function* batches(): AsyncGenerator<RecordBatch, void, undefined> {
    for (const batch of inBatches(rows)) {
      while (!isAsking) await new Promise((resolve) => setImmediate(resolve));
      yield batchOf(headings, batch, schema, arrow);
    }
  }
  // What goes wrong in between comes out where the bytes are taken.
  writer.writeAll(batches()).catch((error: unknown) => writer.abort(error));
  const bytes = writer[Symbol.asyncIterator]();
  for (;;) {
    isAsking = true;
    const next = await bytes.next();
    isAsking = false;
    if (next.done) return;
    yield next.value;
  }
}
