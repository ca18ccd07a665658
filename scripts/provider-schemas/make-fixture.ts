/** Makes the fixture of one provider type from the best source there is. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { readNotes } from './from-notes.ts';
import { addToMirror, schemaFromPlugin } from './from-plugin.ts';
import { pinnedVersions, versionNote } from './pinned.ts';
import { buildPlugin, cacheDirectory, terraformProgram } from './plugins.ts';
import type { ProviderSchema, SchemaFixture } from './schema-format.ts';
import { type SchemaSource, schemaSources, templatesDirectory } from './sources.ts';
import { type UsedTypes, usedTypes } from './used-types.ts';

const root = join(import.meta.dirname, '../..');
const fixturesDirectory: string = join(root, 'test/providers/schemas');

export interface MakingOptions {
  /** Build plugins and ask them. */
  readonly plugins: boolean;
  readonly say: (sentence: string) => void;
}

type Made = Pick<SchemaFixture, 'version' | 'obtained' | 'note' | 'schema'>;

/** The text of a fixture's file, formatted as everything else here: what fits is on one line, so a fact is a line. */
export function fixtureText(fixture: SchemaFixture): string {
  const biome = join(root, 'node_modules/.bin/biome');
  const input = JSON.stringify(fixture);
  return execFileSync(biome, ['format', '--stdin-file-path=fixture.json'], { input, encoding: 'utf8', cwd: root });
}

export function fixtureFile(type: string): string {
  return join(fixturesDirectory, `${type}.json`);
}

export function readFixture(type: string): SchemaFixture {
  return JSON.parse(readFileSync(fixtureFile(type), 'utf8')) as SchemaFixture;
}

/** Types whose fixtures come from files of this repository alone. */
export const typesFromNotes: readonly string[] = Object.keys(schemaSources).filter((type) =>
  existsSync(notesFile(type)),
);

export function makeFixture(type: string, options: MakingOptions): SchemaFixture {
  const source = schemaSources[type];
  if (!source) throw new Error(`${type} is no type in scripts/provider-schemas/sources.ts`);
  const used = usedTypes(templatesDirectory, source.name);
  const kept = existsSync(fixtureFile(type)) ? readFixture(type) : undefined;
  const complete = kept && lacking(kept.schema, used).length === 0;
  const stays = kept?.obtained.startsWith('asked of the plugin') && !options.plugins && complete;
  const made = stays ? kept : make(type, source, used, options.plugins);
  for (const what of lacking(made.schema, used)) {
    options.say(`${type}: a module uses ${what}, of which nothing is known`);
  }
  const pinned = versionNote(made.version, pinnedVersions(templatesDirectory).get(source.provider));
  const ofBuild = made.obtained.startsWith('asked of the plugin') ? source.build?.note : undefined;
  const ofNotes = stays ? undefined : made.note;
  const note = [ofBuild, pinned, ofNotes, source.note].filter((part) => part !== undefined).join('; ');
  return {
    provider: source.provider,
    version: made.version,
    obtained: made.obtained,
    ...(note ? { note } : {}),
    schema: cut(made.schema, used),
  };
}

/** What modules use, and of the provider block all but the addresses of single services, which are hundreds. */
function cut({ provider, resource_schemas, data_source_schemas }: ProviderSchema, used: UsedTypes): ProviderSchema {
  const { endpoints: _, ...blocks } = provider.block_types ?? {};
  const isNoEndpoint = (name: string): boolean => !name.endsWith('_custom_endpoint');
  return {
    provider: {
      ...provider,
      ...(provider.attributes && { attributes: only(provider.attributes, isNoEndpoint) }),
      ...(provider.block_types && { block_types: blocks }),
    },
    resource_schemas: only(resource_schemas, (name) => used.resources.has(name)),
    data_source_schemas: only(data_source_schemas, (name) => used.dataSources.has(name)),
  };
}

function only<T>(of: Readonly<Record<string, T>>, keeps: (name: string) => boolean): Record<string, T> {
  return Object.fromEntries(Object.entries(of).filter(([name]) => keeps(name)));
}

function make(type: string, source: SchemaSource, wanted: UsedTypes, plugins: boolean): Made {
  if (plugins && source.build) return fromPlugin(source, source.build, wanted);
  const notes = notesFile(type);
  if (!existsSync(notes)) throw new Error(`${type}: nothing to make its fixture from without --plugins`);
  const read = readNotes(readFileSync(notes, 'utf8'), relative(root, notes));
  const obtained = [`read from ${read.from}`, ...(read.held ? [`held ${read.held}`] : [])].join('; ');
  return { version: read.version, obtained, ...(read.note ? { note: read.note } : {}), schema: read.schema };
}

function fromPlugin(source: SchemaSource, build: NonNullable<SchemaSource['build']>, wanted: UsedTypes): Made {
  const plugin = buildPlugin(build);
  const mirror = join(cacheDirectory(), 'mirror');
  addToMirror(mirror, plugin, source.provider, build.release);
  const terraform = terraformProgram();
  const { provider } = source;
  const schema = schemaFromPlugin({ terraform, mirror, provider, version: build.release, wanted });
  return {
    version: build.release,
    obtained: `asked of the plugin (terraform providers schema -json), built from ${build.module}@${build.version}`,
    schema,
  };
}

function lacking(schema: ProviderSchema, used: UsedTypes): readonly string[] {
  return [
    ...[...used.resources].filter((name) => !schema.resource_schemas[name]),
    ...[...used.dataSources].filter((name) => !schema.data_source_schemas[name]).map((name) => `data.${name}`),
  ];
}

function notesFile(type: string): string {
  return join(import.meta.dirname, 'read', `${type}.txt`);
}
