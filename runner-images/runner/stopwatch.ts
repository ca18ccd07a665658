/** Wall time during which at least one tool runs; tools that run side by side count once. */
export class Stopwatch {
  readonly #now: () => number;
  #running = 0;
  #since = 0;
  #total = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Starts a measurement; the function returned ends it. */
  start(): () => void {
    if (this.#running === 0) this.#since = this.#now();
    this.#running += 1;
    let ended = false;
    return () => {
      if (ended) return;
      ended = true;
      this.#running -= 1;
      if (this.#running === 0) this.#total += this.#now() - this.#since;
    };
  }

  get totalMs(): number {
    return Math.round(this.#running === 0 ? this.#total : this.#total + this.#now() - this.#since);
  }
}
