/** Where the fields of a Secret come from: a Secret that is stored here, or a secret of a HashiCorp Vault. */
import { z } from 'zod';
import { locatorText } from '../../secret-locator.ts';
import { SecretReference, Text } from './names.ts';

/** Name of the Secret with the connection that is used when a reference names none. */
export const defaultVaultConnection = 'vault';

const slashes = /^[^/\s?#%][^\s?#%]*[^/\s?#%]$|^[^/\s?#%]$/;
const pathMessage = 'has white space, "?", "#", "%" or a "/" at an end; write it as `vault kv get` takes it';

const VaultSource = z.strictObject({
  path: z
    .string()
    .regex(slashes, { error: pathMessage })
    .describe('Path of the secret below the mount, e.g. "clouds/aws".'),
  mount: z
    .string()
    .regex(slashes, { error: pathMessage })
    .default('secret')
    .describe('Where the KV engine is mounted.'),
  kvVersion: z
    .union([z.literal(1), z.literal(2)])
    .optional()
    .describe('Version of the KV engine; by default the runner asks Vault.'),
  keys: z
    .record(z.string(), Text)
    .optional()
    .describe('Field that Kubeloom needs → key of the secret, if they differ.'),
  connection: SecretReference.optional().describe(
    `Secret with the connection to Vault; "${defaultVaultConnection}" in the manifest's namespace by default.`,
  ),
});

/** `{name, namespace}` of a Secret, or `{vault}`. */
export const SecretSource = z
  .strictObject({
    name: Text.optional().describe('Name of the Secret.'),
    namespace: Text.optional().describe('Namespace of the Secret.'),
    vault: VaultSource.optional().describe('Kubeloom: a secret of a HashiCorp Vault instead of a stored one.'),
  })
  .superRefine(({ name, namespace, vault }, context) => {
    const given = { name, namespace };
    for (const field of ['name', 'namespace'] as const) {
      if (vault === undefined && given[field] === undefined) {
        context.addIssue({ code: 'custom', path: [field], input: undefined, message: 'is missing; add it' });
      }
      if (vault !== undefined && given[field] !== undefined) {
        const message = 'is given together with vault; remove one of the two';
        context.addIssue({ code: 'custom', path: [field], input: given[field], message });
      }
    }
  });
export type SecretSource = z.infer<typeof SecretSource>;

/** The reference as states hold it. */
export function locatorOf(source: SecretSource, manifestNamespace: string): string {
  const { vault } = source;
  const { name, namespace } = storedSecretOf(source, manifestNamespace);
  if (vault === undefined) return locatorText({ kind: 'stored', name: `${namespace}/${name}` });
  const { mount, path, kvVersion, keys = {} } = vault;
  return locatorText({
    kind: 'vault',
    connection: `${namespace}/${name}`,
    mount,
    path,
    keys,
    ...(kvVersion === undefined ? {} : { kvVersion }),
  });
}

/** The Secret that has to be stored here for a reference to work: the one it names, or Vault's connection. */
export function storedSecretOf(source: SecretSource, manifestNamespace: string): SecretReference {
  const { name = '', namespace = '', vault } = source;
  if (vault === undefined) return { name, namespace };
  return vault.connection ?? { name: defaultVaultConnection, namespace: manifestNamespace };
}
