/** What the pages under docs/ promise is there: commands and options, codes of failures, links. */
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { exitCodes } from '#cli/exit-codes.ts';
import { kubeloomProgram } from '#cli/program.ts';
import { nodeRemarks } from '#contracts/cluster-remarks.ts';
import { ClusterStatus, ManifestStatus, RunStatus } from '#contracts/records.ts';
import { errorClasses } from '#domain/errors.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

function filesBelow(folder: string, ending: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith(ending) && !path.includes('node_modules'))
    .map((path) => join(folder, path));
}

/** Commands with the flags of their options. */
function commandsOf(command: Command, prefix = 'kubeloom'): [name: string, flags: string[]][] {
  return command.commands.flatMap((child): [string, string[]][] => {
    const name = `${prefix} ${child.name()}`;
    return child.commands.length > 0 ? commandsOf(child, name) : [[name, child.options.map(({ flags }) => flags)]];
  });
}

describe('docs/cli.md', () => {
  const page = read('docs/cli.md');

  it('docs/cli.md has a section for each command, with its options, and no other', async () => {
    const sections = page.split(/^### `/m).slice(1);
    const documented = sections.map((section): [string, string[]] => [
      section.slice(0, section.indexOf('`')),
      [...(section.split(/^## /m)[0]?.matchAll(/^\| `(-[^`]+)` \|/gm) ?? [])].map((match) => match[1] ?? ''),
    ]);
    expect(Object.fromEntries(documented)).toEqual(Object.fromEntries(commandsOf(await kubeloomProgram())));
  });

  it('docs/cli.md has every exit code and every status', () => {
    const codes = [...page.matchAll(/^\| (\d+) \|/gm)].map((match) => Number(match[1]));
    expect(codes).toEqual(Object.values(exitCodes));
    const statuses = [
      ...ManifestStatus.options,
      ...ClusterStatus.options,
      ...RunStatus.options,
      ...nodeRemarks.status.options,
    ];
    expect(statuses.filter((status) => !page.includes(`\`${status}\``))).toEqual([]);
  });
});

describe('docs/troubleshooting.md', () => {
  const page = read('docs/troubleshooting.md');

  it('docs/troubleshooting.md says what to do about each error class and failure code', () => {
    const sources = [...filesBelow('runner-images/runner', '.ts'), ...filesBelow('functions/pipeline', '.ts')];
    const codes = sources.flatMap((file) =>
      [...read(file).matchAll(/(?:\bcode: (?:[^,\n]*\?\? )?|#failure\()'([A-Z]\w+)'/g)].map((match) => match[1] ?? ''),
    );
    expect(codes.length).toBeGreaterThan(20);
    expect([...new Set(codes)].filter((code) => !page.includes(`\`${code}\``))).toEqual([]);
    expect(errorClasses.filter((name) => !page.includes(`| \`${name}\` |`))).toEqual([]);
  });

  it('docs/troubleshooting.md has no failure code that the code does not know', () => {
    const sources = ['runner-images/runner', 'functions', 'cli']
      .flatMap((folder) => filesBelow(folder, '.ts'))
      .map(read)
      .join('\n');
    const tables = page.slice(page.indexOf('## Codes'), page.indexOf('## It makes no progress'));
    const rows = [...tables.matchAll(/^\| ((?:`\w+`,? ?)+)\|/gm)].map((match) => match[1] ?? '');
    const codes = rows.flatMap((row) => [...row.matchAll(/`(\w+)`/g)].map((match) => match[1] ?? ''));
    expect(codes.length).toBeGreaterThan(20);
    expect(codes.filter((code) => !sources.includes(`'${code}'`))).toEqual([]);
  });
});

describe('docs/nodes.md', () => {
  const rows = [...read('docs/nodes.md').matchAll(/^\| (\d+) \|([^|]+)\|([^|]+)\|(.+)\|$/gm)].map(
    ([, trap, , state, where]) => ({ trap: Number(trap), state: state?.trim() ?? '', where: where ?? '' }),
  );

  it('docs/nodes.md has one row for each of the 90 traps, in order', () => {
    expect(rows.map(({ trap }) => trap)).toEqual(Array.from({ length: 90 }, (_, index) => index + 1));
  });

  it('a trap of docs/nodes.md is in one of four states, and one that is handled names a file', () => {
    const states = ['handled', 'partly', 'cannot happen', 'not handled yet'];
    expect(rows.filter(({ state }) => !states.includes(state))).toEqual([]);
    expect(rows.filter(({ state, where }) => state === 'handled' && !/`[\w.-]+\/[^`]+`/.test(where))).toEqual([]);
  });
});

describe('links', () => {
  const pages = [
    ...['README.md', 'CONTRIBUTING.md', 'examples/README.md', 'local/README.md'],
    ...globSync('packages/*/README.md', { cwd: root }),
    ...filesBelow('docs', '.md'),
  ];
  const linksOn = (page: string): readonly string[] =>
    [...read(page).matchAll(/\]\((?!https?:|#)([^)#]+)[^)]*\)/g)].map((match) => join(dirname(page), match[1] ?? ''));

  it('links between pages lead to existing files', () => {
    const broken = pages.flatMap((page) =>
      linksOn(page)
        .filter((target) => !existsSync(join(root, target)))
        .map((target) => `${page} → ${relative('', target)}`),
    );
    expect(broken).toEqual([]);
  });

  it('a reader gets from docs/README.md to every page', () => {
    const found = new Set(['docs/README.md']);
    for (const page of found) if (page.endsWith('.md')) for (const target of linksOn(page)) found.add(target);
    // A link to a folder leads to all that is in it.
    const isFound = (page: string) => found.has(page) || found.has(`${dirname(page)}/`);
    expect(pages.filter((page) => page.startsWith('docs/') && !isFound(page))).toEqual([]);
  });
});

describe('paths of files', () => {
  const folders = readdirSync(root, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [entry.name] : [],
  );

  /** `folder/…` in code, also after `node`; a word of its own in place of a name (`acme`, `<type>`, `…`) ends what must exist. */
  function pathsOn(page: string): string[] {
    return [...read(page).matchAll(/`(?:node )?([\w.-]+\/[^`\s]*)[^`]*`/g)]
      .map((match) => match[1] ?? '')
      .filter((path) => folders.includes(path.split('/')[0] ?? ''))
      .map((path) => path.replace(/(?:acme|<|…).*$/, ''));
  }

  it.each(['docs/how-to-change.md', 'docs/drift.md', 'docs/nodes.md', 'docs/architecture.md', 'CONTRIBUTING.md'])(
    '%s names only files that exist',
    (page) => {
      const paths = pathsOn(page);
      expect(paths.length).toBeGreaterThan(10);
      expect(paths.filter((path) => globSync(path, { cwd: root }).length === 0)).toEqual([]);
    },
  );
});

it('each decision has a number of its own, which its title repeats', () => {
  const decisions = readdirSync(join(root, 'docs/decisions')).filter((file) => /^\d{4}-/.test(file));
  const numbers = decisions.map((file) => Number(file.slice(0, 4)));
  expect(numbers).toEqual([...new Set(numbers)]);
  expect(decisions.map((file) => Number(/^# (\d+)\. /.exec(read(`docs/decisions/${file}`))?.[1]))).toEqual(numbers);
});
