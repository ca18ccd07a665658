/** scripts/word-lint.mjs in a repository of its own: which words it refuses, and where it does not look. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from 'vitest';

const script = fileURLToPath(new URL('../../scripts/word-lint.mjs', import.meta.url));
/** Invented words, so that this file passes the lint that it tests. */
const glossary = `# Contributing
## Glossary
| we say | meaning | instead of | right in |
|---|---|---|---|
| **current state** | what exists | \`frobs\`, \`blip again\` | \`frobs for\` |
| **desired state** | what the manifest asks for | \`zorb*\` | |

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
    "import { stopZorb } from './stop.ts';",
    '// what was lost is blip',
    '// again',
    'const zorb = stopZorb({ a: `the ${zorb.x({ b: `it ${zorb} frobs` })} zorbed` }, /`zorb/);',
    "throw new Error('zorbs');",
  ].join('\n');

  const { status, found } = lint({ 'functions/a.ts': code, 'docs/a.md': 'A node\nfrobs.\n' });

  expect(status).toBe(1);
  expect(found).toEqual([
    'docs/a.md:2: frobs -> use current state',
    'functions/a.ts:2: blip again -> use current state',
    ...['zorb', 'zorb', 'zorb', 'frobs', 'zorbed', 'zorb'].map(
      (word) => `functions/a.ts:4: ${word} -> use ${word === 'frobs' ? 'current' : 'desired'} state`,
    ),
    'functions/a.ts:5: zorbs -> use desired state',
    'functions/a.ts:1: Zorb -> use desired state',
    'functions/a.ts:4: Zorb -> use desired state',
  ]);
});

it('the word lint reads names of one word, names with underscores, and the text of TSX', () => {
  const page = ["export type Zorb = 'x';", "const text = <p>It can't be blip", '  again.</p>;'].join('\n');

  const { found } = lint({ 'console/a.tsx': page, 'functions/a.sh': 'blip_again=1\n' });

  expect(found).toEqual([
    'console/a.tsx:1: Zorb -> use desired state',
    'console/a.tsx:2: blip again -> use current state',
    'functions/a.sh:1: blip again -> use current state',
  ]);
});

it('the word lint reads the words of a name wherever they are in it, and in names of files', () => {
  const code = [
    "import { a } from './blip-again.ts';",
    'const x = { oldZorbs2: tLSZorb, blip2Again: myBlipAgain };',
  ].join('\n');

  const { found } = lint({ 'functions/a.ts': code, 'console/a.tsx': 'const page = <Row isZorbed />;' });

  expect(found).toEqual([
    'console/a.tsx:1: Zorbed -> use desired state',
    'functions/a.ts:1: blip-again -> use current state',
    'functions/a.ts:2: Zorbs2 -> use desired state',
    'functions/a.ts:2: Zorb -> use desired state',
    'functions/a.ts:2: Blip Again -> use current state',
  ]);
});

it('the word lint lets a stored name pass where it is read or written, and nowhere else', () => {
  // Put together, so that this file does not have the name.
  const stored = ['lost', 'Pools'].join('');
  const rows = `| **failed pool** | a fact | \`${['lost', 'pool*'].join(' ')}\` | |\n`;
  const readme = glossary.replace('\n## Rules', `${rows}\n## Rules`);

  const code = `const { ${stored} } = facts;`;
  const { found } = lint({
    'CONTRIBUTING.md': readme,
    'functions/domain/cluster-state.ts': code,
    'functions/tasks/commit-waypoint.ts': code,
  });

  expect(found).toEqual([
    expect.stringMatching(/^functions\/tasks\/commit-waypoint\.ts:1: \w+ Pools -> use failed pool$/),
  ]);
});

it('the word lint reads code and comments of tests as well as their titles', () => {
  const test = "it('zorbs', () => say('zorbed'));\nit.each([1, 2])('frobs %i', () => {}); // zorbed\n";

  const { found } = lint({ 'test/a.test.ts': test });

  expect(found).toEqual([
    'test/a.test.ts:1: zorbs -> use desired state',
    'test/a.test.ts:1: zorbed -> use desired state',
    'test/a.test.ts:2: frobs -> use current state',
    'test/a.test.ts:2: zorbed -> use desired state',
  ]);
});

it('the word lint refuses comments that begin with "Of", but not "Of" within a comment', () => {
  const of = 'Of';
  const code = [
    `/** ${of} the last run. */`,
    'interface A {',
    `  /** The newest. ${of} two the first. */`,
    `  // ${of} a node.`,
    '  // A node',
    `  // ${of} a pool.`,
    '}',
    '/**',
    ` * ${of} a cluster.`,
    ' */',
  ].join('\n');

  const { found } = lint({ 'functions/a.ts': code, 'docs/a.md': `# ${of} nodes\n` });

  expect(found).toEqual([1, 4, 8].map((line) => `functions/a.ts:${line}: ${of} -> use a subject: whose?`));
});

it('the word lint refuses titles of tests that lack their subject, whatever makes the test', () => {
  // The calls are put together here, so that the lint does not take them for titles of this file.
  const [it, describe] = ['it', 'describe'];
  const test = [
    `${describe}('without a token', () => {`,
    `  ${it}('is refused', () => {});`,
    `  for (const path of paths) ${it}(\`has no \${path}\`, () => {});`,
    `  test.skipIf(isSlow)${'('}\n    'of two, one wins', () => {});`,
    `  ${describe}.each(['that is large'])${'('}'with a body %s', () => {`,
    `    ${it}.each([[/x/.test('y')]])${'('}'and nothing changes: %s', () => {});`,
    `    ${it}.each([1])('%s is refused', () => {});`,
    `    ${it}(\`\${path} is refused\`, () => {});`,
    `    ${it}('is-open has a page', () => say('is refused'));`,
    '  });',
    '});',
  ].join('\n');

  const { status, found } = lint({ 'test/a.test.ts': test, 'functions/a.ts': `${it}('is no test');` });

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
    'docs/a.md': '`${Name}` frobs for a function.\n',
    'CHANGELOG.md': '# Changelog\n## Unreleased\n- x\n## 0.1.0\n- zorbs\n',
  });

  expect({ status, stdout }).toEqual({
    status: 0,
    stdout: '0 words to replace: see the glossary of CONTRIBUTING.md\n',
  });
});

it('the word lint counts by folder', () => {
  const { stdout } = lint({ 'docs/a.md': 'zorb zorb', 'cli/a.ts': '// zorb' }, '--count');

  expect(stdout.split('\n').map((line) => line.trim())).toEqual([
    '2  docs',
    '1  cli',
    '3 words to replace: see the glossary of CONTRIBUTING.md',
    '',
  ]);
});
