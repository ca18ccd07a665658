/** Address of and login to a Vault, from the fields of its Secret. */
import { secretFieldFaults } from '#domain/manifest/secrets/secret-field-faults.ts';
import { trimmedEnd } from '#domain/trimmed-end.ts';
import { StageFailure } from '../stage-failure.ts';

export type VaultLogin =
  | { readonly kind: 'approle'; readonly roleId: string; readonly secretId: string }
  | { readonly kind: 'aws'; readonly role: string; readonly serverId?: string }
  | { readonly kind: 'jwt'; readonly role: string; readonly jwt: string }
  /** With a JWT that AWS issues for this audience. */
  | { readonly kind: 'jwtOfAws'; readonly role: string; readonly audience: string };

export interface VaultConnection {
  /** Name of the Secret, for messages. */
  readonly name: string;
  readonly address: string;
  /** Namespace of Vault Enterprise or HCP. */
  readonly namespace?: string;
  /** PEM of the authorities to trust instead of the usual ones. */
  readonly ca?: string;
  /** Where the auth method is mounted. */
  readonly authMount: string;
  readonly login: VaultLogin;
}

/** Reads the fields of the Secret `name`. Throws `VaultConnectionFaulty` with every fault, never with a value. */
export function vaultConnection(name: string, fields: Readonly<Record<string, string>>): VaultConnection {
  const faults = secretFieldFaults(fields, 'vault');
  if (faults.length > 0) {
    throw new StageFailure({
      class: 'credentials',
      code: 'VaultConnectionFaulty',
      message: faults.map(({ path, reason }) => `${path.replace('stringData.', '')} ${reason}`).join('; '),
      resource: name,
      hint: `Apply the Secret ${name} with the fields of a connection to Vault (docs/secrets.md), then retry.`,
    });
  }
  const login = loginOf(fields);
  const { address = '', namespace, ca, authmount } = fields;
  return {
    name,
    address: trimmedEnd(address, '/'),
    ...(namespace === undefined ? {} : { namespace }),
    ...(ca === undefined ? {} : { ca }),
    authMount: authmount ?? (login.kind === 'jwtOfAws' ? 'jwt' : login.kind),
    login,
  };
}

function loginOf(fields: Readonly<Record<string, string>>): VaultLogin {
  const { roleid, secretid = '', awsrole, awsserverid, jwtrole: role = '', jwt, jwtaudience: audience = '' } = fields;
  if (roleid !== undefined) return { kind: 'approle', roleId: roleid, secretId: secretid };
  if (awsrole !== undefined) {
    return { kind: 'aws', role: awsrole, ...(awsserverid === undefined ? {} : { serverId: awsserverid }) };
  }
  return jwt === undefined ? { kind: 'jwtOfAws', role, audience } : { kind: 'jwt', role, jwt };
}
