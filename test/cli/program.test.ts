/** The command line as a program: which parts of it are loaded when. */
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { commandWords, kubeloomProgram } from '#cli/program.ts';
import { root } from './kubeloom-process.ts';

const namesOf = async (words: readonly string[]): Promise<string[]> =>
  (await kubeloomProgram(words)).commands.map((command) => command.name());

/** All that is loaded before a command is known: packages and our own files. */
async function loadedAtStart(): Promise<string[]> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ['cli/main.ts'],
    outdir: 'dist',
    write: false,
    logLevel: 'silent',
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    external: ['#local/*'],
    metafile: true,
  });
  const found = new Set<string>();
  const visit = (file: string): void => {
    if (found.has(file)) return;
    found.add(file);
    for (const { path, kind } of metafile.inputs[file]?.imports ?? []) if (kind === 'import-statement') visit(path);
  };
  visit('cli/main.ts');
  return [...found].filter((file) => !file.startsWith('node:'));
}

describe('the start of the command line', () => {
  it('the start loads no package but the parser of command lines, and nothing of the domain', async () => {
    const loaded = await loadedAtStart();
    expect(loaded.filter((file) => !file.startsWith('cli/'))).toEqual(['commander']);
  });
});

describe('kubeloomProgram', () => {
  it('each command is found by the words that it is registered with', async () => {
    expect((await kubeloomProgram()).commands.map((command) => command.name())).toEqual(commandWords);
  });

  it('only the command that is called is loaded', async () => {
    expect(await namesOf(['version', '--json'])).toEqual(['version', 'schema']);
    expect(await namesOf(['help', 'get'])).toEqual(['get']);
  });

  it.each([[['aply']], [['--help']], [[]]])(
    'all commands are listed for %j, and none of their modules is loaded',
    async (words) => {
      const { commands } = await kubeloomProgram(words);
      expect(commands.map((command) => command.name())).toEqual(commandWords);
      expect(commands.flatMap(({ options }) => options)).toEqual([]);
    },
  );

  it('the help lists each command in a group', async () => {
    const { commands } = await kubeloomProgram([]);
    expect(commands.filter((command) => !/^[A-Z]\w+:$/.test(command.helpGroup()))).toEqual([]);
  });
});
