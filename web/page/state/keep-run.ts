/** Puts the run on the page into the notebook. */
import type { Session } from '../run/session.ts';
import { encodeState, formatLink } from './link.ts';
import { saveRun, type SavedRun } from './notebook-store.ts';

export async function keepRun(session: Session): Promise<void> {
  const { descriptor, tables } = session;
  if (!tables) return;
  const preset = descriptor.presets.find((each) => each.name === session.preset);
  const { query } = encodeState(descriptor, session);
  await saveRun({
    key: crypto.randomUUID?.() ?? String(Math.random()),
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

function plainTables(tables: NonNullable<Session['tables']>): SavedRun['tables'] {
  return Object.fromEntries(
    Object.entries(tables).map(([name, { columns }]) => [
      name,
      {
        columns: Object.fromEntries(
          Object.entries(columns).map(([column, values]) => [
            column,
            Array.from(values as ArrayLike<number | string>),
          ]),
        ),
      },
    ]),
  );
}
