/** The log of one stage: every line masked, escaped, cut and stamped; uploaded while it grows and once more at the end. */
import { printableText } from '#domain/observed/printable-text.ts';
import type { Artifacts, Clock } from '#functions/ports.ts';
import type { SecretMask } from './secret-mask.ts';
import { TailText } from './tail-text.ts';

/** Uploads are at least this far apart. */
const uploadEveryMs = 2000;
/** What a log keeps: its beginning, and its end of so many bytes, up to twice. */
const headBytes = 200_000;
const tailBytes = 900_000;
/** Characters that are kept of one line. */
const longestLine = 16_000;
/** The end of a longer line is never shown: it may be cut inside of a secret, which no mask knows then. */
const neverShown = 8000;

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
  #headBytes = 0;
  #lines = 0;
  #headLines = 0;
  readonly #tail = new TailText(tailBytes);
  #dirty = false;
  #timer: NodeJS.Timeout | undefined;
  #upload: Promise<void> = Promise.resolve();

  constructor(options: StageLogOptions) {
    this.#options = options;
  }

  /** Adds one line (or several, split here) of `source`. */
  write(source: string, text: string): void {
    const time = this.#options.clock.now().toISOString().slice(11, 23);
    const isLong = text.length > longestLine;
    for (const line of this.#options.mask.hide(text).split('\n')) {
      const entry = `${time} ${source}: ${isLong ? shownOf(line) : printableText(line, longestLine)}`;
      this.#options.echo?.(entry);
      this.#append(`${entry}\n`);
    }
    this.#dirty = true;
    this.#timer ??= setTimeout(() => this.#uploadLater(), uploadEveryMs).unref();
  }

  /** The last lines, for an error that has nothing better to show. */
  lastLines(count: number): string {
    const lines = this.#text().trimEnd().split('\n');
    return lines.slice(-count).join('\n');
  }

  /** Uploads the rest. Never throws: a log that cannot be stored must not hide the result. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#upload;
    if (this.#dirty) await this.#store();
  }

  #append(entry: string): void {
    this.#lines += 1;
    if (this.#headBytes >= headBytes) {
      this.#tail.add(entry);
      return;
    }
    this.#head += entry;
    this.#headBytes += Buffer.byteLength(entry);
    this.#headLines += 1;
  }

  #text(): string {
    const tail = this.#tail.toString();
    const dropped = this.#lines - this.#headLines - linesIn(tail);
    return `${this.#head}${dropped === 0 ? '' : `… ${dropped} lines left out …\n`}${tail}`;
  }

  #uploadLater(): void {
    this.#timer = undefined;
    this.#upload = this.#upload.then(() => this.#store());
  }

  async #store(): Promise<void> {
    this.#dirty = false;
    const { artifacts, key } = this.#options;
    await artifacts.putText(key, this.#text(), 'text/plain; charset=utf-8').catch(() => undefined);
  }
}

/** What is shown of a masked line that is long, or was before it was masked. */
function shownOf(line: string): string {
  const shown = Math.max(0, Math.min(longestLine, line.length - neverShown));
  return `${printableText(line.slice(0, shown), longestLine)}… (the rest of a long line is left out)`;
}

function linesIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
