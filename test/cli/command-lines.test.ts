/** The commands that documents and messages name exist. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type CommandLine, linesInCode, linesInMarkdown, objectionTo } from './command-lines.ts';
import { root } from './kubeloom-process.ts';

const folders = ['cli', 'functions', 'local', 'runner-images', 'cdk', 'scripts', 'examples', 'docs', 'templates'];
const files = folders
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path)),
  )
  .concat(readdirSync(root))
  .filter((file) => !file.includes('node_modules'));
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

const pages = files.filter((file) => file.endsWith('.md'));
const inPages = pages.flatMap((file) => linesInMarkdown(file, read(file)));
const inPrograms = files
  .filter((file) => /\/.*\.(ts|mjs|sh|yaml|json)$/.test(file))
  .flatMap((file) => linesInCode(file, read(file)));

async function objections(lines: readonly CommandLine[]): Promise<string[]> {
  const found = await Promise.all(lines.map(async (line) => ({ ...line, objection: await objectionTo(line) })));
  return found.flatMap(({ place, text, objection }) => (objection ? [`${place}: ${text}: ${objection}`] : []));
}

describe('command lines that messages ask people to type', () => {
  it('command lines are found in code blocks, in sentences and in messages', () => {
    expect(inPages.filter(({ mention }) => !mention).length).toBeGreaterThan(30);
    expect(inPages.filter(({ mention }) => mention).length).toBeGreaterThan(80);
    expect(inPrograms.length).toBeGreaterThan(40);
  });

  it.each([
    ['kubeloom apply manifest.yaml', /required option '-f/],
    ['kubeloom status NAMESPACE/NAME', /unknown command 'status'/],
    ['kubeloom list', /unknown command 'list'/],
    ['kubeloom get --wide-as-possible', /unknown option/],
    ['kubeloom secrets list | remove NAME', /unknown command 'remove'/],
  ])('a command line that does not parse is refused: %s', async (text, objection) => {
    expect(await objectionTo({ place: 'here', text, mention: true })).toMatch(objection);
  });

  it('the command line accepts every command in the documents', async () => {
    expect(await objections(inPages)).toEqual([]);
  });

  it('the command line accepts every command in messages, scripts and examples', async () => {
    expect(await objections(inPrograms)).toEqual([]);
  });
});
