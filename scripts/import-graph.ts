/**
 * Who imports whom: the source files, what each imports, and the arrows between the rooms of a folder.
 * `node scripts/import-graph.ts functions/pipeline` prints its rooms and their arrows; `--files` with the files of each arrow.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import product from '../package.json' with { type: 'json' };

const root = fileURLToPath(new URL('..', import.meta.url));

/** Folders of the packages of this repository. */
const packageFolders: readonly string[] = readdirSync(join(root, 'packages')).map((name) => `packages/${name}`);

/** Path prefixes in the repository by the names that imports have for them, such as `#domain/`. */
const aliases: readonly (readonly [alias: string, folder: string])[] = [
  ...Object.entries(product.imports).map(([alias, folder]) => [alias.slice(0, -1), folder.slice(2, -1)] as const),
  // Packages of this repository export what is in their `src/`.
  ...packageFolders.map((folder) => [folder.replace('packages/', '').concat('/'), `${folder}/src/`] as const),
];

/** Source files below a folder, as paths in the repository; none when there is no such folder. */
export function filesBelow(folder: string): string[] {
  const absolute = join(root, folder);
  if (!existsSync(absolute)) return [];
  return readdirSync(absolute).flatMap((entry) => {
    const path = join(folder, entry);
    if (entry === 'node_modules' || entry.startsWith('.')) return [];
    if (statSync(join(root, path)).isDirectory()) return filesBelow(path);
    return /\.(tsx?|mjs)$/.test(entry) ? [path] : [];
  });
}

/** The product: everything but tests, benchmarks and scripts. */
export const sources: readonly string[] = [
  'functions',
  'runner-images',
  ...packageFolders.map((folder) => `${folder}/src`),
  'local',
  'client',
  'cli',
  'operator',
  'agent',
  'console',
  'cdk',
  'demo',
].flatMap(filesBelow);

/** The product with what tests, measures and generates it. */
export const allSources: readonly string[] = [
  ...sources,
  ...[...packageFolders.map((folder) => `${folder}/test`), 'test', 'bench', 'scripts'].flatMap(filesBelow),
];

/** Imports of a file: paths in the repository, or names of packages. */
export function importsOf(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8');
  const specifiers = [...text.matchAll(/(?<!['\w.])(?:from|import)\s*\(?\s*'([^'\n]+)'/g)].map(
    (match) => match[1] ?? '',
  );
  return specifiers.map((specifier) => {
    const [alias, folder] = aliases.find(([prefix]) => specifier.startsWith(prefix)) ?? [];
    if (alias !== undefined && folder !== undefined) return folder + specifier.slice(alias.length);
    if (specifier.startsWith('.')) return relative(root, resolve(root, dirname(file), specifier));
    return specifier;
  });
}

/** What each name has arrows to. */
export type Graph = ReadonlyMap<string, ReadonlySet<string>>;

/** An import between two rooms of a folder. */
export interface Arrow {
  readonly from: string;
  readonly to: string;
  readonly file: string;
  readonly imported: string;
}

/** The room of a file in a folder: the folder next below with all that is in it, else the file itself; undefined outside. */
export function roomOf(folder: string, file: string): string | undefined {
  if (!file.startsWith(`${folder}/`)) return undefined;
  const [first = '', ...deeper] = file.slice(folder.length + 1).split('/');
  return deeper.length > 0 ? `${first}/` : first;
}

/** Imports between the rooms of a folder; `imports` are those of each of its files. */
export function arrowsIn(folder: string, imports: ReadonlyMap<string, readonly string[]>): Arrow[] {
  return [...imports].flatMap(([file, targets]) =>
    targets.flatMap((imported) => {
      const from = roomOf(folder, file);
      const to = roomOf(folder, imported);
      return from === undefined || to === undefined || from === to ? [] : [{ from, to, file, imported }];
    }),
  );
}

export function importsBelow(folder: string): ReadonlyMap<string, readonly string[]> {
  return new Map(filesBelow(folder).map((file) => [file, importsOf(file)]));
}

export function graphOf(arrows: readonly Pick<Arrow, 'from' | 'to'>[]): Graph {
  const graph = new Map<string, Set<string>>();
  for (const { from, to } of arrows) graph.set(from, (graph.get(from) ?? new Set()).add(to));
  return graph;
}

/** The first circle that a walk along the arrows finds, as the names on it; undefined without a circle. */
export function circleIn(graph: Graph): readonly string[] | undefined {
  const finished = new Set<string>();
  const walk = (name: string, path: readonly string[]): readonly string[] | undefined => {
    if (path.includes(name)) return [...path.slice(path.indexOf(name)), name];
    if (finished.has(name)) return undefined;
    for (const next of graph.get(name) ?? []) {
      const circle = walk(next, [...path, name]);
      if (circle) return circle;
    }
    finished.add(name);
    return undefined;
  };
  for (const name of graph.keys()) {
    const circle = walk(name, []);
    if (circle) return circle;
  }
  return undefined;
}

function print(folder: string, withFiles: boolean): void {
  const files = filesBelow(folder);
  const arrows = arrowsIn(folder, importsBelow(folder));
  const lines = [...Map.groupBy(files, (file) => roomOf(folder, file))].flatMap(([room, inIt]) => {
    const targets = [
      ...Map.groupBy(
        arrows.filter(({ from }) => from === room),
        ({ to }) => to,
      ),
    ];
    const imports = withFiles
      ? targets.flatMap(([, taken]) => taken.map(({ file, imported }) => `    ${file} → ${imported}`))
      : [];
    return [`${room} ${inIt.length} → ${targets.map(([to]) => to).join(' ') || 'none'}`, ...imports];
  });
  const pairs = new Set(arrows.map(({ from, to }) => `${from} ${to}`));
  const bothWays = [...pairs].filter((pair) => pairs.has(pair.split(' ').reverse().join(' '))).length / 2;
  const circle = circleIn(graphOf(arrows))?.join(' → ') ?? 'none';
  process.stdout.write(
    `${lines.join('\n')}\n${files.length} files, ${pairs.size} arrows, ${bothWays} of them both ways; circle: ${circle}\n`,
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [folder = 'functions', ...options] = process.argv.slice(2);
  print(folder.replace(/\/$/, ''), options.includes('--files'));
}
