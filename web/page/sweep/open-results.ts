/** Results files of one sweep, from their first lines: whether they are any, and of which plan. */
import { sweep, type Lab } from '../../lib/index.ts';
import type { SweepPlan } from '../../lib/sweep/plan.ts';
import { readHead, type ResultsHead } from '../../lib/sweep/results.ts';
import { sha256 } from '../../lib/sweep/sha256.ts';
import { FileFault, quoted } from './fault.ts';
import { linesOf } from './file-lines.ts';
import { FileSource } from './file-source.ts';
import { Slices } from './slices.ts';

/** Throws a FileFault that says which file is wrong and how. */
export async function openResults(files: readonly File[], lab: Lab): Promise<FileSource> {
  const heads: ResultsHead[] = [];
  for (const file of files) heads.push(await headOfFile(file));
  const [first] = heads as [ResultsHead];
  const [{ name }] = files as [File];
  heads.forEach(({ version, planHash }, i) => {
    if (version !== lab.version) {
      const fills = { name: files[i]!.name, found: quoted(version, 20), own: lab.version };
      throw new FileFault('version', fills);
    }
    if (planHash !== first.planHash) {
      throw new FileFault('apart', { name: files[i]!.name, first: name });
    }
  });
  const plan = planOfHead(first, name, lab);
  if (sha256(plan.text) !== first.planHash) throw new FileFault('hash', { name });
  return new FileSource(plan, files);
}

async function headOfFile(file: File): Promise<ResultsHead> {
  const { name } = file;
  for await (const { text, ended } of linesOf(file, new Slices())) {
    const head = ended ? readHead(text, sha256) : undefined;
    if (head) return head;
    if (text.startsWith('{"format":"attnlab-sweep"')) throw new FileFault('head', { name });
    throw new FileFault(/\.(csv|tsv)$/i.test(name) ? 'table' : 'other', { name });
  }
  throw new FileFault('empty', { name });
}

function planOfHead({ plan }: ResultsHead, name: string, lab: Lab): SweepPlan {
  const experiment = (plan as { experiment?: unknown } | null)?.experiment;
  const known = lab.experiments.some(({ id }) => id === experiment);
  if (typeof experiment === 'string' && !known) {
    throw new FileFault('experiment', { name, experiment: quoted(experiment) });
  }
  try {
    return sweep.readPlan(lab, plan);
  } catch (cause) {
    const message = quoted((cause as Error).message, 300);
    throw new FileFault('plan', { name, message });
  }
}
