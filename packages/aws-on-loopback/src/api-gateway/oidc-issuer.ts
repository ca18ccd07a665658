/** Validates tokens of an OIDC issuer as API Gateway's JWT authorizer does. */
import { createRemoteJWKSet, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify, type RemoteJWKSet } from 'jose';
import { z } from 'zod';

export interface OidcOptions {
  /** Exactly the `iss` of the tokens. */
  readonly issuer: string;
  /** One of them is in `aud`, or, where a token has none, in `client_id`. */
  readonly audiences: readonly string[];
}

/** Why a token is refused, as a constant text: it is sent to the sender of the token. */
export class TokenRefused extends Error {}
/** The token cannot be checked: the keys of its issuer cannot be fetched. */
export class IssuerUnreachable extends Error {}

/** Signatures with a private key only: none that can be made with the public key. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512'];
const leewaySeconds = 60;
/** After keys could not be fetched, they are not requested again for this time. */
const pauseMs = 5_000;

/**
 * Gives the claims of a token that is good. Rejects with `TokenRefused` or `IssuerUnreachable`.
 * Keys are where the issuer's discovery document says, and are kept for 10 minutes; an unknown key id makes it ask
 * again, at most every 30 s.
 */
export function tokenVerifier({ issuer, audiences }: OidcOptions): (token: string) => Promise<JWTPayload> {
  const keys = keysOf(issuer);
  return async (token) => {
    const { payload } = await jwtVerify(token, keys, {
      issuer,
      algorithms,
      clockTolerance: leewaySeconds,
      requiredClaims: ['exp'],
    }).catch((error: unknown) => {
      throw error instanceof IssuerUnreachable ? error : new TokenRefused(reasonOf(error), { cause: error });
    });
    const meant = payload.aud === undefined ? [payload.client_id] : [payload.aud].flat();
    if (!meant.some((one) => typeof one === 'string' && audiences.includes(one)))
      throw new TokenRefused('the token is for another audience');
    if (payload.iat !== undefined && payload.iat > Date.now() / 1000 + leewaySeconds)
      throw new TokenRefused('the token was issued in the future');
    return payload;
  };
}

/** The answer to a token with a wrong signature is always the same. */
function reasonOf(error: unknown): string {
  if (error instanceof errors.JWTExpired) return 'the token has expired';
  if (error instanceof errors.JWTClaimValidationFailed) {
    if (error.claim === 'iss') return 'the token is from another issuer';
    if (error.claim === 'nbf') return 'the token is not valid yet';
    return 'the token lacks a claim, or one of its times is not valid';
  }
  return 'the token is not signed by a key of the issuer';
}

/** Keys of the issuer by key id, which a token has to name. Nothing in a token can block the keys of others. */
function keysOf(issuer: string): JWTVerifyGetKey {
  let found: RemoteJWKSet | undefined;
  let fetching: Promise<RemoteJWKSet> | undefined;
  let failedAt = Number.NEGATIVE_INFINITY;
  const fetchKeys = async (): Promise<RemoteJWKSet> => {
    if (performance.now() - failedAt < pauseMs) throw new IssuerUnreachable(`the keys of ${issuer} cannot be fetched`);
    try {
      found ??= createRemoteJWKSet(await discover(issuer));
      await found.reload();
      return found;
    } catch (cause) {
      failedAt = performance.now();
      found = undefined;
      throw new IssuerUnreachable(`the keys of ${issuer} cannot be fetched`, { cause });
    }
  };
  const fetchOnce = (): Promise<RemoteJWKSet> => {
    fetching ??= fetchKeys().finally(() => {
      fetching = undefined;
    });
    return fetching;
  };
  return async (header, token) => {
    if (typeof header.kid !== 'string') throw new errors.JWKSNoMatchingKey();
    const keys = found?.fresh ? found : await fetchOnce();
    // An unknown key id lets it ask again.
    return keys(header, token).catch((cause: unknown) => {
      if (cause instanceof errors.JOSEError && !(cause instanceof errors.JWKSTimeout)) throw cause;
      throw new IssuerUnreachable(`the keys of ${issuer} cannot be fetched`, { cause });
    });
  };
}

const Discovery = z.object({ issuer: z.string(), jwks_uri: z.url() });

/** Where the keys are. */
async function discover(issuer: string): Promise<URL> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(5_000) });
  if (!response.ok) throw new Error(`${url} answers ${response.status}`);
  const document = Discovery.parse(await response.json());
  if (document.issuer !== issuer) throw new Error(`${url} belongs to issuer "${document.issuer}"`);
  const keys = new URL(document.jwks_uri);
  if (!isTrustworthy(keys)) throw new Error(`${url} has its keys at ${keys.origin}, which is not https`);
  return keys;
}

/** On this machine there is no third party between; everywhere else TLS shows who answers. */
export function isTrustworthy({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && ['127.0.0.1', '[::1]', 'localhost'].includes(hostname));
}
