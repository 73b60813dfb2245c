/**
 * What the calling thread and a worker say to each other. A run (or a long call) has a number that
 * is never used twice, so a late message of an old one finds nobody and is dropped.
 */

import type { WasmModule } from './engine.js';
import type { ErrorNote } from './errors.js';
import type { PackedMatrix } from './matrix.js';
import type { Variant } from './variant.js';

/** A parameter's value as the bindings read it. */
export type PackedValue = number | boolean | string | Float64Array | PackedMatrix;
export type PackedValues = readonly (readonly [name: string, value: PackedValue])[];

/** Columns by position: table, then column, as the descriptor orders them. */
export type RawTables = readonly (readonly (Float64Array | readonly string[])[])[];

export interface FinishedTask {
  readonly task: number;
  /** Absent where the worker keeps the records itself. */
  readonly record?: Float64Array;
  readonly divergedAt?: number;
}

export interface CurrentTask {
  readonly task: number;
  readonly progress: number;
  readonly record?: Float64Array;
}

export type ToWorker =
  | { readonly type: 'start'; readonly module: WasmModule; readonly variant: Variant }
  | {
      readonly type: 'resource';
      readonly run: number;
      readonly name: string;
      readonly bytes: Uint8Array;
    }
  | {
      readonly type: 'open';
      readonly run: number;
      readonly id: string;
      readonly values: PackedValues;
      readonly seed: string;
      /** The keeper holds all records and makes the tables. */
      readonly keeper: boolean;
      readonly paused: boolean;
      /** Milliseconds of work between two looks at the messages. */
      readonly slice: number;
    }
  | { readonly type: 'assign'; readonly run: number; readonly tasks: readonly number[] }
  | {
      readonly type: 'put';
      readonly run: number;
      readonly records: readonly (readonly [task: number, record: Float64Array])[];
    }
  | { readonly type: 'summarise'; readonly run: number }
  | { readonly type: 'pause' | 'resume' | 'step'; readonly run: number }
  | { readonly type: 'close'; readonly run: number }
  | {
      readonly type: 'call';
      readonly run: number;
      readonly name: string;
      readonly request: unknown;
    };

/** What a run that is open can be told. */
export type RunMessage = Exclude<
  ToWorker,
  { type: 'start' } | { type: 'resource' } | { type: 'open' } | { type: 'call' } | { type: 'close' }
>;

export type FromWorker =
  | { readonly type: 'started' }
  /** This worker's module cannot be used (any more). */
  | { readonly type: 'broken'; readonly error: ErrorNote }
  | { readonly type: 'opened'; readonly run: number; readonly costs: Float64Array }
  | {
      readonly type: 'report';
      readonly run: number;
      readonly finished: readonly FinishedTask[];
      readonly current?: CurrentTask;
      /** Tasks assigned and not finished. */
      readonly left: number;
      /** The answer to 'step'. */
      readonly stepped: boolean;
    }
  | { readonly type: 'tables'; readonly run: number; readonly tables: RawTables }
  | { readonly type: 'failed'; readonly run: number; readonly error: ErrorNote }
  | { readonly type: 'closed'; readonly run: number }
  | { readonly type: 'called'; readonly run: number; readonly value: unknown }
  | { readonly type: 'called-progress'; readonly run: number; readonly progress: number };
