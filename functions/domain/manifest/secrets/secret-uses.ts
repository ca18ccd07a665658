/** What Secrets are for, and the fields that each use needs: one way to log in, or several to choose from. */
import {
  type ProviderTypeFacts,
  type ProviderTypeName,
  providerTypes,
  type SecretField,
} from '../../provider-types.ts';
import type { InputManifest } from '../schema/input-manifest.ts';
import { pluginType } from '../schema/provider-plugin.ts';
import { type SecretSource, storedSecretOf } from '../schema/secret-source.ts';

/** The credentials of a provider type, the SSH key of static nodes, a token for git, the connection to a Vault, an address for notifications. */
export type SecretUse = ProviderTypeName | 'ssh' | 'git' | 'vault' | 'webhook' | 'chat';

const field = (name: string, format: string, accepts: SecretField['accepts'], required = true): SecretField => ({
  name,
  required,
  format,
  accepts,
});
const filled = (name: string, required = true): SecretField =>
  field(name, 'any text that is not empty', (value) => value.length > 0, required);
const privateKey = field('privatekey', 'an SSH private key in PEM form', (value) =>
  /^-----BEGIN [A-Z ]*PRIVATE KEY-----\s[\s\S]*-----END [A-Z ]*PRIVATE KEY-----$/.test(value),
);

/** Where notifications go. */
const address = field(
  'url',
  'an https URL without a user and a fragment, such as https://hooks.example.com/team',
  (value) => value.length <= 2000 && /^https:\/\/[^\s/?#@\\]+(?:[/?][^\s#\\]*)?$/.test(value) && URL.canParse(value),
);
/** As Standard Webhooks has it: 24 to 64 bytes. */
const signingKey = field(
  'signingkey',
  '"whsec_" and 24 to 64 bytes in base64, as of: echo whsec_$(openssl rand -base64 32)',
  (value) => /^whsec_[A-Za-z0-9+/]{32,86}={0,2}$/.test(value),
);

/** A token over plain HTTP could be read on the way: only a Vault on the same machine may use it. */
const vaultFields: readonly SecretField[] = [
  field(
    'address',
    'an https URL such as https://vault.example.com:8200',
    (value) => URL.canParse(value) && /^(https:|http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(?=[:/]|$))/.test(value),
  ),
  filled('namespace', false),
  field(
    'ca',
    'certificates in PEM form',
    (value) => /^-----BEGIN CERTIFICATE-----\s[\s\S]*-----END CERTIFICATE-----$/.test(value),
    false,
  ),
  filled('authmount', false),
];

/** The ways to log in to Vault: AppRole, AWS IAM, a JWT that is given, a JWT that AWS issues for an audience. */
const vaultWays: readonly (readonly SecretField[])[] = [
  [...vaultFields, filled('roleid'), filled('secretid')],
  [...vaultFields, filled('awsrole'), filled('awsserverid', false)],
  [...vaultFields, filled('jwtrole'), filled('jwt')],
  [...vaultFields, filled('jwtrole'), filled('jwtaudience')],
];

/** The fields of each way; the first one is the ordinary one. */
export function secretWaysFor(use: SecretUse): readonly (readonly SecretField[])[] {
  if (use === 'ssh') return [[privateKey]];
  if (use === 'git') return [[filled('token'), filled('username', false)]];
  if (use === 'vault') return vaultWays;
  if (use === 'chat') return [[address]];
  if (use === 'webhook') return [[address, signingKey]];
  const facts: ProviderTypeFacts = providerTypes[use];
  return [facts.secret, ...(facts.keyless ?? [])];
}

/** For messages: who needs the fields. */
export function purposeOf(use: SecretUse): string {
  if (use === 'ssh') return 'SSH to static nodes';
  if (use === 'git') return 'a private git repository';
  if (use === 'webhook' || use === 'chat') return 'notifications';
  return use === 'vault' ? 'a connection to Vault' : providerTypes[use].title;
}

/** What the stored Secrets that a manifest refers to are for, by `<namespace>/<name>`. */
export function secretUses(manifest: InputManifest): ReadonlyMap<string, readonly SecretUse[]> {
  const uses = new Map<string, SecretUse[]>();
  const note = (source: SecretSource, use: SecretUse): void => {
    const { namespace, name } = storedSecretOf(source, manifest.metadata.namespace);
    const key = `${namespace}/${name}`;
    const before = uses.get(key) ?? [];
    const stored = source.vault === undefined ? use : 'vault';
    if (!before.includes(stored)) uses.set(key, [...before, stored]);
  };
  for (const { providerType, secretRef } of manifest.spec.providers) {
    // What the Secret of a plugin has to have, its folder says.
    if (secretRef === undefined || providerType === pluginType) continue;
    if (providerTypes[providerType].secret.length > 0) note(secretRef, providerType);
  }
  for (const pool of manifest.spec.nodePools.static) for (const node of pool.nodes) note(node.secretRef, 'ssh');
  return uses;
}
