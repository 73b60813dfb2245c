/**
 * The one laboratory of a page: loaded at the first run, shared by every experiment on the page, so
 * that five embeds fetch and compile the WebAssembly once. A failed load can be tried again. A while
 * after the last experiment has let go of it, it is ended with its workers.
 */
import type { Lab } from '../../lib/index.ts';
import { site } from './site.ts';

const IDLE_MILLISECONDS = 5000;

let loading: Promise<Lab> | undefined;
let holders = 0;
let timer: ReturnType<typeof setTimeout> | undefined;

export interface LabHold {
  lab(): Promise<Lab>;
  release(): void;
}

export function holdLab(): LabHold {
  let held = true;
  holders += 1;
  clearTimeout(timer);
  return {
    lab: () => (loading ??= start()),
    release(): void {
      if (!held) return;
      held = false;
      holders -= 1;
      if (holders === 0) timer = setTimeout(end, IDLE_MILLISECONDS);
    },
  };
}

function end(): void {
  const ended = loading;
  loading = undefined;
  void ended?.then(
    (lab) => lab.dispose(),
    () => undefined,
  );
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
