// lab.needle against closed forms.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openLab } from './lab.mjs';
import { assertClose } from './rows.mjs';

const lab = await openLab();

test('risks of single-location regression are the closed forms', async () => {
  const length = 4;
  const snr = 3;
  const linear = await lab.needle.populationRisk({
    model: 'spiked',
    length,
    snr,
    kernel: 'linear',
  });
  const expected = (length * (length - 1)) / (length ** 2 + (length - 1) * snr);
  assertClose([[linear.risk]], [[expected]], 1e-10, 'linear');
  const softmax = await lab.needle.populationRisk({
    model: 'spiked',
    length,
    snr,
    kernel: 'softmax',
  });
  const bayes = lab.needle.bayesRisk({ model: 'spiked', length, snr });
  assertClose([[softmax.risk]], [[bayes.risk]], 1e-6, 'softmax reaches the Bayes risk');
  assertClose([[softmax.parameters.scale]], [[Math.sqrt(snr)]], 1e-2, 'at scale sqrt(nu)');
  const there = await lab.needle.populationRisk({
    model: 'spiked',
    length,
    snr,
    kernel: 'softmax',
    parameters: { scale: Math.sqrt(snr), output: 1 },
  });
  assertClose([[there.risk]], [[bayes.risk]], 1e-6, 'given parameters');
  const max = lab.needle.bayesRisk({ model: 'max', length, snr: Infinity });
  assert.equal(max.risk, 0);
});

test('state evolution is a function of its seed and says whether it converged', async () => {
  const problem = { model: 'spiked', length: 2, snr: 4, ratio: 4, samples: 2000, streams: 2 };
  const one = await lab.needle.stateEvolution({ ...problem, estimator: 'erm', seed: 5 });
  const two = await lab.needle.stateEvolution({ ...problem, estimator: 'erm', seed: '5' });
  assert.deepEqual(one, two);
  assert.equal(one.converged, one.verdict === 'converged');
  assert.ok(one.iterations > 0);
  const bayes = await lab.needle.stateEvolution({ ...problem, estimator: 'bayes', seed: 5 });
  assert.ok(bayes.risk > 0 && bayes.risk < 1);
});
