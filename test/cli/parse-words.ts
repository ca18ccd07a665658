/** What the real command line says to words, without carrying anything out. */
import type { Command } from 'commander';
import { useContext } from '#cli/connection/connection.ts';
import { kubeloomProgram } from '#cli/program.ts';

/** Parses words as `kubeloom` does; throws what it would print. The program is a new one, since one remembers its options. */
export async function parseWords(words: readonly string[]): Promise<void> {
  const program = await kubeloomProgram();
  doNothing(program);
  try {
    await program.parseAsync(words, { from: 'user' });
  } finally {
    // The option `--context` is kept for the life of a process, which other test files share.
    useContext(undefined);
  }
}

function doNothing(command: Command): void {
  command.exitOverride().configureOutput({ writeOut: () => {}, writeErr: () => {} });
  if (command.commands.length === 0) command.action(() => {});
  for (const child of command.commands) doNothing(child);
}
