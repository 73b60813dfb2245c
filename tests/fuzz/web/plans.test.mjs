// Parameters and plans of sweeps: refused by the path of what is wrong, or whole.
import assert from 'node:assert/strict';
import { after } from 'node:test';
import fc from 'fast-check';
import { load, sweep } from '../../../dist/lib/index.js';
import { fuzz } from './budget.mjs';
import { anyJson, mutatedJson } from './mutations.mjs';
import { outcome } from './outcome.mjs';

const lab = await load({ workers: 0 });
after(() => lab.dispose());

// A value that a parameter may have, or nearly.
function valueFor({ type, minimum, maximum, choices, default: usual }) {
  const number = fc.oneof(
    fc.double({ min: minimum, max: maximum, noNaN: true }),
    fc.constantFrom(minimum, maximum, 'NaN', '-Infinity', minimum - 1),
  );
  const whole = () =>
    fc.oneof(
      fc.integer({ min: minimum, max: Math.min(maximum, minimum + 50) }),
      fc.constantFrom(maximum, maximum + 1, minimum + 0.5, 1e300),
    );
  const kinds = {
    number: () => number,
    integer: whole,
    boolean: () => fc.boolean(),
    choice: () => fc.constantFrom(...choices.map(({ name }) => name), 'none'),
    numbers: () => fc.array(fc.oneof(number, fc.constant(minimum)), { maxLength: 4 }),
    text: () => fc.string({ maxLength: 30, unit: 'binary' }),
    matrix: () => fc.constantFrom([[1, 2]], [[1], [2, 3]], { data: [1], shape: [1, 1] }, []),
  };
  return fc.oneof(
    { arbitrary: kinds[type](), weight: 8 },
    { arbitrary: fc.constant(usual), weight: 1 },
    { arbitrary: anyJson, weight: 1 },
  );
}

const settings = (descriptor) =>
  fc
    .subarray(descriptor.parameters, { maxLength: 4 })
    .chain((chosen) =>
      fc.record(Object.fromEntries(chosen.map((each) => [each.name, valueFor(each)]))),
    );

const experiments = fc.constantFrom(...lab.experiments);

function checkPlan(plan) {
  assert.ok(plan.runs >= 1 && Number.isSafeInteger(plan.runs));
  for (const run of [0, plan.runs - 1]) {
    const { point, seedIndex } = plan.run(run);
    assert.equal(plan.runAt(point, seedIndex), run);
    const { parameters } = plan.descriptor;
    assert.deepEqual(Object.keys(plan.parameters(point)).length, parameters.length);
    assert.ok(plan.identity(run).length > 0);
  }
  // The plan, spelled out, is the same plan.
  assert.equal(sweep.readPlan(lab, JSON.parse(plan.text)).text, plan.text);
}

fuzz(
  'parameters are refused by name, or keep their limits',
  250,
  fc.property(
    experiments.chain((one) => fc.tuple(fc.constant(one), settings(one))),
    ([descriptor, parameters]) => {
      const plan = outcome(() => sweep.readPlan(lab, { experiment: descriptor.id, parameters }));
      if (!plan) return;
      checkPlan(plan);
      const values = plan.parameters(0);
      for (const { name, type, minimum, maximum } of descriptor.parameters) {
        if (type !== 'number' && type !== 'integer') continue;
        assert.ok(values[name] >= minimum && values[name] <= maximum, `${name} ${values[name]}`);
      }
    },
  ),
);

const plans = [
  {
    experiment: 'large-prompt.output',
    parameters: { largestCount: 64, replicates: 4, dimensions: [2] },
    vary: {
      source: { grid: ['gaussian', 'cube'] },
      persistence: { from: 0.25, to: 0.5, count: 3, scale: 'log' },
    },
    seeds: { first: 1, count: 3 },
    stop: { column: 'summary.rms', standardError: 0.01, runs: 5, seconds: 60 },
  },
  {
    experiment: 'needle.population-risk',
    points: [{ length: 4 }, { length: 8 }],
    seeds: [1, '18446744073709551615'],
  },
  {
    experiment: 'large-prompt.output',
    sample: { kind: 'halton', count: 5, ranges: { persistence: { from: 0, to: 0.5 } } },
  },
];

fuzz(
  'a plan that is nearly right is refused by a path, or is whole',
  600,
  fc.property(mutatedJson(fc.constantFrom(...plans)), (plan) => {
    const read = outcome(() => sweep.readPlan(lab, plan));
    if (read) checkPlan(read);
  }),
);

fuzz(
  'seeds are whole numbers to 2^64 - 1, whatever is given for one',
  500,
  fc.property(
    fc.oneof(fc.double(), fc.maxSafeInteger(), fc.string(), fc.bigInt().map(String), anyJson),
    (seed) => {
      const read = outcome(() =>
        sweep.readPlan(lab, { experiment: 'needle.population-risk', seeds: [seed] }),
      );
      if (!read) return;
      const used = BigInt(read.run(0).seed);
      assert.ok(used >= 0n && used < 2n ** 64n, String(used));
      assert.equal(used, BigInt(seed));
    },
  ),
);
