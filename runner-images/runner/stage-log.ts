/** The log of one stage: every line masked and stamped, uploaded while it grows and once more at the end. */
import type { Artifacts, Clock } from '#functions/ports.ts';
import type { SecretMask } from './secret-mask.ts';

/** Uploads are at least this far apart. */
const uploadEveryMs = 2000;
/** What a log keeps: its beginning, and its end up to this many characters. */
const headCharacters = 200_000;
const tailCharacters = 1_800_000;

export interface StageLogOptions {
  readonly artifacts: Pick<Artifacts, 'putText'>;
  readonly key: string;
  readonly mask: SecretMask;
  readonly clock: Clock;
  /** Echo for `docker logs` and CodeBuild's own log. @default no echo */
  readonly echo?: (line: string) => void;
}

export class StageLog {
  readonly #options: StageLogOptions;
  #head = '';
  #tail: string[] = [];
  #tailLength = 0;
  #dropped = 0;
  #dirty = false;
  #timer: NodeJS.Timeout | undefined;
  #upload: Promise<void> = Promise.resolve();

  constructor(options: StageLogOptions) {
    this.#options = options;
  }

  /** Adds one line (or several, split here) of `source`. */
  write(source: string, text: string): void {
    const time = this.#options.clock.now().toISOString().slice(11, 23);
    for (const line of this.#options.mask.hide(text).split('\n')) {
      const entry = `${time} ${source}: ${line}`;
      this.#options.echo?.(entry);
      this.#append(`${entry}\n`);
    }
    this.#dirty = true;
    this.#timer ??= setTimeout(() => this.#uploadLater(), uploadEveryMs).unref();
  }

  /** The last lines, for an error that has nothing better to show. */
  lastLines(count: number): string {
    const lines = (this.#head + this.#tail.join('')).trimEnd().split('\n');
    return lines.slice(-count).join('\n');
  }

  /** Uploads the rest. Never throws: a log that cannot be stored must not hide the result. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#upload;
    if (this.#dirty) await this.#store();
  }

  #append(entry: string): void {
    if (this.#head.length < headCharacters) {
      this.#head += entry;
      return;
    }
    this.#tail.push(entry);
    this.#tailLength += entry.length;
    while (this.#tailLength > tailCharacters) {
      this.#tailLength -= this.#tail.shift()?.length ?? 0;
      this.#dropped += 1;
    }
  }

  #uploadLater(): void {
    this.#timer = undefined;
    this.#upload = this.#upload.then(() => this.#store());
  }

  async #store(): Promise<void> {
    this.#dirty = false;
    const gap = this.#dropped === 0 ? '' : `… ${this.#dropped} lines left out …\n`;
    const text = this.#head + gap + this.#tail.join('');
    await this.#options.artifacts.putText(this.#options.key, text, 'text/plain; charset=utf-8').catch(() => undefined);
  }
}
