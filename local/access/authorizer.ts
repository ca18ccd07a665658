/**
 * Identifies the caller by the bearer token of a request: the owner of the platform, one of its users, or a user of an
 * OIDC issuer. What they may do is decided later, by `functions/caller.ts`.
 *
 * Roles are bound to subjects, so no source of tokens may make those of another: users of this platform are
 * `local:<name>`, its owner is `local`, and a token of an issuer with such a subject is refused.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Authorization, Authorizer, Claims } from 'aws-on-loopback/api-gateway/authorization.ts';
import {
  IssuerUnreachable,
  type OidcOptions,
  TokenRefused,
  tokenVerifier,
} from 'aws-on-loopback/api-gateway/oidc-issuer.ts';
import { type Logger, messageOf } from 'aws-on-loopback/logger.ts';
import type { JWTPayload } from 'jose';
import { ownerName, subjectOf, usersOf } from '../users.ts';

export interface AuthorizerOptions {
  /** The owner's. */
  readonly token: string;
  /** @default only the owner is a user */
  readonly usersFile?: string;
  /** @default no tokens of others are accepted */
  readonly oidc?: OidcOptions;
}

/** `iss` of the platform's own tokens; no issuer has it, as issuers are URLs. */
const ownIssuer = 'kubeloom-local';
const owner: Claims = { sub: ownerName, iss: ownIssuer, scope: 'kubeloom/admin' };

export function authorizer(options: AuthorizerOptions & { readonly logger: Logger }): Authorizer {
  const { token: ownerToken, usersFile, oidc, logger } = options;
  const findUser = usersFile === undefined ? async () => undefined : usersOf(usersFile);
  const verify = oidc && tokenVerifier(oidc);

  return async (authorization) => {
    const [, token] = /^Bearer +([^\s,]+)$/i.exec(authorization ?? '') ?? [];
    if (token === undefined) return { refused: 'send the token of this platform as "Authorization: Bearer …"' };
    if (isSame(token, ownerToken)) return { claims: owner };
    const user = await findUser(token).catch((error: unknown) => {
      logger.error('users cannot be read; only the owner is accepted', { cause: messageOf(error) });
      return undefined;
    });
    if (user) return { claims: { sub: subjectOf(user.name), iss: ownIssuer, groups: listText(user.groups) } };
    if (!verify || token.split('.').length !== 3) return { refused: 'the token is not known to this platform' };
    try {
      return authorizeSubject(await verify(token));
    } catch (error) {
      if (error instanceof TokenRefused) return { refused: error.message };
      if (!(error instanceof IssuerUnreachable)) throw error;
      logger.warn('the keys of the OIDC issuer cannot be fetched', {
        cause: `${error.message}${error.cause === undefined ? '' : `: ${messageOf(error.cause)}`}`,
      });
      return { unavailable: 'the keys of the OIDC issuer cannot be fetched; retry later' };
    }
  };
}

function authorizeSubject(payload: JWTPayload): Authorization {
  const claims = claimsOf(payload);
  const { sub } = claims;
  if (sub === ownerName || sub?.startsWith(subjectOf('')))
    return { refused: `the subject of the token is one of this platform's own users` };
  return { claims };
}

/** As API Gateway passes them on: everything is text. */
function claimsOf(payload: JWTPayload): Claims {
  const texts = Object.entries(payload).map(([name, value]) => [name, claimText(value)] as const);
  return Object.fromEntries(texts);
}

function claimText(value: unknown): string {
  if (Array.isArray(value)) return listText(value.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))));
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}

/** Values that would be split when they are read are left out: a group "a admins" must not become "admins". */
function listText(values: readonly string[]): string {
  return `[${values.filter((value) => /^[^\s,[\]]+$/.test(value)).join(' ')}]`;
}

/** Compares digests, so that neither content nor length of the token shows in the time it takes. */
function isSame(given: string, token: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(token));
}
