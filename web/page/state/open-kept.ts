/** A run of the notebook, to be shown again; undefined where there is none that can be. */
import type { Descriptor } from '../../lib/descriptor.ts';
import type { Found } from '../run/outcome.ts';
import { keptOutcome } from './kept-outcome.ts';
import { savedRun } from './notebook-store.ts';
import { isSavedRun } from './saved-run-form.ts';

export async function keptRun(key: string, descriptor: Descriptor): Promise<Found | undefined> {
  const run = await savedRun(key);
  return isSavedRun(run, descriptor) ? keptOutcome(descriptor, run) : undefined;
}
