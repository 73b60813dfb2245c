/** lab.measure */

import type { Engine } from './engine.js';
import {
  packMatrix,
  packTokenWeights,
  packVector,
  type Matrix,
  type MatrixInput,
  type VectorInput,
} from './matrix.js';
import { requireResult } from './memory.js';
import { fail } from './errors.js';
import { requireName } from './names.js';
import { Options, readList, readOnce, requireObject } from './options.js';

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
    }
  | {
      /** Of any measures, Gaussian ones given short by means and covariances. */
      readonly kind: 'mixture';
      readonly weights: VectorInput;
      readonly components: readonly Measure[];
    }
  | {
      readonly kind: 'mixture';
      readonly weights: VectorInput;
      /** K x d */
      readonly means: MatrixInput;
      /** K matrices, d x d. */
      readonly covariances: readonly MatrixInput[];
    }
  | { readonly kind: 'rademacher' | 'exponential'; readonly dimension: number }
  | { readonly kind: 'cube'; readonly dimension: number; readonly halfWidth: number }
  | { readonly kind: 'sphere' | 'ball'; readonly dimension: number; readonly radius: number }
  | { readonly kind: 'laplace'; readonly dimension: number; readonly scale: number };

/** What `lab.measure.attend` takes; d is the size of a token. */
export interface AttendInput {
  /** Of the tokens. */
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

/** What `lab.measure.attend` gives. */
export interface AttendOutput {
  /** m x p: T(z) = V grad Lambda(A z). */
  readonly output: Matrix;
  /** One d x d matrix a query: Hess Lambda(A z). */
  readonly covariance?: readonly Matrix[];
}

/** What `lab.measure.constants` takes. */
export interface ConstantsInput {
  /** Of the tokens. */
  readonly measure: Measure;
  /** d numbers: the query, as the tokens meet it. */
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

/**
 * Attention with infinitely many tokens, and how finitely many differ from it (arXiv 2512.11784).
 */
export interface MeasureCalls {
  /**
   * Attention as an operator on a measure of tokens: T(z) = V grad Lambda(A z), with Lambda the
   * log-moment-generating function of the measure. Throws 'domain' where Lambda is infinite.
   *
   * @example
   * ```js
   * import { load } from 'attnlab';
   *
   * const lab = await load();
   * const identity = [[1, 0], [0, 1]];
   * const { output } = lab.measure.attend({
   *   measure: { kind: 'gaussian', mean: [0, 0], covariance: [[2, 0], [0, 1]] },
   *   A: identity,
   *   V: identity,
   *   queries: [[1, 3]],
   * });
   * console.log(output.data.join()); // 2,3
   * lab.dispose();
   * ```
   */
  attend(input: AttendInput): AttendOutput;
  /** How softmax attention over n independent tokens differs from the operator, to leading order. */
  constants(input: ConstantsInput): Constants;
}

const FIELDS = {
  empirical: ['tokens', 'weights'],
  gaussian: ['mean', 'covariance'],
  mixture: ['weights', 'components', 'means', 'covariances'],
  rademacher: ['dimension'],
  cube: ['dimension', 'halfWidth'],
  sphere: ['dimension', 'radius'],
  ball: ['dimension', 'radius'],
  laplace: ['dimension', 'scale'],
  exponential: ['dimension'],
} as const;

const kinds = Object.keys(FIELDS) as (keyof typeof FIELDS)[];

// A mixture of mixtures of ... : deep enough for anyone, and no stack can run out.
const DEEPEST = 8;

export function packMeasure(value: unknown, depth = 0): object {
  const object = requireObject(value, 'measure');
  const wanted = new Options({ kind: readOnce(object, 'kind') }, ['kind']).text('kind');
  const kind = requireName(wanted, kinds, 'kind');
  const options = new Options(object, ['kind', ...FIELDS[kind]], 'measure');
  switch (kind) {
    case 'empirical': {
      const tokens = packMatrix(options.get('tokens'), 'tokens');
      return {
        kind,
        tokens,
        weights: packTokenWeights(options, tokens.rows),
      };
    }
    case 'gaussian':
      return {
        kind,
        mean: packVector(options.get('mean'), 'mean'),
        covariance: packMatrix(options.get('covariance'), 'covariance'),
      };
    case 'mixture':
      if (depth >= DEEPEST) fail('out-of-range', 'components', `lie deeper than ${DEEPEST}`);
      for (const name of ['means', 'covariances']) {
        if (!options.has('components') || !options.has(name)) continue;
        fail('malformed', name, 'stands beside components; either those or means and covariances');
      }
      return {
        kind,
        weights: packVector(options.get('weights'), 'weights'),
        components: options.has('components')
          ? readList(options.get('components'), 'components').map((one) =>
              packMeasure(one, depth + 1),
            )
          : packGaussians(options),
      };
    default:
      return Object.fromEntries([
        ['kind', kind],
        ...FIELDS[kind].map((name) => [name, options.required(name)] as const),
      ]);
  }
}

function packGaussians(options: Options): object[] {
  const means = packMatrix(options.get('means'), 'means');
  const covariances = readList(options.get('covariances'), 'covariances');
  if (covariances.length !== means.rows) {
    fail('shape', 'covariances', `are ${covariances.length} for ${means.rows} means`);
  }
  return covariances.map((covariance, k) => ({
    kind: 'gaussian',
    mean: means.data.slice(k * means.columns, (k + 1) * means.columns),
    covariance: packMatrix(covariance, 'covariances'),
  }));
}

export function bindMeasure(engine: () => Engine): MeasureCalls {
  return {
    attend(input) {
      const known = ['measure', 'A', 'V', 'queries', 'returnCovariance'];
      const options = new Options(input, known, 'input');
      const measure = packMeasure(options.get('measure'));
      const A = packMatrix(options.get('A'), 'A');
      const V = packMatrix(options.get('V'), 'V');
      const queries = packMatrix(options.get('queries'), 'queries');
      const returnCovariance = options.flag('returnCovariance', false);
      requireResult(queries.rows * V.rows, 'queries');
      if (returnCovariance) requireResult(queries.rows * A.rows ** 2, 'returnCovariance');
      return engine().call('measureAttend', { measure, A, V, queries, returnCovariance });
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
