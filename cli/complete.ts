/** What may follow on a command line: commands, options, values of options, names that the API knows. For completion by a shell. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Command, Option } from 'commander';
import { cliClient } from './connection/api-client.ts';
import { useContext } from './connection/connection.ts';
import { localContext, readContexts } from './connection/contexts.ts';
import { allManifests } from './find/find-manifest.ts';
import { shortName } from './manifest-name.ts';
import { kubeloomProgram } from './program.ts';

/** A user waits for it while typing. `KUBELOOM_COMPLETION_MS` is for slow connections to an API. */
const limitMs = Number(process.env.KUBELOOM_COMPLETION_MS) || 1_500;

/** Words that fit the last of `words`, which is what was typed of it so far, perhaps nothing. Never throws. */
export async function complete(words: readonly string[]): Promise<readonly string[]> {
  const before = words.slice(0, -1);
  const typed = words.at(-1) ?? '';
  const candidates = await candidatesAfter(before, typed).catch(() => []);
  return candidates.filter((word) => word.startsWith(typed));
}

async function candidatesAfter(before: readonly string[], typed: string): Promise<readonly string[]> {
  const program = await kubeloomProgram(before);
  const { command, path, operands, open } = walk(program, before);
  if (open) return open.long === '--context' ? contextNames() : (open.argChoices ?? []);
  if (typed.startsWith('-')) return [...command.options, ...program.options].flatMap(({ long }) => long ?? []);
  if (command.commands.length > 0) return namesOfCommands(command);
  const argument = command.registeredArguments[operands] ?? command.registeredArguments.findLast((one) => one.variadic);
  if (argument === undefined) return [];
  if (path[0] === 'context') return path[1] === 'add' ? [] : contextNames();
  if (path.length > 1) return [];
  if (argument.name() === 'cluster') return fromApi(({ clusters }) => clusters.map(({ name }) => name));
  return argument.name() === 'name' ? fromApi((manifest) => [shortName(manifest)]) : [];
}

interface Place {
  readonly command: Command;
  readonly path: readonly string[];
  /** How many arguments there are already. */
  readonly operands: number;
  /** An option that waits for its value. */
  readonly open?: Option;
}

function walk(program: Command, words: readonly string[]): Place {
  let command = program;
  let open: Option | undefined;
  let operands = 0;
  const path: string[] = [];
  for (const word of words) {
    if (open) {
      if (open.long === '--context') useContext(word);
      open = undefined;
    } else if (word.startsWith('-')) {
      const option = [...command.options, ...program.options].find(
        ({ long, short }) => word === long || word === short,
      );
      open = option?.required ? option : undefined;
    } else {
      const next = command.commands.find((child) => child.name() === word);
      if (next) path.push(word);
      else operands += 1;
      command = next ?? command;
    }
  }
  return { command, path, operands, ...(open && { open }) };
}

const namesOfCommands = (command: Command): readonly string[] => command.commands.map((child) => child.name());

const contextNames = (): readonly string[] => [localContext, ...Object.keys(readContexts().contexts)];

type Manifest = Awaited<ReturnType<typeof allManifests>>[number];

async function fromApi(namesOf: (manifest: Manifest) => readonly string[]): Promise<readonly string[]> {
  const late = pause(limitMs, [] as readonly Manifest[], { ref: false });
  return (await Promise.race([allManifests(cliClient()), late])).flatMap(namesOf);
}
