/** Runs that the reader has kept, in this browser's IndexedDB. Nothing leaves the machine. */
import type { DescriptorValue } from '../../lib/descriptor.ts';

export interface SavedRun {
  readonly key: string;
  readonly name: string;
  readonly experiment: string;
  readonly savedAt: string;
  readonly link: string;
  readonly seed: string;
  readonly version: string;
  readonly params: Readonly<Record<string, DescriptorValue>>;
  readonly tables: Readonly<
    Record<string, { readonly columns: Readonly<Record<string, readonly (number | string)[]>> }>
  >;
}

const STORE = 'runs';
const FORMAT = 'attnlab-notebook-1';
const MOST_RUNS = 500;

function open(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open('attnlab', 1);
    request.onupgradeneeded = (): void => {
      request.result.createObjectStore(STORE, { keyPath: 'key' });
    };
    request.onsuccess = (): void => resolve(request.result);
    request.onerror = (): void => reject(request.error ?? new Error('IndexedDB cannot be opened.'));
  });
}

async function act<Result>(
  mode: IDBTransactionMode,
  work: (store: IDBObjectStore) => IDBRequest<Result>,
): Promise<Result> {
  const database = await open();
  try {
    return await new Promise((resolve, reject) => {
      const request = work(database.transaction(STORE, mode).objectStore(STORE));
      request.onsuccess = (): void => resolve(request.result);
      request.onerror = (): void => reject(request.error ?? new Error('IndexedDB refused.'));
    });
  } finally {
    database.close();
  }
}

export async function savedRuns(): Promise<SavedRun[]> {
  const runs = await act<SavedRun[]>('readonly', (store) => store.getAll());
  return runs.sort((a, b) => b.savedAt.localeCompare(a.savedAt));
}

export async function saveRun(run: SavedRun): Promise<void> {
  await act('readwrite', (store) => store.put(run));
}

export async function deleteRun(key: string): Promise<void> {
  await act('readwrite', (store) => store.delete(key));
}

export function exportRuns(runs: readonly SavedRun[]): string {
  return JSON.stringify({ format: FORMAT, runs }, (_, value: unknown) =>
    typeof value === 'number' && !Number.isFinite(value) ? String(value) : value,
  );
}

/** A file from elsewhere: only what has the right form is taken; the number taken is returned. */
export async function importRuns(text: string): Promise<number> {
  const file = JSON.parse(text) as { format?: unknown; runs?: unknown };
  if (file.format !== FORMAT || !Array.isArray(file.runs)) {
    throw new Error('This file is not an exported notebook.');
  }
  const runs = (file.runs as unknown[]).slice(0, MOST_RUNS).filter(isSavedRun);
  for (const run of runs) await saveRun(run);
  return runs.length;
}

function isSavedRun(value: unknown): value is SavedRun {
  if (typeof value !== 'object' || value === null) return false;
  const run = value as Record<string, unknown>;
  const texts = ['key', 'name', 'experiment', 'savedAt', 'link', 'seed', 'version'];
  return (
    texts.every((name) => typeof run[name] === 'string') &&
    String(run['link']).startsWith('#/') &&
    typeof run['params'] === 'object' &&
    typeof run['tables'] === 'object'
  );
}
