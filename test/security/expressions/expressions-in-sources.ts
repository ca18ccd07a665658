/** Each regular expression of the product: literals and those that are built from text, in TypeScript and JavaScript, and those of Python. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAst } from 'rolldown/parseAst';
import { filesBelow, sources } from '../../../scripts/import-graph.ts';
import type { Expression } from './slow-expression.ts';

export interface FoundExpression {
  readonly file: string;
  /** A literal, or the code that builds the expression. */
  readonly written: Expression | string;
}

const root = fileURLToPath(new URL('../../..', import.meta.url));

export function expressionsInProduct(): readonly FoundExpression[] {
  return [
    ...[...sources, ...filesBelow('integrations')].flatMap((file) => inTypeScript(file)),
    ...pythonFiles('templates').flatMap((file) => inPython(file)),
  ];
}

/** Those of one file, or of `text` as if it were its content. */
export function inTypeScript(file: string, text = readFileSync(join(root, file), 'utf8')): readonly FoundExpression[] {
  const lang = file.endsWith('x') ? 'tsx' : file.endsWith('.ts') ? 'ts' : 'js';
  const found: FoundExpression[] = [];
  visit(parseAst(text, { lang }, file), ({ type, regex, callee, start, end }) => {
    if (regex) found.push({ file, written: { source: regex.pattern, flags: regex.flags } });
    if (/^(New|Call)Expression$/.test(type) && callee?.name === 'RegExp')
      found.push({ file, written: text.slice(start, end).replaceAll(/\s+/g, ' ') });
  });
  return found;
}

interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly regex?: { readonly pattern: string; readonly flags: string };
  readonly callee?: { readonly name?: string };
}

function visit(value: unknown, see: (node: SyntaxNode) => void): void {
  if (typeof value !== 'object' || value === null) return;
  if ('type' in value && typeof value.type === 'string') see(value as SyntaxNode);
  for (const inner of Object.values(value)) visit(inner, see);
}

const pythonCall =
  /\bre\.(?:compile|search|match|fullmatch|sub|split|findall|finditer)\(\s*(r?"((?:[^"\\]|\\.)*)"|[^,)]+)/g;

/** Python writes groups with names as `(?P<name>`. */
export function inPython(file: string, text = readFileSync(join(root, file), 'utf8')): readonly FoundExpression[] {
  return [...text.matchAll(pythonCall)].map(([call, , source]) => ({
    file,
    written: source === undefined ? call : { source: source.replaceAll('(?P<', '(?<'), flags: '' },
  }));
}

const pythonFiles = (folder: string): readonly string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.py'))
    .map((path) => join(folder, path));
