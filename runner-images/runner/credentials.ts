/** Fetches secrets just before use, from the store or from a Vault; every value is masked from then on. */
import { parseLocator } from '#domain/secret-locator.ts';
import type { SecretStore } from '#functions/ports.ts';
import type { SecretMask } from './secret-mask.ts';
import { StageFailure } from './stage-failure.ts';
import { vaultConnection } from './vault/vault-connection.ts';
import { VaultSession } from './vault/vault-session.ts';

/** What a stage or a check needs for credentials: the ports that read Secrets, and the mask of all output. */
export interface Around {
  readonly ports: { readonly secrets: Pick<SecretStore, 'get'> };
  readonly mask: SecretMask;
}

/** One login for each connection and stage; a stage has a mask of its own. */
const sessions = new WeakMap<SecretMask, Map<string, Promise<VaultSession>>>();

/** The fields that a reference (`locatorText`) leads to. Throws `SecretMissing` or the error of a Vault. */
export async function userSecret(
  context: Around,
  reference: string,
  usedBy: string,
): Promise<Readonly<Record<string, string>>> {
  const locator = parseLocator(reference);
  if (locator?.kind !== 'vault') return storedSecret(context, reference, usedBy);
  const session = await sessionOf(context, locator.connection, usedBy);
  return session.read(locator);
}

/**
 * Ends the logins to Vaults that were made while reading for this mask; a later read logs in again. Never throws: returns
 * failures as sentences for the log.
 */
export async function revokeVaultTokens(mask: SecretMask): Promise<readonly string[]> {
  const opened = [...(sessions.get(mask)?.values() ?? [])];
  sessions.delete(mask);
  const left = await Promise.all(opened.map((one) => one.then((session) => session.leave()).catch(() => [])));
  return left.flat();
}

/** One field of a Secret that must be there. */
export function requiredField(fields: Readonly<Record<string, string>>, field: string, title: string): string {
  const value = fields[field];
  if (value !== undefined && value.trim() !== '') return value;
  throw new StageFailure({
    class: 'credentials',
    code: 'SecretFieldMissing',
    message: `The ${title} has no field ${field}.`,
    hint: `Add ${field} to the ${title}, then retry.`,
  });
}

async function storedSecret(context: Around, name: string, usedBy: string): Promise<Readonly<Record<string, string>>> {
  const fields = await context.ports.secrets.get(`user/${name}`);
  if (fields === undefined) {
    throw new StageFailure({
      class: 'credentials',
      code: 'SecretMissing',
      message: `The Secret ${name}, which ${usedBy} needs, does not exist.`,
      resource: usedBy,
      hint: `Apply the Secret ${name} again, then retry.`,
    });
  }
  context.mask.add(Object.values(fields));
  return fields;
}

function sessionOf(context: Around, connection: string, usedBy: string): Promise<VaultSession> {
  const known = sessions.get(context.mask) ?? new Map<string, Promise<VaultSession>>();
  sessions.set(context.mask, known);
  const before = known.get(connection);
  if (before !== undefined) return before;
  const opened = storedSecret(context, connection, usedBy).then(
    (fields) => new VaultSession(vaultConnection(connection, fields), (values) => context.mask.add(values)),
  );
  known.set(connection, opened);
  opened.catch(() => known.delete(connection));
  return opened;
}
