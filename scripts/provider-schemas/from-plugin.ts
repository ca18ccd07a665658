/** Asks a built plugin for its schema, by `terraform providers schema -json` over a filesystem mirror. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import type { AttributeSchema, BlockSchema, ProviderSchema } from './schema-format.ts';
import type { UsedTypes } from './used-types.ts';

/** What Terraform prints of one provider; unknown parts are kept as they are and cut by `cut`. */
const Printed = z.looseObject({
  provider_schemas: z.record(
    z.string(),
    z.looseObject({
      provider: z.custom<{ block?: BlockSchema }>().optional(),
      resource_schemas: z.record(z.string(), z.custom<{ block: BlockSchema }>()).default({}),
      data_source_schemas: z.record(z.string(), z.custom<{ block: BlockSchema }>()).default({}),
    }),
  ),
});

const host = 'registry.terraform.io';

/** Puts `plugin` where Terraform's `filesystem_mirror` finds it as `provider` `version`; returns the mirror. */
export function addToMirror(mirror: string, plugin: string, provider: string, version: string): void {
  const name = provider.split('/')[1];
  const folder = join(mirror, host, provider, version, `linux_${process.arch === 'arm64' ? 'arm64' : 'amd64'}`);
  mkdirSync(folder, { recursive: true });
  copyFileSync(plugin, join(folder, `terraform-provider-${name}_v${version}`));
}

/** Environment for a terraform that knows nothing but the mirror. */
export function mirrorEnvironment(directory: string, mirror: string): NodeJS.ProcessEnv {
  const config = join(directory, 'terraform.rc');
  writeFileSync(
    config,
    `provider_installation {\n  filesystem_mirror {\n    path = ${JSON.stringify(mirror)}\n  }\n}\n`,
  );
  return { ...process.env, TF_CLI_CONFIG_FILE: config, CHECKPOINT_DISABLE: '1', TF_IN_AUTOMATION: '1' };
}

export interface PluginSchemaRequest {
  readonly terraform: string;
  readonly mirror: string;
  readonly provider: string;
  readonly version: string;
  readonly wanted: UsedTypes;
}

export function schemaFromPlugin({
  terraform,
  mirror,
  provider,
  version,
  wanted,
}: PluginSchemaRequest): ProviderSchema {
  const directory = mkdtempSync(join(tmpdir(), 'kubeloom-schema-'));
  try {
    const environment = mirrorEnvironment(directory, mirror);
    const required = { [provider.split('/')[1] ?? '']: { source: provider, version } };
    writeFileSync(join(directory, 'main.tf.json'), JSON.stringify({ terraform: { required_providers: required } }));
    const run = (...args: string[]): string =>
      execFileSync(terraform, args, { cwd: directory, env: environment, encoding: 'utf8', maxBuffer: 1 << 30 });
    run('init', '-backend=false', '-input=false', '-no-color');
    const printed = Printed.parse(JSON.parse(run('providers', 'schema', '-json')));
    const schema = printed.provider_schemas[`${host}/${provider}`];
    if (!schema) throw new Error(`terraform printed no schema of ${provider}`);
    return {
      provider: cut(schema.provider?.block ?? {}),
      resource_schemas: pick(schema.resource_schemas, wanted.resources),
      data_source_schemas: pick(schema.data_source_schemas, wanted.dataSources),
    };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function pick(
  schemas: Record<string, { block: BlockSchema }>,
  wanted: ReadonlySet<string>,
): Record<string, BlockSchema> {
  const found = [...wanted].sort().flatMap((type) => {
    const block = schemas[type]?.block;
    return block ? [[type, cut(block)] as const] : [];
  });
  return Object.fromEntries(found);
}

/** Without descriptions and versions. */
function cut(block: BlockSchema): BlockSchema {
  const attributes = Object.entries(block.attributes ?? {}).map(([name, attribute]) => [name, cutAttribute(attribute)]);
  const blocks = Object.entries(block.block_types ?? {}).map(([name, type]) => [
    name,
    {
      nesting_mode: type.nesting_mode,
      block: cut(type.block),
      ...(type.min_items ? { min_items: type.min_items } : {}),
      ...(type.max_items ? { max_items: type.max_items } : {}),
    },
  ]);
  return {
    ...(attributes.length ? { attributes: Object.fromEntries(attributes) } : {}),
    ...(blocks.length ? { block_types: Object.fromEntries(blocks) } : {}),
  };
}

function cutAttribute(attribute: AttributeSchema): AttributeSchema {
  const { type, nested_type, required, optional, computed, sensitive, write_only } = attribute;
  const inner = Object.entries(nested_type?.attributes ?? {}).map(([name, of]) => [name, cutAttribute(of)] as const);
  return {
    ...(type ? { type } : {}),
    ...(nested_type
      ? { nested_type: { nesting_mode: nested_type.nesting_mode, attributes: Object.fromEntries(inner) } }
      : {}),
    ...(required ? { required } : {}),
    ...(optional ? { optional } : {}),
    ...(computed ? { computed } : {}),
    ...(sensitive ? { sensitive } : {}),
    ...(write_only ? { write_only } : {}),
  };
}
