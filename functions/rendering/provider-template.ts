/** What `templates/terraform/<type>/provider.json` contains about a provider type; types that need no provider block have none. */
import { z } from 'zod';

/** Another way to log in than the one of `credentials`. */
export const ProviderLogin = z.strictObject({
  /** Fields of the Secret that make it this login; it is taken when `credentials` lacks one of its own. */
  fields: z.array(z.string()).min(1),
  /** Provider argument ← field; `block.argument` goes into a block. What the Secret has not is left out. */
  credentials: z.record(z.string(), z.string()).default({}),
  /** Arguments that are always the same, in addition to those of the provider. */
  arguments: z.record(z.string(), z.json()).default({}),
  /** A token that AWS issues for the runner is kept in a file; the field `tokenfile` is its path. */
  webIdentity: z
    .strictObject({
      /** Audience of the token; `{field}` stands for a field of the Secret. */
      audience: z.string(),
      /** `tokenfile` is the path of an `external_account` file for Google's libraries, which names the token's file. */
      externalAccount: z.boolean().default(false),
    })
    .optional(),
});
export type ProviderLogin = z.infer<typeof ProviderLogin>;

const JsonSchema = z.record(z.string(), z.unknown());

export const ProviderTemplate = z.strictObject({
  /** Name of the type for people. */
  title: z.string().optional(),
  /** JSON Schema of what a pool says to the variable `properties` of nodepool; absent: there is no such variable. */
  properties: JsonSchema.optional(),
  /** JSON Schema of the Secret: a map of texts. @default the fields that are used, not empty */
  secret: JsonSchema.optional(),
  /** Local name of the provider inside Terraform, e.g. `aws`. Absent: the type needs no provider block. */
  provider: z
    .strictObject({
      name: z.string(),
      source: z.string(),
      version: z.string(),
      /** Provider argument ← field of the Secret; `block.argument` goes into a block. */
      credentials: z.record(z.string(), z.string()),
      /** Further ways to log in, chosen by the fields that the Secret has. */
      logins: z.array(ProviderLogin).default([]),
      /** Argument that names the region; absent: one provider block for all regions. */
      regionArgument: z.string().optional(),
      /** Region for what has none, such as DNS. */
      defaultRegion: z.string().optional(),
      /** Arguments that are always the same; one that is also in `credentials` stands in for an optional field that is missing. */
      arguments: z.record(z.string(), z.json()).default({}),
    })
    .optional(),
  /** Further providers that the modules use without any configuration, e.g. `time`. */
  alsoRequired: z.record(z.string(), z.strictObject({ source: z.string(), version: z.string() })).default({}),
  /** Module variable ← field of the Secret: what the modules themselves need and the provider block has no argument for. */
  moduleVariables: z.record(z.string(), z.string()).default({}),
  /**
   * Environment variable of Terraform and of the hooks ← field of the Secret, empty without one: for what logs in by
   * its environment. No module, plan or state has it.
   */
  secretEnvironment: z.record(z.string(), z.string()).default({}),
  /** Fields of the Secret that may be missing: what takes them is null then. */
  optionalFields: z.array(z.string()).default([]),
  /**
   * What blocks connections to the machines from outside: `cloud`, the network module; `host`, Ansible, since the cloud has no
   * firewall; `none`, nothing.
   */
  firewall: z.enum(['cloud', 'host', 'none']).default('none'),
  /** Module variable ← environment variable of the runner, left out where that is not set. */
  environment: z
    .strictObject({
      network: z.record(z.string(), z.string()).default({}),
      nodepool: z.record(z.string(), z.string()).default({}),
      dns: z.record(z.string(), z.string()).default({}),
    })
    .prefault({}),
});
export type ProviderTemplate = z.infer<typeof ProviderTemplate>;

export const noProviderTemplate: ProviderTemplate = ProviderTemplate.parse({});

/** Fields of the Secret that Terraform is given, in order and without repeats. */
export function credentialFields({ provider, moduleVariables }: ProviderTemplate): readonly string[] {
  const fields = [...Object.values(provider?.credentials ?? {}), ...Object.values(moduleVariables)];
  return [...new Set(fields)].sort();
}

/** Fields of the Secret that anything of the type is given, in order and without repeats. */
export function usedFields(template: ProviderTemplate): readonly string[] {
  return [...new Set([...credentialFields(template), ...Object.values(template.secretEnvironment)])].sort();
}

/** Name of the variable that carries a Secret's field; its value comes by `TF_VAR_<name>` at run time. */
export function credentialVariable(field: string): string {
  return `secret_${field}`;
}
