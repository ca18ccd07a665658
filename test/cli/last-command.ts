/** What the last command of a test answered: the reason of most failures of such a test is in its standard error. */
interface Answered {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

let last: { readonly text: string; readonly outcome: Answered } | undefined;

export function remember<Outcome extends Answered>(args: readonly string[], outcome: Outcome): Outcome {
  last = { text: args.join(' '), outcome };
  return outcome;
}

/** Prints it for a test that failed, and forgets it: the line begins as those that CI repeats at its end. */
export function reportLastCommand(test: string, failed: boolean): void {
  if (failed && last !== undefined) {
    const { code, stdout, stderr } = last.outcome;
    process.stderr.write(
      `\n FAIL ${test}: \`kubeloom ${last.text}\` ended with ${code} after ${stdout.length} characters\n${stderr}\n`,
    );
  }
  last = undefined;
}
