/** lab.regression: in-context linear regression with infinitely long prompts (arXiv 2512.11784). */

import { CALL_OPTIONS, type CallOptions, type Calls } from './calls.js';
import type { Engine } from './engine.js';
import {
  packMatrix,
  packVector,
  type Matrix,
  type MatrixInput,
  type VectorInput,
} from './matrix.js';
import { Options } from './options.js';

/** What `lab.regression.infinitePrompt` takes. */
export interface InfinitePromptInput {
  /** d x d, symmetric. */
  readonly covariance: MatrixInput;
  /** d x d: the logits are x^T A x_q. */
  readonly A: MatrixInput;
  /** The output weight. */
  readonly b: number;
}

/** What `lab.regression.infinitePrompt` gives. */
export interface InfinitePromptOutput {
  /** Half the expected squared error. */
  readonly loss: number;
  /** Of the loss: A is d x d. */
  readonly gradient: { readonly A: Matrix; readonly b: number };
}

/** What `lab.regression.flow` takes. */
export interface FlowInput extends InfinitePromptInput, CallOptions {
  /** Ascending, at least 0. */
  readonly times: VectorInput;
}

/** The flow at one time. */
export interface FlowState {
  /** As it was asked for. */
  readonly time: number;
  /** d x d */
  readonly A: Matrix;
  /** The output weight. */
  readonly b: number;
  /** Half the expected squared error. */
  readonly loss: number;
}

/**
 * In-context linear regression by softmax attention with infinitely long prompts (arXiv 2512.11784).
 */
export interface Regression {
  /** Loss of b w^T C A x_q as a prediction of w^T x_q, with C the covariance, and its gradient. */
  infinitePrompt(input: InfinitePromptInput): InfinitePromptOutput;
  /** The gradient flow from (A, b) at time 0, at the given times. */
  flow(input: FlowInput): Promise<readonly FlowState[]>;
}

const HEAD = ['covariance', 'A', 'b'];

function packHead(options: Options): object {
  return {
    covariance: packMatrix(options.get('covariance'), 'covariance'),
    A: packMatrix(options.get('A'), 'A'),
    b: options.required('b'),
  };
}

export function bindRegression(engine: () => Engine, calls: Calls): Regression {
  return {
    infinitePrompt(input) {
      const options = new Options(input, HEAD, 'input');
      return engine().call('regressionInfinitePrompt', packHead(options));
    },
    async flow(input) {
      engine();
      const options = new Options(input, [...HEAD, 'times', ...CALL_OPTIONS], 'input');
      const times = packVector(options.get('times'), 'times');
      return calls.start('regressionFlow', { ...packHead(options), times }, options);
    },
  };
}
