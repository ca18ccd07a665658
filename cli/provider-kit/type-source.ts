/** Everything that the directory of a provider type holds, read once for all checks, and what follows from it. */
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { ProviderTemplate } from '#rendering/provider-template.ts';
import { builtInResources } from './contract.ts';
import { type Block, type ModuleName, type ModuleSource, moduleNames, readModule } from './module-source.ts';

const permissions = z.array(z.string().trim().min(1));

/** `permissions.json` of a provider type: what its credentials must be allowed to do, in the cloud's own words. */
export const Permissions = z.strictObject({
  /** Resource type → what making, reading, changing and removing one needs. */
  resources: z.record(z.string(), permissions),
  /** Data source → what reading it needs. */
  data: z.record(z.string(), permissions).default({}),
  /** What the plugin needs for itself, e.g. to ask who it is. */
  always: permissions.default([]),
});
export type Permissions = z.infer<typeof Permissions>;

/** A file that is there and valid, or what is wrong with it. */
export type Described<Value> = { readonly value: Value } | { readonly problems: readonly string[] };

export interface TypeSource {
  /** Name of the type: that of the directory. */
  readonly name: string;
  readonly directory: string;
  readonly template: Described<ProviderTemplate>;
  readonly permissions: Described<Permissions>;
  readonly modules: Readonly<Partial<Record<ModuleName, ModuleSource>>>;
  /** Modules that could not be read, with the parser's message. */
  readonly unreadable: Readonly<Partial<Record<ModuleName, string>>>;
}

/** Reads it. Missing or broken files are recorded in the source; nothing throws. */
export async function readType(directory: string): Promise<TypeSource> {
  const modules: Partial<Record<ModuleName, ModuleSource>> = {};
  const unreadable: Partial<Record<ModuleName, string>> = {};
  for (const name of moduleNames) {
    try {
      const module = await readModule(directory, name);
      if (module !== undefined) modules[name] = module;
    } catch (error) {
      unreadable[name] = error instanceof Error ? error.message : String(error);
    }
  }
  return {
    name: basename(directory),
    directory,
    template: await described(join(directory, 'provider.json'), ProviderTemplate),
    permissions: await described(join(directory, 'permissions.json'), Permissions),
    modules,
    unreadable,
  };
}

/** The value, where the file is there and valid. */
export function validOf<Value>(file: Described<Value>): Value | undefined {
  return 'value' in file ? file.value : undefined;
}

/** The modules that are there, in the order of the contract. */
export function modulesOf({ modules }: Pick<TypeSource, 'modules'>): readonly ModuleSource[] {
  return moduleNames.flatMap((name) => modules[name] ?? []);
}

async function described<Schema extends z.ZodType>(path: string, schema: Schema): Promise<Described<z.infer<Schema>>> {
  const text = await readFile(path, 'utf8').catch(() => undefined);
  if (text === undefined) return { problems: ['it is missing'] };
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    return { problems: [`it is not JSON: ${error instanceof Error ? error.message : String(error)}`] };
  }
  const read = schema.safeParse(json);
  if (read.success) return { value: read.data };
  return { problems: read.error.issues.map(({ path: at, message }) => `${at.join('.') || 'it'}: ${message}`) };
}

/** The plugins of a type with their pinned sources and versions, by local name. */
export function pinnedProviders({ provider, alsoRequired }: ProviderTemplate): ProviderTemplate['alsoRequired'] {
  return { ...alsoRequired, ...(provider && { [provider.name]: provider }) };
}

/** Not of Terraform itself. */
export const isPlugins = ({ type }: Block): boolean => !builtInResources.has(type);

/** Types of those resources or data sources that plugins have, each once. */
export const pluginTypes = (blocks: readonly Block[]): readonly string[] => [
  ...new Set(blocks.filter(isPlugins).map(({ type }) => type)),
];

/** All permissions that `used` resource types and data sources need, each once, sorted. */
export function permissionsFor(
  table: Permissions,
  used: { readonly resources: readonly string[]; readonly data: readonly string[] },
): readonly string[] {
  const needed = [
    ...table.always,
    ...used.resources.flatMap((type) => table.resources[type] ?? []),
    ...used.data.flatMap((type) => table.data[type] ?? []),
  ];
  return [...new Set(needed)].sort();
}
