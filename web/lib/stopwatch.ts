/** Time spent, without the pauses. */
export class Stopwatch {
  #spent = 0;
  #startedAt: number | undefined;

  start(): void {
    this.#startedAt ??= performance.now();
  }

  stop(): void {
    if (this.#startedAt === undefined) return;
    this.#spent += performance.now() - this.#startedAt;
    this.#startedAt = undefined;
  }

  get seconds(): number {
    const running = this.#startedAt === undefined ? 0 : performance.now() - this.#startedAt;
    return (this.#spent + running) / 1000;
  }
}
