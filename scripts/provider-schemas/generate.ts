/**
 * Makes test/providers/schemas/<type>.json.
 *
 *     node scripts/provider-schemas/generate.ts [--plugins] [--bindings DIR] [--check] [type…]
 *
 * --plugins   build what the Go module proxy lets us build (cached in ~/.cache/kubeloom/providers; the first time takes
 *             from minutes to an hour) and ask the plugins; without it a fixture made from a plugin stays as it is,
 *             unless a module uses a type that it lacks: then it is made from what else there is
 * --bindings  directory with node_modules/<package of the bindings>; without it they are installed into a temporary one
 * --check     write nothing, say what differs, exit 1 if anything does
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { schemaFromBindings, type Wanted } from './from-bindings.ts';
import { readNotes } from './from-notes.ts';
import { addToMirror, schemaFromPlugin } from './from-plugin.ts';
import { buildPlugin, cacheDirectory, terraformProgram } from './plugins.ts';
import type { ProviderSchema, SchemaFixture } from './schema-format.ts';
import { newestVersions, type SchemaSource, schemaSources } from './sources.ts';
import { usedTypes } from './used-types.ts';

const root = join(import.meta.dirname, '../..');
const templates = join(root, 'templates/terraform');
const fixtures = join(root, 'test/providers/schemas');

interface Options {
  readonly plugins: boolean;
  readonly bindings: string;
}

type Made = Pick<SchemaFixture, 'version' | 'obtained' | 'note' | 'schema'>;

function main(): void {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { plugins: { type: 'boolean' }, bindings: { type: 'string' }, check: { type: 'boolean' } },
  });
  const temporary = mkdtempSync(join(tmpdir(), 'kubeloom-bindings-'));
  const options = { plugins: values.plugins ?? false, bindings: values.bindings ?? temporary };
  let different = 0;
  try {
    for (const [type, source] of Object.entries(schemaSources)) {
      if (positionals.length && !positionals.includes(type)) continue;
      const file = join(fixtures, `${type}.json`);
      const fresh = `${JSON.stringify(fixtureOf(type, source, file, options), null, 1)}\n`;
      const old = existsSync(file) ? readFileSync(file, 'utf8') : '';
      if (old === fresh) continue;
      different += 1;
      process.stderr.write(
        `provider-schemas: ${relative(root, file)} ${values.check ? 'is not what is made now' : 'written'}\n`,
      );
      if (!values.check) writeFileSync(file, fresh);
    }
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
  process.exitCode = values.check && different ? 1 : 0;
}

function fixtureOf(type: string, source: SchemaSource, file: string, options: Options): SchemaFixture {
  const used = usedTypes(templates, source.name);
  const wanted: Wanted = {
    resources: new Set([...used.resources, ...source.resources]),
    dataSources: new Set([...used.dataSources, ...source.dataSources]),
  };
  const kept = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as SchemaFixture) : undefined;
  const complete = kept && lacking(kept.schema, used).length === 0;
  const stays = kept?.obtained.startsWith('asked of the plugin') && !options.plugins && complete;
  const made = stays ? kept : make(type, source, wanted, options);
  for (const what of lacking(made.schema, used)) {
    process.stderr.write(`provider-schemas: ${type}: a module uses ${what}, of which nothing is known\n`);
  }
  return {
    provider: source.provider,
    version: made.version,
    newest: newestVersions[type] ?? { version: made.version, from: 'nothing newer is known here' },
    obtained: made.obtained,
    ...(made.note ? { note: made.note } : {}),
    schema: made.schema,
  };
}

function make(type: string, source: SchemaSource, wanted: Wanted, options: Options): Made {
  if (options.plugins && source.build) return fromPlugin(source, source.build, wanted);
  if (source.bindings) return fromBindings(source.name, source.bindings, wanted, options.bindings);
  const notes = join(import.meta.dirname, 'read', `${type}.txt`);
  if (!existsSync(notes)) throw new Error(`${type}: nothing to make its fixture from without --plugins`);
  const read = readNotes(readFileSync(notes, 'utf8'), relative(root, notes));
  return { version: read.version, obtained: `read from ${read.from}`, schema: read.schema };
}

function fromPlugin(source: SchemaSource, build: NonNullable<SchemaSource['build']>, wanted: Wanted): Made {
  const plugin = buildPlugin(build);
  const mirror = join(cacheDirectory(), 'mirror');
  addToMirror(mirror, plugin, source.provider, build.release);
  const terraform = terraformProgram();
  const { provider } = source;
  const schema = schemaFromPlugin({ terraform, mirror, provider, version: build.release, wanted });
  return {
    version: build.release,
    obtained: `asked of the plugin (terraform providers schema -json), built from ${build.module}@${build.version}${
      build.prune ? ', only the services in use registered' : ''
    }`,
    ...(build.note ? { note: build.note } : {}),
    schema,
  };
}

function fromBindings(
  name: string,
  bindings: NonNullable<SchemaSource['bindings']>,
  wanted: Wanted,
  directory: string,
): Made {
  const folder = join(directory, 'node_modules', bindings.package);
  if (!existsSync(folder)) {
    mkdirSync(directory, { recursive: true });
    const wants = `${bindings.package}@${bindings.version}`;
    const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--legacy-peer-deps', '--silent'];
    execFileSync('npm', ['install', '--prefix', directory, ...flags, wants], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  }
  const { version, cdktf } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    version: string;
    cdktf: { provider: { version: string } };
  };
  const schema: ProviderSchema = schemaFromBindings(folder, name, wanted);
  return {
    version: cdktf.provider.version,
    obtained: `read from the classes of ${bindings.package}@${version}, which are generated from the real schema; they do not tell whether an optional argument is also computed, nor what is sensitive`,
    schema,
  };
}

function lacking(schema: ProviderSchema, used: Wanted): readonly string[] {
  return [
    ...[...used.resources].filter((name) => !schema.resource_schemas[name]),
    ...[...used.dataSources].filter((name) => !schema.data_source_schemas[name]).map((name) => `data.${name}`),
  ];
}

main();
