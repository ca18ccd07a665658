/** One command line: runs its command, and prints what went wrong. The API and the domain do the work. */
import { stripVTControlCharacters } from 'node:util';
import { CommanderError } from 'commander';
import { CliError, exitCodes } from './exit-codes.ts';
import { habitHint } from './habits.ts';
import { note, paint, print, printJson } from './print/output.ts';
import { kubeloomProgram } from './program.ts';

/** Runs what `words` say. The exit code is `process.exitCode`; never throws. */
export async function runCommandLine(words: readonly string[]): Promise<void> {
  try {
    // Asked by a shell, not by a person: what is typed need not be a command line yet.
    if (words[0] === '__complete') {
      const { complete } = await import('./complete.ts');
      for (const word of await complete(words.slice(1))) print(word);
      return;
    }
    await (await kubeloomProgram(words)).parseAsync(words, { from: 'user' });
  } catch (error) {
    process.exitCode = report(error, words);
  }
}

/** Prints what went wrong, in the words of the part that failed; with `--json` also for the program that reads the output. */
function report(error: unknown, words: readonly string[]): number {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return exitCodes.ok;
    const hint = habitHint(words);
    if (hint !== undefined) note(hint);
    return exitCodes.usage;
  }
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof CliError ? error.exitCode : exitCodes.fault;
  note(`${paint('red', 'kubeloom:')} ${message}`);
  if (words.includes('--json')) {
    printJson({
      // An answer of the API; its class imports more than the start of every command should load.
      error:
        error instanceof CliError && 'problem' in error ? error.problem : { detail: stripVTControlCharacters(message) },
      exitCode: code,
    });
  }
  if (!(error instanceof CliError)) reportFault(error);
  return code;
}

/** An unexpected error: the place in the code helps those who fix it. */
function reportFault(error: unknown): void {
  if (process.env.KUBELOOM_DEBUG) note(error instanceof Error ? (error.stack ?? '') : String(error));
  else note('this is a fault of Kubeloom; KUBELOOM_DEBUG=1 shows where it was');
}
