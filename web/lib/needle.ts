/** lab.needle: single-location regression (arXiv 2509.21936). All risks are excess risks. */

import { CALL_OPTIONS, type CallOptions, type Calls } from './calls.js';
import type { Engine } from './engine.js';
import { fail, show } from './errors.js';
import { Options } from './options.js';
import { seedText, type Seed } from './seed.js';

/**
 * Where the informative token is: 'spiked', the one that is moved by sqrt(snr / D) k*; 'max', drawn
 * from the softmax of snr times the projections on k*, so the largest one where snr is Infinity.
 */
export type NeedleModel = 'spiked' | 'max';
/** How the predictor weighs the tokens. */
export type NeedleKernel =
  'softmax' | 'linear' | 'erf' | 'softplus' | 'relu' | 'centred-linear' | 'erf-token';

/** A single-location regression. */
export interface NeedleProblem {
  /** Where the informative token is. */
  readonly model: NeedleModel;
  /** Tokens in a prompt; [shortest, longest] draws it anew for each prompt. */
  readonly length: number | readonly [number, number];
  /** Signal to noise; Infinity is allowed for 'max'. */
  readonly snr: number;
  /** Standard deviation of the label noise. Default 0. */
  readonly noise?: number;
}

/** An excess risk: the expected squared error beyond the label noise. */
export interface Risk {
  /** Expected squared error beyond the label noise. */
  readonly risk: number;
  /** 0 for closed forms and quadrature. */
  readonly standardError: number;
}

/** k = scale k* and noise off it, v = output v*. */
export interface AlignedParameters {
  /** Along k*. */
  readonly scale: number;
  /** Of kernels with one. */
  readonly bias: number;
  /** Along v*. */
  readonly output: number;
}

/** What `lab.needle.populationRisk` takes. */
export interface PopulationRiskInput extends NeedleProblem, CallOptions {
  /** Of the predictor. */
  readonly kernel: NeedleKernel;
  /** At the best parameters (default), or at the given ones. */
  readonly optimize?: boolean;
  /** Where it is judged, if not at its best. */
  readonly parameters?: {
    readonly scale: number;
    readonly keyNoise?: number;
    readonly bias?: number;
    /** Default: the best one. */
    readonly output?: number;
  };
}

/** What `lab.needle.stateEvolution` takes. */
export interface StateEvolutionInput extends NeedleProblem, CallOptions {
  /** 'erm': the minimiser of the training loss; 'bayes': message passing. */
  readonly estimator: 'erm' | 'bayes';
  /** For 'erm': softmax or linear. */
  readonly kernel?: 'softmax' | 'linear';
  /** Samples a dimension, N / D. */
  readonly ratio: number;
  /** Penalty on k, for 'erm'; default 1. */
  readonly ridgeKeys?: number;
  /** Penalty on v, for 'erm'; default 1. */
  readonly ridgeValues?: number;
  /** Near the truth (default) or without knowledge. */
  readonly start?: 'informed' | 'uninformed';
  /** Of the fields; default 1. */
  readonly seed?: Seed;
  /** Fields drawn for each of the independent evolutions; default 10000. */
  readonly samples?: number;
  /** Independent evolutions, from which the error comes; default 4. */
  readonly streams?: number;
}

/** `risk` and `standardError` are NaN unless `converged`, the error of a single stream always. */
export interface StateEvolutionOutput extends Risk {
  /** The order parameters by name. */
  readonly order: Readonly<Record<string, number>>;
  /** Whether a fixed point was reached. */
  readonly converged: boolean;
  /** How it ended, in words. */
  readonly verdict: string;
  /** Steps taken. */
  readonly iterations: number;
  /** For 'erm': at the minimiser. */
  readonly trainingLoss?: number;
  /** For 'erm': of the replica-symmetric solution, which is stable below 1. */
  readonly replicon?: number;
}

/** Single-location regression (arXiv 2509.21936, 2410.01537). All risks are excess risks. */
export interface Needle {
  /**
   * The least risk that any predictor can have.
   *
   * @example
   * ```js
   * import { load } from 'attnlab';
   *
   * const lab = await load();
   * const problem = { model: 'spiked', length: 10, snr: 4 };
   * const least = lab.needle.bayesRisk(problem).risk;
   * const softmax = await lab.needle.populationRisk({ ...problem, kernel: 'softmax' });
   * const linear = await lab.needle.populationRisk({ ...problem, kernel: 'linear' });
   * console.log(least.toFixed(3), softmax.risk.toFixed(3), linear.risk.toFixed(3)); // 0.447 0.447 0.662
   * lab.dispose();
   * ```
   */
  bayesRisk(input: NeedleProblem): Risk;
  /** The risk of attention with this kernel and unlimited data, at its best parameters or at given ones. */
  populationRisk(
    input: PopulationRiskInput,
  ): Promise<Risk & { readonly parameters: AlignedParameters }>;
  /** The risk of a learned predictor where N and D are large and N / D is `ratio`. */
  stateEvolution(input: StateEvolutionInput): Promise<StateEvolutionOutput>;
}

const PROBLEM = ['model', 'length', 'snr', 'noise'];

function packProblem(options: Options): object {
  const length = options.get('length');
  if (length === undefined) fail('missing', 'length', 'is missing; a count is expected');
  const ends: unknown[] = Array.isArray(length) ? length : [length, length];
  if (ends.length !== 2 || !ends.every((end) => typeof end === 'number')) {
    fail('type', 'length', `is ${show(length)}; a count or [shortest, longest] is expected`);
  }
  return {
    model: options.text('model'),
    length: ends[0],
    longest: ends[1],
    snr: options.required('snr'),
    noise: options.number('noise', 0),
  };
}

function packParameters(value: unknown): object {
  const options = new Options(value, ['scale', 'keyNoise', 'bias', 'output'], 'parameters');
  return {
    scale: options.required('scale'),
    keyNoise: options.number('keyNoise', 0),
    bias: options.number('bias', 0),
    output: options.has('output') ? options.required('output') : undefined,
  };
}

function packPopulationRisk(options: Options): object {
  const optimize = options.flag('optimize', !options.has('parameters'));
  if (optimize && options.has('parameters')) {
    fail('out-of-range', 'optimize', 'is true, so parameters cannot be given');
  }
  if (!optimize && !options.has('parameters')) {
    fail('missing', 'parameters', 'are missing; { scale } is expected where optimize is false');
  }
  return {
    ...packProblem(options),
    kernel: options.text('kernel'),
    optimize,
    parameters: optimize ? undefined : packParameters(options.get('parameters')),
  };
}

function packStateEvolution(options: Options): object {
  return {
    ...packProblem(options),
    estimator: options.text('estimator'),
    kernel: options.text('kernel', 'softmax'),
    ratio: options.required('ratio'),
    ridgeKeys: options.number('ridgeKeys', 1),
    ridgeValues: options.number('ridgeValues', 1),
    start: options.text('start', 'informed'),
    seed: seedText(options.has('seed') ? options.get('seed') : 1),
    samples: options.number('samples', 10000),
    streams: options.number('streams', 4),
  };
}

const RISK_OPTIONS = [...PROBLEM, 'kernel', 'optimize', 'parameters', ...CALL_OPTIONS];
const EVOLUTION_OPTIONS = [
  ...PROBLEM,
  ...['estimator', 'kernel', 'ratio', 'ridgeKeys', 'ridgeValues', 'start', 'seed'],
  ...['samples', 'streams'],
  ...CALL_OPTIONS,
];

export function bindNeedle(engine: () => Engine, calls: Calls): Needle {
  return {
    bayesRisk(input) {
      const options = new Options(input, PROBLEM, 'input');
      return engine().call<Risk>('needleBayesRisk', packProblem(options));
    },
    async populationRisk(input) {
      engine();
      const options = new Options(input, RISK_OPTIONS, 'input');
      return calls.start('needlePopulationRisk', packPopulationRisk(options), options);
    },
    async stateEvolution(input) {
      engine();
      const options = new Options(input, EVOLUTION_OPTIONS, 'input');
      return calls.start('needleStateEvolution', packStateEvolution(options), options);
    },
  };
}
