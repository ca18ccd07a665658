/** Lines at the end of a terminal that are redrawn: lines that stay are written above them. */

/** The output: standard output, or a terminal of a test. */
export interface Screen {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  write(text: string): unknown;
}

export interface Drawing {
  /** Adds `kept`, and draws `live` in place of what was drawn before. `live` must be lower than the screen, and no line of it wider. */
  show(kept: readonly string[], live: readonly string[]): void;
  /** Removes the drawn lines. */
  close(): void;
}

export function openDrawing(screen: Screen): Drawing {
  let drawn = 0;
  const erased = (): string => {
    const text = drawn > 0 ? `\u001b[${drawn}A\u001b[0J` : '';
    drawn = 0;
    return text;
  };
  return {
    show(kept, live) {
      const text = erased() + [...kept, ...live].map((line) => `${line}\n`).join('');
      if (text) screen.write(text);
      drawn = live.length;
    },
    close() {
      const text = erased();
      if (text) screen.write(text);
    },
  };
}
