/** lab.attention */

import { FORWARD, GRADIENT, requireMemoryFor, type Matrices } from './attention_memory.js';
import type { Engine } from './engine.js';
import { fail } from './errors.js';
import {
  borrowMatrix,
  isSingle,
  packTokenWeights,
  packVector,
  type Matrix,
  type MatrixInput,
  type PackedMatrix,
  type VectorInput,
} from './matrix.js';
import { requireResult } from './memory.js';
import { Options, readList } from './options.js';
import { stack } from './prompts.js';

/**
 * How a score s = scale * <query, key> becomes a weight: 'softmax' e^s / sum e^s; 'linear'
 * offset + s; 'linear-mean' (offset + s) / n; 'erf' offset + erf(bias + s); 'sigmoid'
 * 1 / (1 + e^-(bias + s)); 'softplus' log(1 + e^(bias + s)) over its sum; 'relu'
 * max(bias + s, 0) over its sum.
 */
export type Kernel = 'softmax' | 'linear' | 'linear-mean' | 'erf' | 'sigmoid' | 'softplus' | 'relu';

/** How scores become weights. */
export interface KernelOptions {
  /** Default 'softmax'. */
  readonly kernel?: Kernel;
  /** Multiplies the scores; default 1. */
  readonly scale?: number;
  /** For linear, linear-mean and erf; default 0. */
  readonly offset?: number;
  /** For erf, sigmoid, softplus and relu; default 0. */
  readonly bias?: number;
  /** Query i of m sees keys 0 ... i + n - m. Default false. */
  readonly causal?: boolean;
}

/** m queries on n tokens; d is the size of a query and a key, p that of a value. */
export interface AttentionInput extends KernelOptions {
  /**
   * m x d; a row is a token. Float32Array data in all three (and in `outputGradient`) computes in
   * single precision: sums over the tokens are then right to 1e-5 of the sum of their terms' sizes,
   * however many there are.
   */
  readonly queries: MatrixInput;
  /** n x d */
  readonly keys: MatrixInput;
  /** n x p */
  readonly values: MatrixInput;
  /** How often each token counts: n numbers, at least 0, not all 0. Default: once. */
  readonly weights?: VectorInput;
}

/** What `lab.attention.forward` takes. */
export interface ForwardInput extends AttentionInput {
  /** Also give the m x n weights, which take m n memory. Default false. */
  readonly returnWeights?: boolean;
}

/** In single precision where all three inputs are. */
export interface ForwardOutput {
  /** m x p */
  readonly output: Matrix<Float64Array | Float32Array>;
  /** m x n */
  readonly weights?: Matrix<Float64Array | Float32Array>;
}

/** What `lab.attention.gradient` takes. */
export interface GradientInput extends AttentionInput {
  /** m x p: the gradient of the loss with respect to the output. */
  readonly outputGradient: MatrixInput;
}

/** The gradients, each of the shape of its input. */
export interface GradientOutput {
  /** m x d */
  readonly queries: Matrix<Float64Array | Float32Array>;
  /** n x d */
  readonly keys: Matrix<Float64Array | Float32Array>;
  /** n x p */
  readonly values: Matrix<Float64Array | Float32Array>;
}

/** One prompt of a batch. */
export interface Prompt {
  /** m x d */
  readonly queries: MatrixInput;
  /** n x d */
  readonly keys: MatrixInput;
  /** n x p */
  readonly values: MatrixInput;
  /** n numbers, at least 0, not all 0. Default: once. */
  readonly weights?: VectorInput;
}

/** What `lab.attention.forwardBatch` takes. */
export interface BatchInput extends KernelOptions {
  /** Prompts of any lengths, of the same d and p. */
  readonly prompts: readonly Prompt[];
}

/** Attention on given queries, keys and values. */
export interface Attention {
  /**
   * The output of attention. Softmax streams over the keys: O((m + n)(d + p)) memory unless the
   * weights are asked for. Logits up to 1e4 in size do not overflow.
   *
   * @example
   * ```js
   * import { load } from 'attnlab';
   *
   * const lab = await load();
   * const { output } = lab.attention.forward({
   *   queries: [[1]],
   *   keys: [[0], [Math.log(3)]],
   *   values: [[4], [8]],
   * });
   * console.log(output.data[0].toFixed(6)); // 7.000000
   * lab.dispose();
   * ```
   */
  forward(input: ForwardInput): ForwardOutput;
  /** Gradients of <outputGradient, output> with respect to queries, keys and values. */
  gradient(input: GradientInput): GradientOutput;
  /** One output a prompt. */
  forwardBatch(input: BatchInput): { readonly outputs: readonly Matrix[] };
}

const KERNEL_OPTIONS = ['kernel', 'scale', 'offset', 'bias', 'causal'];
const INPUTS = ['queries', 'keys', 'values', 'weights'];

function packKernel(options: Options): object {
  return {
    kernel: options.text('kernel', 'softmax'),
    scale: options.number('scale', 1),
    offset: options.number('offset', 0),
    bias: options.number('bias', 0),
    causal: options.flag('causal', false),
  };
}

type Packed = PackedMatrix<Float64Array | Float32Array>;

interface PackedInputs {
  readonly queries: Packed;
  readonly keys: Packed;
  readonly values: Packed;
  readonly weights: Float64Array | Float32Array | undefined;
}

// Refused here, where the caller's own numbers are still to be seen.
function narrow(weights: Float64Array): Float32Array {
  const single = Float32Array.from(weights);
  single.forEach((weight, i) => {
    const given = weights[i]!;
    const isLost = (weight === 0 && given > 0) || (weight === Infinity && given < Infinity);
    if (isLost) fail('out-of-range', 'weights', `entry ${i} is ${given}; no float is so`);
  });
  return single;
}

function packInputs(options: Options, single: boolean): PackedInputs {
  const queries = borrowMatrix(options.get('queries'), 'queries', single);
  const keys = borrowMatrix(options.get('keys'), 'keys', single);
  const values = borrowMatrix(options.get('values'), 'values', single);
  const weights = packTokenWeights(options, keys.rows);
  return {
    queries,
    keys,
    values,
    weights: weights && single ? narrow(weights) : weights,
  };
}

const alone = ({ queries, keys, values }: PackedInputs): Matrices => ({
  queries: [queries],
  keys: [keys],
  values: [values],
});

function allSingle(options: Options): boolean {
  return ['queries', 'keys', 'values'].every((name) => isSingle(options.get(name)));
}

type PromptMatrices = Record<'queries' | 'keys' | 'values', PackedMatrix[]>;

// All prompts go over in one piece, where a value of one could stand for a key of another.
function requireTokens({ queries, keys, values }: PromptMatrices): void {
  keys.forEach(({ rows }, i) => {
    if (values[i]!.rows !== rows) {
      fail('shape', 'values', `prompt ${i} has ${values[i]!.rows} values for ${rows} keys`);
    }
    if (rows === 0 && queries[i]!.rows > 0) {
      fail('shape', 'keys', `prompt ${i} has 0 rows; at least 1 is expected`);
    }
  });
}

function packPrompts(value: unknown): {
  readonly matrices: PromptMatrices;
  readonly weights: Float64Array | undefined;
} {
  const prompts = readList(value, 'prompts').map(
    (prompt) => new Options(prompt, INPUTS, 'prompts'),
  );
  const packAll = (name: string) =>
    prompts.map((prompt) => borrowMatrix(prompt.get(name), name, false));
  const matrices = {
    queries: packAll('queries'),
    keys: packAll('keys'),
    values: packAll('values'),
  };
  requireTokens(matrices);
  if (!prompts.some((prompt) => prompt.has('weights'))) return { matrices, weights: undefined };
  const weights = prompts.flatMap((prompt, i) => {
    const { rows } = matrices.keys[i]!;
    if (!prompt.has('weights')) return Array.from({ length: rows }, () => 1);
    const own = packVector(prompt.get('weights'), 'weights');
    if (own.length !== rows) {
      fail('shape', 'weights', `prompt ${i} has ${own.length} weights for ${rows} keys`);
    }
    return Array.from(own);
  });
  return { matrices, weights: Float64Array.from(weights) };
}

export function bindAttention(engine: () => Engine): Attention {
  return {
    forward(input) {
      const options = new Options(input, [...INPUTS, ...KERNEL_OPTIONS, 'returnWeights'], 'input');
      const single = allSingle(options);
      const inputs = packInputs(options, single);
      const returnWeights = options.flag('returnWeights', false);
      const { queries, keys, values } = inputs;
      const bytesEach = queries.data.BYTES_PER_ELEMENT;
      requireResult(queries.rows * values.columns, 'queries', bytesEach);
      if (returnWeights) requireResult(queries.rows * keys.rows, 'returnWeights', bytesEach);
      const outputs = queries.rows * values.columns;
      const entries = outputs + (returnWeights ? queries.rows * keys.rows : 0);
      requireMemoryFor(alone(inputs), { copies: FORWARD, entries });
      const request = { ...inputs, ...packKernel(options), returnWeights };
      return engine().call('attentionForward', request, single);
    },
    gradient(input) {
      const options = new Options(input, [...INPUTS, ...KERNEL_OPTIONS, 'outputGradient'], 'input');
      const single = allSingle(options) && isSingle(options.get('outputGradient'));
      const inputs = packInputs(options, single);
      const outputGradient = borrowMatrix(options.get('outputGradient'), 'outputGradient', single);
      const entries = outputGradient.data.length;
      requireMemoryFor(alone(inputs), { copies: GRADIENT, entries });
      const request = { ...inputs, ...packKernel(options), outputGradient };
      return engine().call('attentionGradient', request, single);
    },
    forwardBatch(input) {
      const options = new Options(input, [...KERNEL_OPTIONS, 'prompts'], 'input');
      const { matrices, weights } = packPrompts(options.get('prompts'));
      const entries = matrices.queries.reduce(
        (sum, { rows }, i) => sum + rows * matrices.values[i]!.columns,
        0,
      );
      requireMemoryFor(matrices, { copies: FORWARD, entries });
      const lengths = (parts: PackedMatrix[]) => Float64Array.from(parts, ({ rows }) => rows);
      const queries = stack(matrices.queries, 'queries');
      const values = stack(matrices.values, 'values');
      requireResult(queries.rows * values.columns, 'queries');
      const request = {
        queries,
        keys: stack(matrices.keys, 'keys'),
        values,
        queryLengths: lengths(matrices.queries),
        keyLengths: lengths(matrices.keys),
        weights,
        ...packKernel(options),
      };
      const { output } = engine().call<{ output: Matrix }>('attentionForwardBatch', request, false);
      const columns = output.shape[1];
      let start = 0;
      const outputs = matrices.queries.map(({ rows }): Matrix => {
        const data = output.data.slice(start, start + rows * columns);
        start += data.length;
        return { data, shape: [rows, columns] };
      });
      return { outputs };
    },
  };
}
