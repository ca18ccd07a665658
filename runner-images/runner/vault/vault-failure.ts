/** Turns a Vault's answer into an error for people. Vault's own words are shown only where they cannot contain a secret. */
import { z } from 'zod';
import type { StageError } from '#contracts/stage.ts';
import { observedWords } from '#domain/observed/closed-texts.ts';
import { StageFailure } from '../stage-failure.ts';
import type { VaultConnection } from './vault-connection.ts';
import type { VaultAnswer } from './vault-request.ts';

export const VaultErrors = z.object({ errors: z.array(observedWords(500)) });

type Case = Pick<StageError, 'class' | 'code' | 'message' | 'hint'>;

/** An error of the Vault itself, independent of the request; undefined for all other errors. */
export function outOfService(
  { name, address }: VaultConnection,
  { status, body }: VaultAnswer,
): StageFailure | undefined {
  const words = VaultErrors.safeParse(body).data?.errors.join(' ') ?? '';
  const found = ((): Case | undefined => {
    if (status === 503 && /sealed/i.test(words)) {
      const message = `The Vault ${address} is sealed: it serves no secrets.`;
      return {
        class: 'transient',
        code: 'VaultSealed',
        message,
        hint: 'Unseal it.',
      };
    }
    if (status === 429 || status >= 472) {
      const message = `The Vault ${address} cannot answer now (HTTP ${status}).`;
      return {
        class: 'transient',
        code: 'VaultUnavailable',
        message,
        hint: 'See the log of Vault.',
      };
    }
    return undefined;
  })();
  return found && new StageFailure({ ...found, resource: name });
}

/** A login that was refused. */
export function loginRefused({ name, address, authMount, login }: VaultConnection, status: number): StageFailure {
  const method = { approle: 'AppRole', aws: 'AWS IAM', jwt: 'JWT', jwtOfAws: 'JWT issued by AWS' }[login.kind];
  const known = {
    approle: 'role id or secret id are',
    aws: 'role is',
    jwt: 'role or the token are',
    jwtOfAws: 'role is',
  };
  const isMissing = status === 404;
  return new StageFailure({
    class: 'credentials',
    code: 'VaultLoginRefused',
    message: isMissing
      ? `The Vault ${address} has no auth method at ${authMount} (login by ${method}).`
      : `The Vault ${address} refuses the login by ${method} at ${authMount} (HTTP ${status}): the ${known[login.kind]} wrong, expired, or used up.`,
    resource: name,
    hint: isMissing
      ? `Set authmount (and namespace) of the Secret ${name} to what \`vault auth list\` shows, then retry.`
      : `Apply the Secret ${name} with a login that works, then retry.`,
  });
}

/** A token that may not read the path, also after a new login. */
export function readForbidden({ name, address }: VaultConnection, path: string): StageFailure {
  return new StageFailure({
    class: 'credentials',
    code: 'VaultForbidden',
    message: `The Vault ${address} denies the login of ${name} access to ${path} (HTTP 403).`,
    resource: name,
    hint: `Give its policy the capability "read" on ${path}, then retry.`,
  });
}

/** There is no secret at the path. */
export function nothingThere({ name, address }: VaultConnection, path: string, deleted: boolean): StageFailure {
  return new StageFailure({
    class: 'user',
    code: 'VaultSecretMissing',
    message: `The Vault ${address} has no secret at ${path}${deleted ? ': its newest version was deleted' : ''}.`,
    resource: name,
    hint: `Write it (\`vault kv put\`), or correct path, mount and kvVersion of the reference, then retry.`,
  });
}

/** An unexpected answer. */
export function oddAnswer({ name, address }: VaultConnection, what: string, status: number): StageFailure {
  return new StageFailure({
    class: 'user',
    code: 'VaultAnswerOdd',
    message: `The Vault ${address} answers ${what} with HTTP ${status}, which is not an answer of a Vault.`,
    resource: name,
    hint: `Check that the address in the Secret ${name} is that of a Vault, and that kvVersion is right.`,
  });
}
