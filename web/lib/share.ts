/**
 * Which task goes to which worker. Tasks are handed out in their own order, in pieces that shrink
 * as the rest does, so that all workers end at about the same time. Who does what never changes a
 * result: tasks do not depend on each other.
 */

const LARGEST_PIECE = 64;

export class Share {
  readonly #costs: Float64Array;
  readonly #total: number;
  readonly #fractions: Float64Array;
  readonly #workers: number;
  #next = 0;
  #unfinished: number;

  constructor(costs: Float64Array, workers: number) {
    this.#costs = costs;
    this.#total = costs.reduce((sum, cost) => sum + cost, 0);
    this.#fractions = new Float64Array(costs.length);
    this.#workers = workers;
    this.#unfinished = costs.length;
  }

  get finished(): boolean {
    return this.#unfinished === 0;
  }

  /** In [0, 1], weighted by cost. */
  get progress(): number {
    if (this.#costs.length === 0) return 1;
    const done = this.#costs.reduce((sum, cost, i) => sum + cost * this.#fractions[i]!, 0);
    return this.#total > 0 ? Math.min(1, done / this.#total) : 0;
  }

  /** The next piece for a worker; empty when all is handed out. */
  take(): number[] {
    let rest = 0;
    for (let i = this.#next; i < this.#costs.length; ++i) rest += this.#costs[i]!;
    const aim = rest / (2 * this.#workers);
    const piece: number[] = [];
    let cost = 0;
    while (this.#next < this.#costs.length && piece.length < LARGEST_PIECE) {
      cost += this.#costs[this.#next]!;
      if (piece.length > 0 && cost > aim) break;
      piece.push(this.#next++);
    }
    return piece;
  }

  advance(task: number, fraction: number): void {
    this.#fractions[task] = Math.max(this.#fractions[task]!, Math.min(fraction, 1));
  }

  finish(task: number): void {
    this.#fractions[task] = 1;
    --this.#unfinished;
  }
}
