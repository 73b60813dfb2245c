// Second moments of MHLA features, sum_i H_i H_i^T, formed on the fly.
import { loadKernels, workContender } from '../kernels.mjs';
import { nativeContenders } from '../peers/native.mjs';

// What FeatureMoments does: the products of d (d + 1) / 2 distinct entries of g g^T with those of
// z z^T (src/mhla/feature_moments.h).
function multiplyAdds(samples, d) {
  const pairs = (d * (d + 1)) / 2;
  return samples * ((pairs * (pairs + 1)) / 2) * pairs;
}

async function contest({ variant, limit, openProgram, peers }, samples, d) {
  const kernels = await loadKernels(variant);
  const contenders = [
    workContender('AttnLab', kernels, 'gram', samples, d),
    workContender("Eigen's rankUpdate", kernels, 'gram-eigen', samples, d),
  ];
  if (limit) {
    const count = multiplyAdds(samples, d);
    contenders.push({
      name: 'limit',
      prepare: () => ({ time: () => limit.multiplyAdds('f64', count) }),
    });
  }
  if (peers && openProgram)
    contenders.push(...nativeContenders(openProgram, `gram ${samples} ${d}`));
  return {
    name: `f64, N = ${samples}, d = ${d}`,
    contenders,
    tolerance: { absolute: 1e-7, relative: 1e-10 },
    targets: { "Eigen's rankUpdate": { atLeast: 1.7 }, limit: { atLeast: 0.85 } },
  };
}

export async function* contests(context) {
  for (const d of [4, 8]) yield contest(context, context.quick ? 2048 : 16384, d);
}
