/** A function fits a screen. Biome has a rule, too, which does not count the lines of JSX. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { parseAst } from 'rolldown/parseAst';
import { expect, it } from 'vitest';

const most = 80;
// Functions of tests describe many things.
const elsewhere = /^(?:test|packages\/[\w-]+\/test)\//;

interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === 'object' && value !== null && 'type' in value && 'start' in value;

function* nodesIn(value: unknown): Generator<SyntaxNode> {
  if (Array.isArray(value)) for (const one of value) yield* nodesIn(one);
  else if (isNode(value)) {
    yield value;
    for (const part of Object.values(value)) yield* nodesIn(part);
  }
}

function longFunctions(file: string, text: string): readonly string[] {
  const lang = file.endsWith('x') ? 'tsx' : file.endsWith('.mjs') ? 'js' : 'ts';
  const lineAt = (position: number): number => text.slice(0, position).split('\n').length;
  return [...nodesIn(parseAst(text, { lang }))]
    .filter(({ type }) => /Function/.test(type) && !/^TS/.test(type))
    .map(({ start, end }) => ({ line: lineAt(start), lines: lineAt(end) - lineAt(start) + 1 }))
    .filter(({ lines }) => lines > most)
    .map(({ line, lines }) => `${file}:${line}: ${lines} lines`);
}

it('no function of the product has more than 80 lines', () => {
  const files = execFileSync('git', ['ls-files', '*.ts', '*.tsx', '*.mjs'], { encoding: 'utf8' }).trim().split('\n');
  const own = files.filter((file) => !elsewhere.test(file));
  expect(own.length).toBeGreaterThan(1000);
  const long = own
    .map((file) => [file, readFileSync(file, 'utf8')] as const)
    .filter(([, text]) => text.split('\n').length > most);
  expect(long.flatMap(([file, text]) => longFunctions(file, text))).toEqual([]);
});

it('a function is counted with its head, its JSX and what is within it', () => {
  const text = (lines: number) => `const a = () => (\n  <p>\n${'    x\n'.repeat(lines - 4)}  </p>\n);\n`;
  expect(longFunctions('a.tsx', text(most))).toEqual([]);
  expect(longFunctions('a.tsx', text(most + 1))).toEqual(['a.tsx:1: 81 lines']);
});
