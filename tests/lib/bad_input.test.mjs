// Every low-level call, every field, every kind of bad value: an AttnLabError that names the
// parameter, and the lab still works.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as bad from './bad_values.mjs';
import { openLab, refuses } from './lab.mjs';

const lab = await openLab({ workers: 1 });

const tokens = [
  [1, 0],
  [0, 1],
  [1, 1],
];
const attention = { queries: [[1, 0]], keys: tokens, values: tokens };
const gaussian = {
  kind: 'gaussian',
  mean: [0, 0],
  covariance: [
    [1, 0],
    [0, 1],
  ],
};
const identity = [
  [1, 0],
  [0, 1],
];
const attend = { measure: gaussian, A: identity, V: identity, queries: [[1, 0]] };
const kernelOptions = {
  kernel: bad.badNames,
  scale: [...bad.badNumbers, ...bad.infinities],
  offset: [...bad.badNumbers, ...bad.infinities],
  bias: [...bad.badNumbers, ...bad.infinities],
  causal: bad.badFlags,
};
const weights = [
  ...bad.badVectors,
  ['a negative weight', [-1, 1, 1]],
  ['all 0', [0, 0, 0]],
  ['too few', [1, 1]],
  ['none', []],
];
const wrongSize = ['of another dimension', [[1, 2, 3]]];
const matrices = [...bad.badMatrices, wrongSize];
const prompts = [tokens, tokens.slice(0, 2)];
const badPrompts = [
  ...bad.badMatrices.filter(
    ([what]) => !['nested too deep', 'a missing row', 'three sides'].includes(what),
  ),
  ['no prompt', []],
  ['an empty prompt', [[]]],
  ['prompts of different dimensions', [tokens, [[1, 2, 3]]]],
  ['a shape that does not fit', { data: new Float64Array(7), shape: [2, 2, 2] }],
];
const heads = [{ value: identity, query: identity }];
const problem = { model: 'spiked', length: 4, snr: 2 };
const badProblem = {
  model: bad.badNames,
  length: [...bad.badCounts, ['0', 0], ['reversed', [5, 2]], ['three', [1, 2, 3]]],
  snr: [...bad.badNumbers, ...bad.infinities, ['-1', -1]],
  noise: [...bad.badNumbers, ...bad.infinities, ['-1', -1]],
};
const callOptions = {
  signal: bad.badSignals,
  onProgress: bad.badTexts.filter(([what]) => what !== 'a function'),
};
const flowInput = { covariance: identity, A: identity, b: 1, times: [0, 1] };

// name, call, a good input, bad values by field. `optional` fields may be left out.
const calls = [
  {
    name: 'attention.forward',
    call: (input) => lab.attention.forward(input),
    good: attention,
    fields: {
      queries: matrices,
      keys: matrices,
      values: bad.badMatrices,
      weights,
      ...kernelOptions,
      returnWeights: bad.badFlags,
    },
    required: ['queries', 'keys', 'values'],
  },
  {
    name: 'attention.gradient',
    call: (input) => lab.attention.gradient(input),
    good: { ...attention, outputGradient: [[1, 0]] },
    fields: {
      queries: matrices,
      keys: matrices,
      values: bad.badMatrices,
      outputGradient: matrices,
      weights,
      ...kernelOptions,
    },
    required: ['queries', 'keys', 'values', 'outputGradient'],
  },
  {
    name: 'attention.forwardBatch',
    call: (input) => lab.attention.forwardBatch(input),
    good: { prompts: [attention] },
    fields: {
      prompts: [...bad.badTexts.filter(([what]) => what !== 'a list'), ['a list of numbers', [1]]],
      ...kernelOptions,
    },
    required: ['prompts'],
  },
  {
    name: 'measure.attend',
    call: (input) => lab.measure.attend(input),
    good: attend,
    fields: {
      measure: bad.badTexts,
      A: matrices,
      V: matrices,
      queries: matrices,
      returnCovariance: bad.badFlags,
    },
    required: ['measure', 'A', 'V', 'queries'],
  },
  {
    name: 'measure.constants',
    call: (input) => lab.measure.constants(input),
    good: { measure: gaussian, a: [1, 0] },
    fields: { measure: bad.badTexts, a: [...bad.badVectors, ['too long', [1, 2, 3]]], V: matrices },
    required: ['measure', 'a'],
  },
  ...[
    [
      'gaussian',
      gaussian,
      {
        mean: [...bad.badVectors, ['too long', [1, 2, 3]]],
        covariance: [
          ...matrices,
          [
            'not symmetric',
            [
              [1, 2],
              [0, 1],
            ],
          ],
          [
            'indefinite',
            [
              [1, 0],
              [0, -1],
            ],
          ],
        ],
      },
    ],
    [
      'empirical',
      { kind: 'empirical', tokens },
      { tokens: matrices.filter((entry) => entry !== wrongSize), weights },
    ],
    [
      'cube',
      { kind: 'cube', dimension: 2, halfWidth: 1 },
      {
        dimension: [...bad.badCounts, ['0', 0]],
        halfWidth: [...bad.badNumbers, ...bad.infinities, ['-1', -1]],
      },
    ],
    [
      'ball',
      { kind: 'ball', dimension: 2, radius: 1 },
      { dimension: bad.badCounts, radius: [...bad.badNumbers, ...bad.infinities, ['-1', -1]] },
    ],
    [
      'laplace',
      { kind: 'laplace', dimension: 2, scale: 0.1 },
      { dimension: bad.badCounts, scale: [...bad.badNumbers, ...bad.infinities, ['-1', -1]] },
    ],
    [
      'mixture',
      {
        kind: 'mixture',
        weights: [1, 1],
        means: [
          [0, 0],
          [1, 1],
        ],
        covariances: [identity, identity],
      },
      {
        weights: bad.badVectors,
        means: bad.badMatrices,
        covariances: bad.badTexts.filter(([what]) => what !== 'a list'),
      },
    ],
  ].map(([kind, good, fields]) => ({
    name: `a measure of kind ${kind}`,
    call: (measure) => lab.measure.constants({ measure, a: [0.3, 0.2] }),
    good,
    fields: { kind: bad.badNames, ...fields },
    required: ['kind'],
  })),
  {
    name: 'mhla.forward',
    call: (input) => lab.mhla.forward(input),
    good: { prompts, heads },
    fields: {
      prompts: badPrompts,
      mode: bad.badNames,
      heads: [...bad.badTexts.filter(([what]) => what !== 'a list'), ['no head', []]],
    },
    required: ['prompts', 'heads'],
  },
  {
    name: 'mhla.features',
    call: (input) => lab.mhla.features(input),
    good: { prompts },
    fields: { prompts: badPrompts, mode: bad.badNames },
    required: ['prompts'],
  },
  {
    name: 'mhla.fit',
    call: (input) => lab.mhla.fit(input),
    good: { prompts, targets: [[1], [2]] },
    fields: {
      prompts: badPrompts,
      targets: [...bad.badMatrices, ['of another length', [[1]]]],
      mode: bad.badNames,
      method: bad.badNames,
      ridge: [...bad.badNumbers, ...bad.infinities, ['-1', -1]],
      weights: [...bad.badVectors, ['a negative weight', [-1, 1]], ['all 0', [0, 0]]],
      headTolerance: [...bad.badNumbers, ...bad.infinities, ['-1', -1], ['2', 2]],
      returnHeads: bad.badFlags,
      ...callOptions,
    },
    required: ['prompts', 'targets'],
  },
  {
    name: 'mhla.certificate',
    call: (input) => lab.mhla.certificate(input),
    good: { prompts },
    fields: {
      prompts: badPrompts,
      queries: badPrompts,
      mode: bad.badNames,
      weights: bad.badVectors,
      returnNullSpace: bad.badFlags,
      ...callOptions,
    },
    required: ['prompts'],
  },
  {
    name: 'needle.bayesRisk',
    call: (input) => lab.needle.bayesRisk(input),
    good: problem,
    fields: badProblem,
    required: ['model', 'length', 'snr'],
  },
  {
    name: 'needle.populationRisk',
    call: (input) => lab.needle.populationRisk(input),
    good: { ...problem, kernel: 'softmax' },
    fields: {
      ...badProblem,
      kernel: bad.badNames,
      optimize: bad.badFlags,
      parameters: bad.badTexts,
      ...callOptions,
    },
    required: ['model', 'length', 'snr', 'kernel'],
  },
  {
    name: 'needle.stateEvolution',
    call: (input) => lab.needle.stateEvolution(input),
    good: { ...problem, length: 2, estimator: 'erm', ratio: 2, samples: 200, streams: 1 },
    fields: {
      ...badProblem,
      estimator: bad.badNames,
      kernel: [...bad.badNames, ['a kernel without theory', 'erf']],
      ratio: [...bad.badNumbers, ...bad.infinities, ['-1', -1], ['0', 0]],
      ridgeKeys: [...bad.badNumbers, ...bad.infinities, ['-1', -1]],
      ridgeValues: [...bad.badNumbers, ...bad.infinities, ['-1', -1]],
      start: bad.badNames,
      seed: bad.badSeeds,
      samples: bad.badCounts,
      streams: [...bad.badCounts, ['0', 0]],
      ...callOptions,
    },
    required: ['model', 'length', 'snr', 'estimator', 'ratio'],
  },
  {
    name: 'regression.infinitePrompt',
    call: (input) => lab.regression.infinitePrompt(input),
    good: { covariance: identity, A: identity, b: 1 },
    fields: {
      covariance: [
        ...matrices,
        [
          'not symmetric',
          [
            [1, 2],
            [0, 1],
          ],
        ],
      ],
      A: matrices,
      b: [...bad.badNumbers, ...bad.infinities],
    },
    required: ['covariance', 'A', 'b'],
  },
  {
    name: 'regression.flow',
    call: (input) => lab.regression.flow(input),
    good: flowInput,
    fields: {
      covariance: matrices,
      A: matrices,
      b: [...bad.badNumbers, ...bad.infinities],
      times: [...bad.badVectors, ['descending', [1, 0]], ['negative', [-1]]],
      ...callOptions,
    },
    required: ['covariance', 'A', 'b', 'times'],
  },
];

const show = (value) =>
  JSON.stringify(value, (_key, entry) =>
    ArrayBuffer.isView(entry)
      ? Array.from(entry, String)
      : typeof entry === 'number'
        ? String(entry)
        : entry,
  );

for (const { name, call, good, fields, required } of calls) {
  test(`${name} refuses every bad value by the parameter's name and works afterwards`, async () => {
    const before = show(await call(good));
    for (const [field, values] of Object.entries(fields)) {
      for (const [what, value] of values) {
        // Heads and measures are named by their part; everything else by its own name.
        const error = await refuses(
          () => call({ ...good, [field]: value }),
          undefined,
          undefined,
          `${field}: ${what}`,
        );
        assert.ok(
          error.parameter === field ||
            error.parameter.startsWith(field) ||
            parts[field]?.includes(error.parameter),
          `${field}: ${what}: names ${error.parameter}: ${error.message}`,
        );
        assert.notEqual(error.code, 'internal', `${field}: ${what}: ${error.message}`);
      }
    }
    for (const field of required) {
      const { [field]: _left, ...rest } = good;
      await refuses(() => call(rest), 'missing', field, `${field} left out`);
    }
    await refuses(() => call({ ...good, unknownField: 1 }), 'unknown-name', 'unknownField');
    await refuses(
      () => call({ ...good, ...JSON.parse('{"__proto__": 1, "x": 2}') }),
      'unknown-name',
    );
    await refuses(() => call({ ...good, [Symbol('x')]: 1 }), 'unknown-name');
    for (const whole of [undefined, null, 5, 'text', [], Symbol('x')])
      await refuses(() => call(whole));
    const trap = { ...good };
    Object.defineProperty(trap, required[0], {
      enumerable: true,
      get: () => {
        throw new Error('no');
      },
    });
    await refuses(() => call(trap), 'type', required[0], 'a getter that throws');
    const proxy = new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error('no');
        },
      },
    );
    await refuses(() => call(proxy), ['type', 'missing'], undefined, 'a proxy that throws');
    assert.equal(show(await call(good)), before, 'the same input gives the same answer afterwards');
  });
}

// Where a nested field is at fault, it is named.
const parts = {
  measure: ['kind', 'mean', 'covariance'],
  prompts: ['queries', 'keys', 'values'],
  parameters: ['scale', 'optimize'],
  // Sizes that do not fit each other: either may be named.
  queries: ['keys', 'A'],
  keys: ['queries', 'values'],
  values: ['keys', 'outputGradient'],
  A: ['queries', 'covariance', 'V'],
  V: ['A', 'covariance', 'a'],
  covariance: ['A', 'mean', 'b'],
  covariances: ['covariance', 'weights', 'means'],
  means: ['mean', 'covariances', 'weights', 'covariance'],
  mean: ['covariance', 'a'],
  weights: ['components', 'covariances'],
  targets: ['prompts'],
  dimension: ['a'],
  tokens: ['a'],
};
