/** The source of a module, read from its `.tf` files: the input of the checks. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from '@cdktf/hcl2json';

export const moduleNames = ['network', 'nodepool', 'dns'] as const;
export type ModuleName = (typeof moduleNames)[number];

/** Attributes and nested blocks of a block, as hcl2json writes them: expressions are `"${…}"`, blocks are lists. */
export type HclBody = Readonly<Record<string, unknown>>;

export interface Block {
  readonly type: string;
  readonly name: string;
  readonly body: HclBody;
}

export interface ModuleSource {
  readonly name: ModuleName;
  readonly files: readonly string[];
  readonly variables: Readonly<Record<string, HclBody>>;
  readonly outputs: Readonly<Record<string, HclBody>>;
  readonly locals: HclBody;
  readonly resources: readonly Block[];
  readonly data: readonly Block[];
  /** Local names of providers that have a block. */
  readonly providerBlocks: readonly string[];
  /** Names of modules that it calls. */
  readonly calls: readonly string[];
  /** The `terraform` blocks. */
  readonly settings: readonly HclBody[];
}

/** Reads the module of a directory; undefined when the directory has no module. Throws a sentence for files that are not HCL. */
export async function readModule(directory: string, name: ModuleName): Promise<ModuleSource | undefined> {
  const entries = await readdir(join(directory, name)).catch(() => undefined);
  if (entries === undefined) return undefined;
  const files = entries.filter((file) => file.endsWith('.tf')).sort();
  const parsed = await Promise.all(
    files.map(async (file) => {
      const text = await readFile(join(directory, name, file), 'utf8');
      return (await parse(`${name}/${file}`, text)) as HclBody;
    }),
  );
  const all = (block: string): readonly HclBody[] => parsed.flatMap((file) => asBody(file[block]));
  return {
    name,
    files,
    variables: named(all('variable')),
    outputs: named(all('output')),
    locals: Object.assign({}, ...parsed.flatMap(({ locals }) => bodies(locals))) as HclBody,
    resources: typed(all('resource')),
    data: typed(all('data')),
    providerBlocks: all('provider').flatMap((block) => Object.keys(block)),
    calls: all('module').flatMap((block) => Object.keys(block)),
    settings: parsed.flatMap(({ terraform }) => bodies(terraform)),
  };
}

/** Nested blocks of one kind. */
export function bodies(value: unknown): readonly HclBody[] {
  if (Array.isArray(value)) return value.flatMap(asBody);
  return asBody(value);
}

/** Every text below a value: expressions and plain words. */
export function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsOf);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [key, ...textsOf(inner)]);
}

function asBody(value: unknown): readonly HclBody[] {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? [value as HclBody] : [];
}

function named(blocks: readonly HclBody[]): Readonly<Record<string, HclBody>> {
  return Object.fromEntries(
    blocks.flatMap((block) => Object.entries(block).map(([name, body]) => [name, bodies(body)[0] ?? {}])),
  );
}

function typed(blocks: readonly HclBody[]): readonly Block[] {
  return blocks.flatMap((block) =>
    Object.entries(block).flatMap(([type, byName]) =>
      Object.entries(bodies(byName)[0] ?? {}).map(([name, body]) => ({ type, name, body: bodies(body)[0] ?? {} })),
    ),
  );
}
