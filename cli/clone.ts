/** What only a clone of Kubeloom can do: the npm package of the command line has no platform, no tools, no modules. */
import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { CliError, exitCodes } from './exit-codes.ts';
import { ownFile } from './own-files.ts';

/** By their words; a function checks the options. */
const needClone: Readonly<Record<string, (options: Readonly<Record<string, unknown>>) => boolean>> = {
  local: () => true,
  simulate: () => true,
  init: ({ example }) => example !== undefined,
  'provider test': () => true,
  'provider init': () => true,
  'provider check': ({ file }) => file !== undefined,
  doctor: ({ aws }) => aws !== true,
};

export const isClone = (): boolean => existsSync(ownFile('local/supervisor.ts'));

/** Throws `CliError` for a command that the package cannot run. */
export function refuseOutsideClone(command: Command): void {
  if (isClone()) return;
  const words = wordsOf(command);
  const [, needs] = Object.entries(needClone).find(([prefix]) => `${words} `.startsWith(`${prefix} `)) ?? [];
  if (needs?.(command.opts())) throw needsClone(words);
}

export const needsClone = (words: string): CliError =>
  new CliError(
    `\`kubeloom ${words}\` needs a clone of Kubeloom: this is the package of the command line alone; run \`npx kubeloom ${words}\` in a clone`,
    exitCodes.usage,
  );

/** `provider test` for the command of that name. */
function wordsOf(command: Command): string {
  const { parent } = command;
  return parent?.parent ? `${wordsOf(parent)} ${command.name()}` : command.name();
}
