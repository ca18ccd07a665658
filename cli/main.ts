/** The command line: runs a command, and prints what went wrong. The work is done behind the API or in the domain. */
import { delimiter, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { CommanderError } from 'commander';
import { CliError, exitCodes } from './exit-codes.ts';
import { habitHint } from './habits.ts';
import { kubeloomHome } from './home.ts';
import { listenToInterrupts } from './interrupt.ts';
import { note, paint, print, printJson } from './output.ts';
import { kubeloomProgram } from './program.ts';

// scripts/setup.sh installs programs there that the machine lacks or has in too old a version.
process.env.PATH = `${join(kubeloomHome(), 'bin')}${delimiter}${process.env.PATH ?? ''}`;
listenToInterrupts();
process.stdout.on('error', (error: NodeJS.ErrnoException) =>
  process.exit(error.code === 'EPIPE' ? 0 : exitCodes.fault),
);

try {
  const words = process.argv.slice(2);
  // Asked by a shell, not by a person: what is typed need not be a command line yet.
  if (words[0] === '__complete') {
    const { complete } = await import('./complete.ts');
    for (const word of await complete(words.slice(1))) print(word);
    process.exit();
  }
  await (await kubeloomProgram(words)).parseAsync();
} catch (error) {
  process.exitCode = report(error);
}

/** Prints what went wrong, in the words of the part that failed; with `--json` also for the program that reads the output. */
function report(error: unknown): number {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return exitCodes.ok;
    const hint = habitHint(process.argv.slice(2));
    if (hint !== undefined) note(hint);
    return exitCodes.usage;
  }
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof CliError ? error.exitCode : exitCodes.fault;
  note(`${paint('red', 'kubeloom:')} ${message}`);
  if (process.argv.includes('--json')) {
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
