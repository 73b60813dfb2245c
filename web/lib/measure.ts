/** lab.measure */

import type { Engine } from './engine.js';
import {
  packMatrix,
  packVector,
  type Matrix,
  type MatrixInput,
  type VectorInput,
} from './matrix.js';
import { requireName } from './names.js';
import { Options, readOnce, requireObject } from './options.js';

/** A distribution of tokens in R^d. */
export type Measure =
  | {
      readonly kind: 'empirical';
      /** n x d */
      readonly tokens: MatrixInput;
      /** n numbers, at least 0, not all 0; normalised. Default: all equal. */
      readonly weights?: VectorInput;
    }
  | {
      readonly kind: 'gaussian';
      readonly mean: VectorInput;
      /** d x d, symmetric positive semi-definite; singular allowed. */
      readonly covariance: MatrixInput;
    };

export interface AttendInput {
  readonly measure: Measure;
  /** d x e: the query z becomes a = A z. */
  readonly A: MatrixInput;
  /** p x d */
  readonly V: MatrixInput;
  /** m x e; a row is a query z. */
  readonly queries: MatrixInput;
  /** Also give the covariance of the tilted measure at each query. Default false. */
  readonly returnCovariance?: boolean;
}

export interface AttendOutput {
  /** m x p: T(z) = V grad Lambda(A z). */
  readonly output: Matrix;
  /** One d x d matrix a query: Hess Lambda(A z). */
  readonly covariance?: readonly Matrix[];
}

export interface ConstantsInput {
  readonly measure: Measure;
  readonly a: VectorInput;
  /** p x d; default the identity. */
  readonly V?: MatrixInput;
}

/** Limits of n times the named quantity, but for the last one. */
export interface Constants {
  /** n E |V (m_n - m)|^2 */
  readonly output: number;
  /** n E |C_n - Hess|_F^2; NaN where no closed form is known. */
  readonly covariance: number;
  /** n E [m_n - m] */
  readonly bias: Float64Array;
  /** lim ESS / n = e^(2 Lambda(a) - Lambda(2 a)) */
  readonly effectiveSampleShare: number;
}

export interface MeasureCalls {
  /** Attention as an operator on a measure of tokens. */
  attend(input: AttendInput): AttendOutput;
  /** How softmax attention over n independent tokens differs from the operator, to leading order. */
  constants(input: ConstantsInput): Constants;
}

const FIELDS = {
  empirical: ['tokens', 'weights'],
  gaussian: ['mean', 'covariance'],
} as const;

const kinds = Object.keys(FIELDS) as (keyof typeof FIELDS)[];

export function packMeasure(value: unknown): object {
  const object = requireObject(value, 'measure');
  const wanted = readOnce(object, 'kind');
  const kind = requireName(new Options({ kind: wanted }, ['kind']).text('kind'), kinds, 'kind');
  const options = new Options(object, ['kind', ...FIELDS[kind]], 'measure');
  if (kind === 'gaussian') {
    return {
      kind,
      mean: packVector(options.get('mean'), 'mean'),
      covariance: packMatrix(options.get('covariance'), 'covariance'),
    };
  }
  return {
    kind,
    tokens: packMatrix(options.get('tokens'), 'tokens'),
    weights: options.has('weights') ? packVector(options.get('weights'), 'weights') : undefined,
  };
}

export function bindMeasure(engine: () => Engine): MeasureCalls {
  return {
    attend(input) {
      const known = ['measure', 'A', 'V', 'queries', 'returnCovariance'];
      const options = new Options(input, known, 'input');
      return engine().call('measureAttend', {
        measure: packMeasure(options.get('measure')),
        A: packMatrix(options.get('A'), 'A'),
        V: packMatrix(options.get('V'), 'V'),
        queries: packMatrix(options.get('queries'), 'queries'),
        returnCovariance: options.flag('returnCovariance', false),
      });
    },
    constants(input) {
      const options = new Options(input, ['measure', 'a', 'V'], 'input');
      return engine().call('measureConstants', {
        measure: packMeasure(options.get('measure')),
        a: packVector(options.get('a'), 'a'),
        V: options.has('V') ? packMatrix(options.get('V'), 'V') : undefined,
      });
    },
  };
}
