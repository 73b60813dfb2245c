// lab.needle against closed forms.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openLab, refuses } from './lab.mjs';
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

test('the long calls tell their progress and are cancelled by a signal', async () => {
  const calls = {
    populationRisk: { model: 'spiked', length: [2, 40], snr: 3, kernel: 'softplus' },
    stateEvolution: { model: 'spiked', length: 2, snr: 4, ratio: 4, estimator: 'erm' },
    'stateEvolution, bayes': { model: 'spiked', length: 2, snr: 4, ratio: 4, estimator: 'bayes' },
  };
  for (const [what, input] of Object.entries(calls)) {
    const call = lab.needle[what.split(',')[0]];
    const seen = [];
    await call({ ...input, onProgress: (progress) => seen.push(progress) });
    // How many depends on the machine; each call tells at least once before it ends.
    assert.ok(seen.length >= 2 && seen[0] < 1, `${what}: ${seen}`);
    assert.ok(
      seen.every((progress, i) => progress >= (seen[i - 1] ?? 0)),
      `${what}: ${seen}`,
    );
    assert.equal(seen.at(-1), 1, what);
    const stop = new AbortController();
    const onProgress = () => stop.abort();
    await refuses(() => call({ ...input, signal: stop.signal, onProgress }), 'cancelled', 'signal');
  }
});

test('where no token has any weight the risk is 1, whatever the output; without one it is refused', async () => {
  const risk = (kernel, parameters) =>
    lab.needle.populationRisk({
      ...{ model: 'spiked', length: 3, snr: 4, kernel },
      ...{ optimize: false, parameters },
    });
  assert.equal((await risk('erf-token', { scale: 0, output: 1 })).risk, 1);
  await refuses(() => risk('erf-token', { scale: 0 }), 'domain', 'parameters');
  await refuses(() => risk('erf', { scale: 1, bias: -60, output: 1 }), 'domain', 'parameters');
  const deep = await risk('erf', { scale: 1, bias: -26 });
  assert.ok(deep.risk > 0.9 && deep.risk <= 1, `${deep.risk}`);
});
