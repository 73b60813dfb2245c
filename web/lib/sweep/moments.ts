/** Mean and standard error in one pass (Welford, Technometrics 4, 1962); NaN counts as no value. */

export class Moments {
  count = 0;
  mean = 0;
  #squares = 0;

  add(value: number): void {
    if (Number.isNaN(value)) return;
    const apart = value - this.mean;
    this.mean += apart / ++this.count;
    this.#squares += apart * (value - this.mean);
  }

  /** Of the mean; NaN for fewer than two values. */
  get standardError(): number {
    return this.count < 2 ? NaN : Math.sqrt(this.#squares / (this.count - 1) / this.count);
  }
}
