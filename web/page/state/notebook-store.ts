/** Runs that the reader has kept, in this browser's IndexedDB. Nothing leaves the machine. */
import type { DescriptorValue } from '../../lib/descriptor.ts';
import type { End } from '../run/outcome.ts';
import type { Tables } from '../run/tables.ts';

export interface SavedRun {
  readonly key: string;
  readonly name: string;
  readonly experiment: string;
  readonly savedAt: string;
  readonly link: string;
  readonly seed: string;
  readonly version: string;
  /** Entries of older pages have none. */
  readonly status?: End;
  readonly divergedAt?: number;
  readonly params: Readonly<Record<string, DescriptorValue>>;
  readonly tables: PlainTables;
}

/** Tables of plain arrays, as IndexedDB and JSON keep them. */
export type PlainTables = Readonly<
  Record<string, { readonly columns: Readonly<Record<string, readonly (number | string)[]>> }>
>;

const STORE = 'runs';
export const NOTEBOOK_FORMAT = 'attnlab-notebook-1';

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
      const transaction = database.transaction(STORE, mode);
      const request = work(transaction.objectStore(STORE));
      // What a request has done is taken back where the disk is full.
      transaction.oncomplete = (): void => resolve(request.result);
      transaction.onabort = (): void => {
        const reason = transaction.error?.message || transaction.error?.name;
        reject(new Error(`IndexedDB refused${reason ? `: ${reason}` : '.'}`));
      };
    });
  } finally {
    database.close();
  }
}

export async function savedRuns(): Promise<SavedRun[]> {
  const runs = await act<SavedRun[]>('readonly', (store) => store.getAll());
  // An entry may be damaged, or from a page that kept it in another form.
  return runs.sort((a, b) => String(b.savedAt).localeCompare(String(a.savedAt)));
}

export async function savedRun(key: string): Promise<SavedRun | undefined> {
  return act<SavedRun | undefined>('readonly', (store) => store.get(key));
}

export async function saveRun(run: SavedRun): Promise<void> {
  await act('readwrite', (store) => store.put(run));
}

/** Another tab may have deleted it: then it stays deleted. */
export async function renameRun(key: string, name: string): Promise<void> {
  await act<SavedRun | undefined>('readwrite', (store) => {
    const found = store.get(key) as IDBRequest<SavedRun | undefined>;
    found.onsuccess = (): void => {
      if (found.result) store.put({ ...found.result, name });
    };
    return found;
  });
}

export async function deleteRun(key: string): Promise<void> {
  await act('readwrite', (store) => store.delete(key));
}

export function exportRuns(runs: readonly SavedRun[]): string {
  return JSON.stringify({ format: NOTEBOOK_FORMAT, runs }, (_, value: unknown) =>
    typeof value === 'number' && !Number.isFinite(value) ? String(value) : value,
  );
}

/** crypto.randomUUID is there on secure pages only. */
export function newKey(): string {
  return crypto.randomUUID?.() ?? String(Math.random());
}

export function plainTables(tables: Tables): PlainTables {
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
