/**
 * The one laboratory of a page: loaded at the first run, shared by every experiment on the page, so
 * that five embeds fetch and compile the WebAssembly once. A failed load can be tried again.
 */
import type { Lab } from '../../lib/index.ts';
import { site } from './site.ts';

let loading: Promise<Lab> | undefined;

export function sharedLab(): Promise<Lab> {
  loading ??= start();
  return loading;
}

async function start(): Promise<Lab> {
  try {
    const { load } = await import('../../lib/index.ts');
    return await load(await site().loadOptions());
  } catch (failure) {
    loading = undefined;
    throw failure;
  }
}
