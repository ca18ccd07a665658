/** Machines whose clocks are wrong, as seen at first contact: certificates, tokens and package lists of others would look expired or not valid yet. */
import { type ClockReading, clockOff, clockOffText } from '#domain/clock-skew.ts';
import { counted } from '#domain/words.ts';
import { StageFailure } from '../stage-failure.ts';

export class WrongClocks {
  readonly #off = new Map<string, number>();
  readonly #now: () => number;
  #began: number;
  #right = 0;

  /** `now`: ms since 1970 of the runner's own clock, with which certificates and keys are made. */
  constructor(now: () => number = Date.now) {
    this.#now = now;
    this.#began = now();
  }

  /** A playbook starts: no machine answers it before. */
  begin(): void {
    this.#began = this.#now();
  }

  heard(host: string, reading: ClockReading): void {
    const off = clockOff(reading, { began: this.#began, heard: this.#now() });
    if (off === undefined) this.#right += 1;
    else this.#off.set(host, off);
  }

  /** Throws `ClockWrong` with the machine whose clock is off by most. */
  refuse(): void {
    const [worst, ...others] = [...this.#off].toSorted(([, one], [, other]) => Math.abs(other) - Math.abs(one));
    if (worst === undefined) return;
    const [host, off] = worst;
    const more = others.length > 0 ? ` (and ${counted(others.length, 'more node')})` : '';
    // One machine proves nothing about ours.
    const ours =
      others.length > 0 && this.#right === 0
        ? ' All machines differ: see whether the clock of the runner is right.'
        : '';
    throw new StageFailure({
      class: 'user',
      code: 'ClockWrong',
      message: `The clock of ${host} is ${clockOffText(off)}${more}: certificates, tokens and package lists would look expired or not valid yet there.`,
      resource: host,
      hint: `Set the clock of ${host} (\`timedatectl set-ntp true\`, or that of the machine it runs on), then retry.${ours}`,
    });
  }
}
