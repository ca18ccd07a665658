/** Writes cli/command-list.json: each command with its usage and description, so that the help of all loads none of their modules. */
import { inUsage, kubeloomProgram } from '../cli/program.ts';
import { settle } from './generated.ts';

const list = (await kubeloomProgram()).commands.map((command) => ({
  usage: [command.name(), ...command.registeredArguments.map(inUsage)].join(' '),
  // What follows a semicolon is read with the command itself.
  description: command.description().split(';', 1)[0],
}));
settle('cli/command-list.json', `${JSON.stringify(list, null, 2)}\n`);
