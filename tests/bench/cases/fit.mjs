// MHLA learned by least squares, end to end: from prompts to coefficients (arXiv 2410.10101,
// Algorithm 1). The peers solve the normal equations by Cholesky, their fastest way; so does
// AttnLab, which also refines the answer and finds the heads.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { normals } from '../inputs.mjs';
import { matrixLibraryFit } from '../peers/ml_matrix.mjs';
import { numericFit } from '../peers/numeric.mjs';
import { numpyContender } from '../peers/numpy.mjs';
import { stdlibFit } from '../peers/stdlib_fit.mjs';

const length = 16;

// Targets of a random head with noise, one output a coordinate.
function makeProblem(lab, samples, d) {
  const prompts = {
    data: Float64Array.from(normals(samples * length * d, 1)),
    shape: [samples, length, d],
  };
  const { features } = lab.mhla.features({ prompts });
  const dimension = features.shape[1];
  const truth = normals(dimension * d, 2);
  const targets = Float64Array.from(normals(samples * d, 3));
  for (let i = 0; i < samples; ++i)
    for (let a = 0; a < d; ++a)
      for (let f = 0; f < dimension; ++f)
        targets[i * d + a] += 0.1 * truth[f * d + a] * features.data[i * dimension + f];
  return { prompts, targets: { data: targets, shape: [samples, d] } };
}

// Prompts and targets in a file, for a program in another language.
function writeProblem({ prompts, targets }) {
  const folder = mkdtempSync(join(tmpdir(), 'attnlab-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'fit.f64');
  const all = new Float64Array(prompts.data.length + targets.data.length);
  all.set(prompts.data);
  all.set(targets.data, prompts.data.length);
  writeFileSync(file, new Uint8Array(all.buffer));
  return file;
}

async function contest({ lab, peers, openProgram }, samples, d) {
  const problem = makeProblem(lab, samples, d);
  const fit = async () => (await lab.mhla.fit(problem)).coefficients;
  const first = await fit();
  const sum = first.data.reduce((total, each) => total + each, 0);
  const check = (found) => {
    if (!(Math.abs(found - sum) <= 1e-6 * Math.abs(sum) + 1e-6))
      throw new Error(`its coefficients sum to ${found} and not to ${sum}`);
  };
  const contenders = [
    { name: 'AttnLab', prepare: () => ({ run: async () => (await fit()).data }) },
  ];
  if (peers) {
    const file = writeProblem(problem);
    contenders.push(
      numpyContender(openProgram, `fit ${samples} ${d}`, { file, check }),
      { name: 'ml-matrix', prepare: () => ({ run: () => matrixLibraryFit(problem) }) },
      { name: 'numeric', prepare: () => ({ run: () => numericFit(problem) }) },
      { name: '@stdlib', prepare: () => ({ run: () => stdlibFit(problem) }) },
    );
  }
  return {
    name: `N = ${samples}, d = ${d}, n = ${length}`,
    contenders,
    tolerance: { absolute: 1e-8, relative: 1e-7 },
    // At most 1.5 × numpy's time.
    targets: { 'numpy, native': { atLeast: 0.667 }, 'ml-matrix': { atLeast: 15 } },
    effort: { rounds: 5 },
  };
}

export async function* contests(context) {
  yield contest(context, context.quick ? 2048 : 16384, 8);
}
