// Results that leave the range of a double are refused, whatever part of them does.
import { test } from 'node:test';
import { openLab, refuses } from './lab.mjs';

const lab = await openLab({ workers: 0 });

test('covariances and constants of a measure', async () => {
  const wide = { kind: 'cube', dimension: 1, halfWidth: 1e308 };
  const still = { measure: wide, A: [[0]], V: [[0]], queries: [[0]], returnCovariance: true };
  await refuses(() => lab.measure.attend(still), 'out-of-range', 'queries');
  const sphere = { kind: 'sphere', dimension: 1, radius: 1e100 };
  const constants = { measure: sphere, a: [0], V: [[1e100]] };
  await refuses(() => lab.measure.constants(constants), 'out-of-range', 'a');
});

test('the risk of in-context regression and its gradient', async () => {
  const steep = { covariance: [[1e300]], A: [[0]], b: 1 };
  await refuses(() => lab.regression.infinitePrompt(steep), 'out-of-range', 'A');
  const still = { covariance: [[1]], A: [[1e308]], b: 2, times: [0] };
  await refuses(() => lab.regression.flow(still), 'out-of-range', 'A');
});

test('the risk at an output weight', async () => {
  const input = { model: 'spiked', kernel: 'softmax', length: 2, snr: 1 };
  const parameters = { scale: 1, bias: 0, output: 1e200 };
  await refuses(
    () => lab.needle.populationRisk({ ...input, parameters }),
    'out-of-range',
    'output',
  );
});
