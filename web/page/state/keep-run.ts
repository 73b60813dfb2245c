/** Puts the run on the page into the notebook. */
import type { Session } from '../run/session.ts';
import { encodeState, formatLink } from './link.ts';
import { newKey, plainTables, saveRun } from './notebook-store.ts';

export async function keepRun(session: Session): Promise<void> {
  const { descriptor, tables } = session;
  if (!tables) return;
  const preset = descriptor.presets.find((each) => each.name === session.preset);
  const { query } = encodeState(descriptor, session);
  await saveRun({
    key: newKey(),
    name: `${descriptor.title} ${preset?.label ?? ''}`.trim(),
    experiment: descriptor.id,
    savedAt: new Date().toISOString(),
    link: formatLink(descriptor.id, query),
    seed: session.seed,
    version: session.version,
    params: session.values,
    tables: plainTables(tables),
  });
}
