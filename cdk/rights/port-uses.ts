/** Which methods of which ports a handler uses: read from its source and everything that it reaches from there. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

const aliases: readonly (readonly [string, string])[] = [
  ['#functions/', 'functions/'],
  ['#contracts/', 'functions/contracts/'],
  ['#domain/', 'functions/domain/'],
  ['#rendering/', 'functions/rendering/'],
  ['#runner/', 'runner-images/runner/'],
];

/** Joins ports with adapters: it names every port and uses none. The others are pure, which the architecture test holds. */
const useNothing = ['functions/wire.ts', 'functions/domain/', 'functions/rendering/', 'functions/contracts/'];

/** Ports whose adapters ask nothing of AWS: what this process has, and git repositories over HTTPS. */
const askNothingOfAws = ['clock', 'ids', 'config', 'templateSources'];

interface SourceFile {
  readonly declarations: ReadonlyMap<string, string>;
  /** Local name → where it is declared, under which name (`*`: the whole file). */
  readonly imports: ReadonlyMap<string, { readonly file: string; readonly name: string }>;
}

const read = new Map<string, SourceFile>();

/**
 * `port.method` for everything reachable from `entry`'s declaration `name` (`*`: all of them), sorted. `skip` are files
 * that are not followed.
 */
export function portUses(entry: string, name = '*', skip: readonly string[] = []): readonly string[] {
  const uses = new Set<string>();
  const seen = new Set<string>();
  const visit = (file: string, wanted: string): void => {
    const outside = [...useNothing, ...skip].some((path) => file.startsWith(path));
    if (seen.has(`${file} ${wanted}`) || outside || file === '') return;
    seen.add(`${file} ${wanted}`);
    const source = sourceOf(file);
    const names = wanted === '*' ? [...source.declarations.keys()] : [wanted];
    for (const declaration of names) {
      const text = source.declarations.get(declaration);
      if (text === undefined) continue;
      for (const use of usesIn(text)) uses.add(use);
      for (const [, path] of text.matchAll(/\bimport\('([^']+)'\)/g)) visit(resolved(file, String(path)) ?? '', '*');
      for (const [word] of text.matchAll(/\b[A-Za-z_$][\w$]*\b/g)) {
        const imported = source.imports.get(word);
        if (imported) visit(imported.file, imported.name);
        else if (word !== declaration && source.declarations.has(word)) visit(file, word);
      }
    }
  };
  visit(entry, name);
  return [...uses].sort();
}

/** Methods of the ports, as `functions/ports.ts` declares them. */
export const portMethods: readonly string[] = methodsOfPorts();

function usesIn(text: string): readonly string[] {
  const found = [...text.matchAll(/\b(\w+)\s*\.\s*(\w+)\s*\(/g)].map(([, port, method]) => `${port}.${method}`);
  return found.filter((use) => portMethods.includes(use));
}

function methodsOfPorts(): readonly string[] {
  const { declarations } = sourceOf('functions/ports.ts');
  const ports = [...(declarations.get('Deps') ?? '').matchAll(/readonly (\w+): (\w+);/g)];
  return ports.flatMap(([, port, type]) => {
    if (askNothingOfAws.includes(String(port))) return [];
    const methods = [...(declarations.get(String(type)) ?? '').matchAll(/^ {2}(\w+)\(/gm)];
    return methods.map(([, method]) => `${port}.${method}`);
  });
}

/** Declarations at the beginning of a line, as the formatter writes them; each with all that follows up to the next. */
function sourceOf(file: string): SourceFile {
  const known = read.get(file);
  if (known) return known;
  const text = readFileSync(join(root, file), 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
  const imports = new Map<string, { file: string; name: string }>();
  for (const [, names, path] of text.matchAll(/^import (?!type )([\s\S]*?) from '([^']+)'/gm)) {
    const from = resolved(file, String(path));
    if (from !== undefined)
      for (const [local, name] of importedNames(String(names))) imports.set(local, { file: from, name });
  }
  const begin = /^(?:export )?(?:async )?(?:function\*?|const|let|class|interface|type) (\w+)/;
  const declarations = new Map<string, string>();
  let current = '';
  for (const line of text.replaceAll(/^import [\s\S]*? from '[^']+'.*$/gm, '').split('\n')) {
    current = begin.exec(line)?.[1] ?? current;
    declarations.set(current, `${declarations.get(current) ?? ''}${line}\n`);
  }
  const source = { declarations, imports };
  read.set(file, source);
  return source;
}

function* importedNames(clause: string): Iterable<readonly [string, string]> {
  const star = /\* as (\w+)/.exec(clause);
  if (star) yield [String(star[1]), '*'];
  for (const one of /\{([\s\S]*)\}/.exec(clause)?.[1]?.split(',') ?? []) {
    const [, name, local = name] = /^\s*(?!type )(\w+)(?: as (\w+))?\s*$/.exec(one) ?? [];
    if (name !== undefined && local !== undefined) yield [local, name];
  }
}

/** A file of ours, or nothing: packages and adapters are not followed. */
function resolved(from: string, path: string): string | undefined {
  const alias = aliases.find(([prefix]) => path.startsWith(prefix));
  const file = alias ? alias[1] + path.slice(alias[0].length) : path.startsWith('.') ? join(dirname(from), path) : '';
  return file.endsWith('.ts') && existsSync(join(root, file)) ? file : undefined;
}
