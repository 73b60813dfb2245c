/** Long work on the page's own thread, cut into pieces between which the page answers. */
import { breathe } from '../../lib/platform.ts';

const SLICE_MILLISECONDS = 10;

/** Said by whoever gives up a piece of work that is no longer wanted. */
export class Abandoned extends Error {}

export class Slices {
  private end = performance.now() + SLICE_MILLISECONDS;

  /** `wanted` is asked after each pause; work that nobody waits for any more ends with Abandoned. */
  constructor(private readonly wanted: () => boolean = () => true) {}

  get over(): boolean {
    return performance.now() >= this.end;
  }

  async pause(): Promise<void> {
    await breathe();
    if (!this.wanted()) throw new Abandoned();
    this.end = performance.now() + SLICE_MILLISECONDS;
  }
}
