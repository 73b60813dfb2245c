/** lab.mhla: multi-head linear attention, learned and certified by least squares. */

import { CALL_OPTIONS, type CallOptions, type Calls } from './calls.js';
import type { Engine } from './engine.js';
import {
  packMatrix,
  packTokenWeights,
  type Matrix,
  type MatrixInput,
  type PackedMatrix,
  type VectorInput,
} from './matrix.js';
import { requireResult } from './memory.js';
import { Options, readList } from './options.js';
import { packPrompts, type PackedPrompts, type PromptsInput } from './prompts.js';

/**
 * Which outputs: of the last token; of every token, attending to the whole prompt ('full') or to
 * itself and those before it ('prefix').
 */
export type OutputMode = 'last' | 'full' | 'prefix';

/** y = sum_h V_h G Q_h z with G = sum_t z_t z_t^T; no normalisation (arXiv 2410.10101). */
export interface HeadInput {
  /** V, dout x d */
  readonly value: MatrixInput;
  /** Q, d x d */
  readonly query: MatrixInput;
}

/** A head that a fit found. */
export interface Head {
  /** V, dout x d */
  readonly value: Matrix;
  /** Q, d x d */
  readonly query: Matrix;
}

/** What `lab.mhla.forward` takes. */
export interface MhlaForwardInput {
  /** n x d each, a row a token: the paper's Z is the transpose. */
  readonly prompts: PromptsInput;
  /** At least one, all of the same d and dout. */
  readonly heads: readonly HeadInput[];
  /** Default 'last'. */
  readonly mode?: OutputMode;
}

/** What `lab.mhla.features` takes. */
export interface FeaturesInput {
  /** n x d each, a row a token. */
  readonly prompts: PromptsInput;
  /** Default 'last': one row a prompt; else one row a token. */
  readonly mode?: OutputMode;
}

/** How the least squares are solved; 'dual' is for fewer samples than features. */
export type FitMethod = 'auto' | 'cholesky' | 'tsqr' | 'svd' | 'dual';

/** What `lab.mhla.fit` takes. */
export interface FitInput extends CallOptions {
  /** n x d each, a row a token. */
  readonly prompts: PromptsInput;
  /** N x dout, a row a sample: a prompt, or a token where mode is 'full' or 'prefix'. */
  readonly targets: MatrixInput;
  /** Which tokens are samples. Default 'last'. */
  readonly mode?: OutputMode;
  /** Default 'auto': chosen by size and conditioning, and reported. */
  readonly method?: FitMethod;
  /** Adds ridge |W|^2 to the mean squared error. Default 0. */
  readonly ridge?: number;
  /** One a sample, at least 0, not all 0. Default: all equal. */
  readonly weights?: VectorInput;
  /** Singular values of W below this share of the first are dropped. Default 1e-12. */
  readonly headTolerance?: number;
  /** Default true. */
  readonly returnHeads?: boolean;
}

/** What `lab.mhla.fit` gives; dimension = d^2 (d + 1) / 2. */
export interface FitOutput {
  /** dout x dimension, in the order of `features`. */
  readonly coefficients: Matrix;
  /** That give the coefficients together; none where `returnHeads` is false. */
  readonly heads: readonly Head[];
  /** Of W. */
  readonly singularValues: Float64Array;
  /** Outputs that the fit had to match: prompts, or tokens where every token has a target. */
  readonly samples: number;
  /** Of the features; `dimension` when the data determine every coefficient. */
  readonly rank: number;
  /** Features of one sample. */
  readonly dimension: number;
  /** Of every column of `coefficients`, in coordinates of the tokens: '⟨z_1, z_2⟩ z_1'. Empty for d > 32. */
  readonly featureNames: readonly string[];
  /** Mean over samples of the squared error, summed over outputs. */
  readonly trainingError: number;
  /** The same about the targets' mean, without a model. */
  readonly targetVariance: number;
  /** The way taken. */
  readonly method: string;
  /** Of the scaled features over their range. */
  readonly condition: number;
  /** What the caller should know, in sentences. */
  readonly warnings: readonly string[];
}

/** What `lab.mhla.certificate` takes. */
export interface CertificateInput extends CallOptions {
  /** n x d each, a row a token: the data that a model would be fitted to. */
  readonly prompts: PromptsInput;
  /** New prompts, each judged on its own. */
  readonly queries?: PromptsInput;
  /** Which tokens are samples. Default 'last'. */
  readonly mode?: OutputMode;
  /** One a sample, at least 0, not all 0. Default: all equal. */
  readonly weights?: VectorInput;
  /** Also give the undetermined directions, dimension x (dimension - rank). Default false. */
  readonly returnNullSpace?: boolean;
}

/** Whether the data determine the function at one input. */
export interface InputCertificate {
  /** Every minimiser of the training loss gives the same output here. */
  readonly determined: boolean;
  /** Distance of the features from what the data span, relative. */
  readonly residual: number;
  /**
   * Two models within eps of the least loss differ here by at most 2 sqrt(eps * leverage) where
   * `determined`; else by any amount, and this is of the part that the data do determine.
   */
  readonly leverage: number;
}

/** What `lab.mhla.certificate` gives; eigenvalues are those of the features' second moments. */
export interface CertificateOutput {
  /** Exactly 0 when the rank is below the dimension. */
  readonly minimumEigenvalue: number;
  /** The largest one. */
  readonly maximumEigenvalue: number;
  /** Prompts, or tokens where every token is a sample. */
  readonly samples: number;
  /** Of the features. */
  readonly rank: number;
  /** d^2 (d + 1) / 2 */
  readonly dimension: number;
  /** All minimisers of the training loss are the same function. */
  readonly identifiable: boolean;
  /** Of the features. */
  readonly condition: number;
  /**
   * Rank modulo a prime of whole-number data: a proven lower bound. Only where the sums over a
   * prompt are exact in doubles (below 2^53), nothing is weighted and the work is moderate.
   */
  readonly provenRank?: number;
  /** The way taken. */
  readonly method: string;
  /**
   * Features that the data leave open, the largest share first. By the kernel method only where
   * `returnNullSpace` was asked for.
   */
  readonly openDirections: readonly { feature: number; text: string; share: number }[];
  /** The undetermined directions, dimension x (dimension - rank). */
  readonly nullSpace?: Matrix;
  /** What the caller should know, in sentences. */
  readonly warnings: readonly string[];
  /** One an output, where `queries` were given: a query, or each token of one, as `mode` says. */
  readonly perInput?: readonly InputCertificate[];
}

/** What `lab.mhla.predict` takes. */
export interface PredictInput {
  /** n x d each, a row a token. */
  readonly prompts: PromptsInput;
  /** dout x dimension */
  readonly coefficients: MatrixInput;
  /** Which tokens have an output. Default 'last'. */
  readonly mode?: OutputMode;
}

/** Multi-head linear attention: a linear model in cubic features (arXiv 2410.10101). */
export interface Mhla {
  /** One output a prompt: 1 x dout for 'last', n x dout otherwise. */
  forward(input: MhlaForwardInput): { readonly outputs: readonly Matrix[] };
  /** N x dimension, dimension = d^2 (d + 1) / 2, in the order of src/mhla/features.h. */
  features(input: FeaturesInput): { readonly features: Matrix };
  /** N x dout from fitted coefficients. */
  predict(input: PredictInput): { readonly outputs: Matrix };
  /**
   * Least squares over all multi-head linear attentions at once: the best one, whatever the number
   * of its heads. Throws 'shape' where targets and prompts do not match, 'too-large' with the bytes
   * that would be needed.
   *
   * @example
   * ```js
   * import { load } from 'attnlab';
   *
   * const lab = await load();
   * // y = 2 (z_1^2 + z_2^2) z_2, for prompts of two tokens of one number each.
   * const fit = await lab.mhla.fit({
   *   prompts: [[[1], [2]], [[3], [1]], [[-1], [1]]],
   *   targets: [[20], [20], [4]],
   * });
   * console.log(fit.coefficients.data[0].toFixed(6)); // 2.000000
   * console.log(fit.rank === fit.dimension); // true
   * lab.dispose();
   * ```
   */
  fit(input: FitInput): Promise<FitOutput>;
  /** Whether the data determine the function, and at which inputs. */
  certificate(input: CertificateInput): Promise<CertificateOutput>;
}

function packHeads(value: unknown): { value: PackedMatrix; query: PackedMatrix }[] {
  return readList(value, 'heads', 'a list of { value, query }').map((entry, h) => {
    const head = new Options(entry, ['value', 'query'], `heads[${h}]`);
    return {
      value: packMatrix(head.get('value'), `heads[${h}].value`),
      query: packMatrix(head.get('query'), `heads[${h}].query`),
    };
  });
}

interface PackedSamples {
  readonly prompts: PackedPrompts;
  readonly mode: string;
}

function packSamples(options: Options): PackedSamples {
  return {
    prompts: packPrompts(options.get('prompts'), 'prompts'),
    mode: options.text('mode', 'last'),
  };
}

/** How many samples the prompts give. */
function countOf({ prompts, mode }: PackedSamples): number {
  return mode === 'last' ? prompts.lengths.length : prompts.tokens.rows;
}

function packFit(options: Options): object {
  const samples = packSamples(options);
  return {
    ...samples,
    targets: packMatrix(options.get('targets'), 'targets'),
    method: options.text('method', 'auto'),
    ridge: options.number('ridge', 0),
    weights: packTokenWeights(options, countOf(samples)),
    headTolerance: options.number('headTolerance', 1e-12),
    returnHeads: options.flag('returnHeads', true),
  };
}

function packCertificate(options: Options): object {
  const samples = packSamples(options);
  return {
    ...samples,
    queries: options.has('queries') ? packPrompts(options.get('queries'), 'queries') : undefined,
    weights: packTokenWeights(options, countOf(samples)),
    returnNullSpace: options.flag('returnNullSpace', false),
  };
}

const FIT_OPTIONS = [
  ...['prompts', 'targets', 'mode', 'method', 'ridge', 'weights', 'headTolerance', 'returnHeads'],
  ...CALL_OPTIONS,
];
const CERTIFICATE_OPTIONS = [
  ...['prompts', 'queries', 'mode', 'weights', 'returnNullSpace'],
  ...CALL_OPTIONS,
];

export function bindMhla(engine: () => Engine, calls: Calls): Mhla {
  return {
    forward(input) {
      const options = new Options(input, ['prompts', 'heads', 'mode'], 'input');
      const samples = packSamples(options);
      const heads = packHeads(options.get('heads'));
      requireResult(countOf(samples) * (heads[0]?.value.rows ?? 0), 'prompts');
      const request = { ...samples, heads };
      return { outputs: engine().call<Matrix[]>('mhlaForward', request) };
    },
    features(input) {
      const options = new Options(input, ['prompts', 'mode'], 'input');
      return { features: engine().call<Matrix>('mhlaFeatures', packSamples(options)) };
    },
    predict(input) {
      const options = new Options(input, ['prompts', 'mode', 'coefficients'], 'input');
      const coefficients = packMatrix(options.get('coefficients'), 'coefficients');
      const samples = packSamples(options);
      requireResult(countOf(samples) * coefficients.rows, 'prompts');
      const request = { ...samples, coefficients };
      return { outputs: engine().call<Matrix>('mhlaPredict', request) };
    },
    async fit(input) {
      engine();
      const options = new Options(input, FIT_OPTIONS, 'input');
      return calls.start<FitOutput>('mhlaFit', packFit(options), options);
    },
    async certificate(input) {
      engine();
      const options = new Options(input, CERTIFICATE_OPTIONS, 'input');
      return calls.start<CertificateOutput>('mhlaCertificate', packCertificate(options), options);
    },
  };
}
