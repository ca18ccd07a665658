/** What a tool prints, while it prints it: lines as they come, and the text that is kept, both bounded however much or long it is. */
import { TailText } from './tail-text.ts';

/** Characters of one line that are handed on; the rest of it is dropped. */
const longestLine = 1_000_000;

/** Kept for the caller: the beginning of `stdout`, which is read as a whole; the end of `stderr`, where programs say what went wrong. */
const keptOfStdout = 20_000_000;
const keptOfStderr = 1_000_000;

export interface KeptOutput {
  readonly stdout: string;
  readonly stderr: string;
  /** There was more of `stdout` than is kept. */
  readonly cut?: true;
}

/** Reads both streams of a process. `heard`: bytes came, with or without the end of a line. `take`: a line came. */
export class ToolOutput {
  readonly #lines: readonly LineReader[];
  #stdout: string[] = [];
  #length = 0;
  readonly #stderr = new TailText(keptOfStderr);

  constructor(
    streams: Readonly<Record<'stdout' | 'stderr', NodeJS.ReadableStream>>,
    on: { readonly heard: () => void; readonly take: (line: string, stream: 'stdout' | 'stderr') => void },
  ) {
    this.#lines = (['stdout', 'stderr'] as const).map((name) => {
      const reader = new LineReader((line) => on.take(line, name));
      streams[name].setEncoding('utf8');
      streams[name].on('data', (chunk: string) => {
        on.heard();
        if (name === 'stderr') this.#stderr.add(chunk);
        else this.#keep(chunk);
        reader.add(chunk);
      });
      return reader;
    });
  }

  /** Hands over last lines without an end; returns what is kept. */
  end(): KeptOutput {
    for (const reader of this.#lines) reader.end();
    const cut = this.#length > keptOfStdout;
    return {
      stdout: trimmedLines(this.#stdout.join('')),
      stderr: trimmedLines(this.#stderr.toString()),
      ...(cut && { cut }),
    };
  }

  #keep(chunk: string): void {
    const room = keptOfStdout - this.#length;
    this.#length += chunk.length;
    if (room > 0) this.#stdout.push(chunk.length > room ? chunk.slice(0, room) : chunk);
  }
}

/** Every line without the blanks at its end, the last one ended, too. */
function trimmedLines(text: string): string {
  const lines = text.split('\n').map((line) => line.trimEnd());
  if (lines.at(-1) !== '') lines.push('');
  return lines.join('\n');
}

/** Cuts a stream into lines. */
class LineReader {
  readonly #take: (line: string) => void;
  #parts: string[] = [];
  #length = 0;

  constructor(take: (line: string) => void) {
    this.#take = take;
  }

  add(chunk: string): void {
    let from = 0;
    for (let at = chunk.indexOf('\n'); at >= 0; at = chunk.indexOf('\n', from)) {
      this.#keep(chunk.slice(from, at));
      this.#hand();
      from = at + 1;
    }
    if (from < chunk.length) this.#keep(chunk.slice(from));
  }

  end(): void {
    if (this.#length > 0) this.#hand();
  }

  #keep(part: string): void {
    const room = longestLine - this.#length;
    if (room <= 0) return;
    this.#parts.push(part.length > room ? part.slice(0, room) : part);
    this.#length += part.length;
  }

  #hand(): void {
    const line = this.#parts.join('');
    this.#parts = [];
    this.#length = 0;
    this.#take(line.trimEnd());
  }
}
