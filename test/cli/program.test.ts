/** The command line as a program: which parts of it are loaded when. */
import { describe, expect, it } from 'vitest';
import { commandWords, kubeloomProgram } from '#cli/program.ts';

const namesOf = async (words: readonly string[]): Promise<string[]> =>
  (await kubeloomProgram(words)).commands.map((command) => command.name());

describe('kubeloomProgram', () => {
  it('finds each command by the words that it is registered with', async () => {
    expect(await namesOf([])).toEqual(commandWords);
  });

  it('loads the command that is called, and nothing else', async () => {
    expect(await namesOf(['version', '--json'])).toEqual(['version', 'schema']);
  });

  it('loads all commands for help and for words that are none', async () => {
    expect(await namesOf(['help', 'get'])).toEqual(commandWords);
    expect(await namesOf(['aply'])).toEqual(commandWords);
    expect(await namesOf(['--help'])).toEqual(commandWords);
  });
});
