/** What every generated root module (`main.tf.json`) has: backend, provider blocks, credential variables. */
import { credentialFields, credentialVariable, type ProviderTemplate } from './provider-template.ts';
import { identifierOf, literal } from './terraform-names.ts';

/** Where Terraform keeps its state. Endpoint and credentials come from the environment. */
export interface StateBackend {
  readonly bucket: string;
  readonly region: string;
  readonly key: string;
}

/** Which provider block a module call gets: Terraform's `providers` argument, empty for types without one. */
export type ProviderChoice = Readonly<Record<string, unknown>>;

export type RootModule = Readonly<Record<string, unknown>>;

/** The root without any module call. Applying it would remove what the state has, and run no destroy provisioner. */
export function emptyRoot(template: ProviderTemplate, regions: readonly string[], backend: StateBackend): RootModule {
  const { provider } = template;
  const required = requiredProviders(template);
  const fields = credentialFields(template);
  return {
    '//': 'Written by Kubeloom. Changes are lost.',
    terraform: {
      backend: { s3: backendBlock(backend) },
      ...(Object.keys(required).length === 0 ? {} : { required_providers: literal(required) }),
    },
    ...(fields.length === 0
      ? {}
      : {
          variable: Object.fromEntries(
            fields.map((field) => [
              credentialVariable(field),
              {
                type: 'string',
                sensitive: true,
                ...(template.optionalFields.includes(field) ? { default: null } : { nullable: false }),
              },
            ]),
          ),
        }),
    ...(provider === undefined ? {} : { provider: { [provider.name]: providerBlocks(template, provider, regions) } }),
  };
}

/** Plugins in their exact versions, by local name. */
export function requiredProviders({
  provider,
  alsoRequired,
}: ProviderTemplate): Readonly<Record<string, { readonly source: string; readonly version: string }>> {
  if (provider === undefined) return alsoRequired;
  const { name, source, version } = provider;
  return { ...alsoRequired, [name]: { source, version } };
}

/** The `providers` argument for a call that lives in `region`. */
export function providerChoice(template: ProviderTemplate, region: string): ProviderChoice {
  const { provider } = template;
  if (provider?.regionArgument === undefined) return {};
  return { providers: { [provider.name]: `${provider.name}.${identifierOf(region)}` } };
}

/** Arguments of every module call whose values are fields of the Secret. */
export function secretArguments({ moduleVariables }: ProviderTemplate): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(moduleVariables).map(([variable, field]) => [variable, `\${var.${credentialVariable(field)}}`]),
  );
}

function backendBlock(backend: StateBackend): Readonly<Record<string, unknown>> {
  return {
    ...literal({ bucket: backend.bucket, key: backend.key, region: backend.region }),
    // No `encrypt`: it asks S3 for a key of its own, where the bucket's default is that of the installation.
    use_lockfile: true,
    use_path_style: true,
    skip_credentials_validation: true,
    skip_metadata_api_check: true,
    skip_region_validation: true,
    skip_requesting_account_id: true,
    skip_s3_checksum: true,
  };
}

function providerBlocks(
  { optionalFields }: ProviderTemplate,
  provider: NonNullable<ProviderTemplate['provider']>,
  regions: readonly string[],
): readonly unknown[] {
  const credentials = Object.fromEntries(
    Object.entries(provider.credentials).map(([argument, field]) => {
      const fallback = optionalFields.includes(field) ? provider.arguments[argument] : undefined;
      return [argument, fieldOr(field, fallback)];
    }),
  );
  const common = { ...literal(provider.arguments), ...withBlocks(credentials) };
  const { regionArgument } = provider;
  if (regionArgument === undefined) return [common];
  return [...new Set(regions)]
    .sort()
    .map((region) => ({ alias: identifierOf(region), [regionArgument]: literal(region), ...common }));
}

/** `assume_role.role_arn` becomes the argument `role_arn` of the block `assume_role`. */
function withBlocks(credentials: Readonly<Record<string, string>>): Readonly<Record<string, unknown>> {
  const entries = Object.entries(credentials).map(([path, value]) => ({ path: path.split('.'), value }));
  const blocks = new Map<string, Record<string, string>>();
  for (const { path, value } of entries) {
    const [block, inner] = path;
    if (block !== undefined && inner !== undefined) blocks.set(block, { ...blocks.get(block), [inner]: value });
  }
  const plain = entries.flatMap(({ path, value }) => (path.length === 1 ? [[path[0], value]] : []));
  return { ...Object.fromEntries(plain), ...Object.fromEntries(blocks) };
}

/** The value of a Secret's field; a fixed argument of the same name stands in for an optional field that is missing. */
function fieldOr(field: string, fallback: unknown): string {
  const variable = `var.${credentialVariable(field)}`;
  return fallback === undefined ? `\${${variable}}` : `\${coalesce(${variable}, ${JSON.stringify(literal(fallback))})}`;
}
