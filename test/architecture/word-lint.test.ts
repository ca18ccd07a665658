/** scripts/word-lint.mjs in a repository of its own: which words it refuses, and where it does not look. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from 'vitest';

const script = fileURLToPath(new URL('../../scripts/word-lint.mjs', import.meta.url));
const glossary = `# Contributing
## Glossary
| we say | meaning | instead of | right in |
|---|---|---|---|
| **current state** | what exists | \`stands\`, \`made again\` | \`stands for\` |
| **desired state** | what the manifest asks for | \`wish*\` | |

## Rules
`;
const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function lint(files: Readonly<Record<string, string>>, ...options: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'word-lint-'));
  folders.push(folder);
  for (const [path, text] of Object.entries({ 'CONTRIBUTING.md': glossary, ...files })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  execFileSync('git', ['init', '--quiet'], { cwd: folder });
  execFileSync('git', ['add', '.'], { cwd: folder });
  const { status, stdout, stderr } = spawnSync('node', [script, ...options], { cwd: folder, encoding: 'utf8' });
  return { status, found: stderr.trim().split('\n').filter(Boolean), stdout };
}

it('the word lint refuses replaced words in strings, templates, comments, names and documents, with the line and the better word', () => {
  const code = [
    "import { stopWish } from './stop-wish.ts';",
    '// what was lost is made',
    '// again',
    'const wish = stopWish({ a: `the ${wish.x({ b: `it ${wish} stands` })} wished` }, /`wish/);',
    "throw new Error('wishes');",
  ].join('\n');

  const { status, found } = lint({ 'functions/a.ts': code, 'docs/a.md': 'A node\nstands.\n' });

  expect(status).toBe(1);
  expect(found).toEqual([
    'docs/a.md:2: stands -> use current state',
    'functions/a.ts:2: made again -> use current state',
    'functions/a.ts:4: stands -> use current state',
    'functions/a.ts:4: wished -> use desired state',
    'functions/a.ts:5: wishes -> use desired state',
    'functions/a.ts:1: Wish -> use desired state',
    'functions/a.ts:4: Wish -> use desired state',
  ]);
});

it('the word lint reads only the titles of tests', () => {
  const test = "it('wishes', () => say('wished'));\nit.each([1, 2])('stands %i', () => {}); // wished\n";

  const { found } = lint({ 'test/a.test.ts': test });

  expect(found).toEqual([
    'test/a.test.ts:1: wishes -> use desired state',
    'test/a.test.ts:2: stands -> use current state',
  ]);
});

it('the word lint refuses titles of tests that lack their subject, whatever makes the test', () => {
  const test = [
    "describe('without a token', () => {",
    "  it('is refused', () => {});",
    '  for (const path of paths) it(`has no ${path}`, () => {});',
    "  test.skipIf(isSlow)(\n    'of two, one wins', () => {});",
    "  describe.each(['that is large'])('with a body %s', () => {",
    "    it.each([[/x/.test('y')]])('and nothing changes: %s', () => {});",
    "    it.each([1])('%s is refused', () => {});",
    '    it(`${path} is refused`, () => {});',
    "    it('is-open has a page', () => say('is refused'));",
    '  });',
    '});',
  ].join('\n');

  const { status, found } = lint({ 'test/a.test.ts': test, 'functions/a.ts': "it('is no test');" });

  expect(status).toBe(1);
  expect(found).toEqual(
    [
      ['2', 'is'],
      ['3', 'has'],
      ['5', 'of'],
      ['7', 'and'],
    ].map(
      ([line, word]) =>
        `test/a.test.ts:${line}: ${word} -> use a subject before it: a title is read without its describe`,
    ),
  );
});

it('the word lint lets phrases of the last column pass, and the released part of the changelog', () => {
  const { status, stdout } = lint({
    'docs/a.md': '`${Name}` stands for a function.\n',
    'CHANGELOG.md': '# Changelog\n## Unreleased\n- x\n## 0.1.0\n- wishes\n',
  });

  expect({ status, stdout }).toEqual({
    status: 0,
    stdout: '0 words to replace: see the glossary of CONTRIBUTING.md\n',
  });
});

it('the word lint counts by folder', () => {
  const { stdout } = lint({ 'docs/a.md': 'wish wish', 'cli/a.ts': '// wish' }, '--count');

  expect(stdout.split('\n').map((line) => line.trim())).toEqual([
    '2  docs',
    '1  cli',
    '3 words to replace: see the glossary of CONTRIBUTING.md',
    '',
  ]);
});
