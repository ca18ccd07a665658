/** The state machines of a directory (`*.asl.json`), placeholders filled in, compiled once. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../logger.ts';
import { stateMachineArn } from '../names.ts';
import type { CompiledMachine, MachineDefinition } from './asl-engine.ts';
import { compile } from './interpreter-engine.ts';

export interface Machine {
  readonly name: string;
  readonly arn: string;
  readonly definition: string;
  readonly compiled: CompiledMachine;
}

const machineSuffix = '.asl.json';

/** Names of the machines in a directory. */
export async function machineNames(directory: string): Promise<readonly string[]> {
  const files = await readdir(directory);
  return files.filter((file) => file.endsWith(machineSuffix)).map((file) => file.slice(0, -machineSuffix.length));
}

/**
 * Reads and compiles all of them. Throws a sentence naming the file for a placeholder that nothing fills,
 * for text that is not JSON, and for states that would run differently here.
 */
export async function loadMachines(
  directory: string,
  substitute: (placeholder: string) => string | undefined,
): Promise<readonly Machine[]> {
  const names = await machineNames(directory);
  return Promise.all(
    names.map(async (name) => {
      const file = join(directory, `${name}${machineSuffix}`);
      const text = fillIn(await readFile(file, 'utf8'), file, substitute);
      const definition = parse(text, file);
      return { name, arn: stateMachineArn(name), definition: text, compiled: compile(name, definition) };
    }),
  );
}

function fillIn(text: string, file: string, substitute: (placeholder: string) => string | undefined): string {
  return text.replace(/\$\{([A-Za-z0-9_-]+)\}/g, (_, placeholder: string) => {
    const value = substitute(placeholder);
    if (value === undefined) throw new Error(`${file}: nothing on this platform is called \${${placeholder}}`);
    return JSON.stringify(value).slice(1, -1);
  });
}

function parse(text: string, file: string): MachineDefinition {
  try {
    return JSON.parse(text) as MachineDefinition;
  } catch (cause) {
    throw new Error(`${file} is not JSON: ${messageOf(cause)}`, { cause });
  }
}
