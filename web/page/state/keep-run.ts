/** Puts the run on the page into the notebook. */
import type { Session } from '../run/session.ts';
import { encodeState, formatLink } from './link.ts';
import { newKey, plainTables, saveRun } from './notebook-store.ts';

export async function keepRun({ descriptor, found }: Session): Promise<void> {
  if (!found) return;
  const { values, seed, version, status, divergedAt } = found;
  const preset = descriptor.presets.find((each) => each.name === found.preset);
  const { query } = encodeState(descriptor, found);
  await saveRun({
    key: newKey(),
    name: `${descriptor.title} ${preset?.label ?? ''}`.trim(),
    experiment: descriptor.id,
    savedAt: new Date().toISOString(),
    link: formatLink(descriptor.id, query),
    seed,
    version,
    status,
    ...(divergedAt === undefined ? {} : { divergedAt }),
    params: values,
    tables: plainTables(found.tables),
  });
}
