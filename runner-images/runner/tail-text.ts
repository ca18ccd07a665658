/** The end of a text that grows: adding costs the same however long it becomes. */

/** Keeps at least the last `limit` bytes of what is added, and at most twice as many. */
export class TailText {
  readonly #limit: number;
  #before = '';
  #now = '';
  #nowBytes = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(part: string): void {
    if (this.#nowBytes >= this.#limit) {
      this.#before = this.#now;
      this.#now = '';
      this.#nowBytes = 0;
    }
    this.#now += part;
    this.#nowBytes += Buffer.byteLength(part);
  }

  toString(): string {
    return this.#before + this.#now;
  }
}
