/**
 * Who may use the AWS services of a platform: clients that sign with its access key. The platform of root must not give
 * its secrets to other users of the machine, nor to a page in a browser. The key id is the secret here; signatures are
 * not checked.
 */
import { keyDigest, type SigningClient } from 'aws-on-loopback/server/callers.ts';
import { functionNames } from '#functions/rights/uses.ts';
import { openIdentity, sealIdentity, type ToolSession } from './session-token.ts';

/** Whose role in AWS a request is held to. */
export type Principal =
  /** Id of a build, whose project's role may ask for credentials and nothing else. */
  | { readonly kind: 'build'; readonly name: string }
  /** Session of a tool's role, for one job. */
  | ToolSession
  | { readonly kind: 'function'; readonly name: string };

/** Access key id of the platform whose API token this is. */
export function accessKeyOf(token: string): string {
  return keyId('KL', `access key of ${token}`);
}

/** Access key id that goes with a session token, which says whose it is. */
export function sessionKeyOf(token: string): string {
  return keyId('KS', `session ${token}`);
}

/** What a build finds in its environment: its identity, and no right to anything but asking for credentials. */
export function identityOfBuild(accessKey: string, build: string): Readonly<Record<string, string>> {
  const token = sealIdentity(accessKey, { kind: 'build', build });
  return { AWS_ACCESS_KEY_ID: sessionKeyOf(token), AWS_SECRET_ACCESS_KEY: 'local', AWS_SESSION_TOKEN: token };
}

/** Access key id of a function (`plan-cluster`): the services allow requests signed with it only what its role allows. */
export function functionKeyOf(accessKey: string, name: string): string {
  return keyId('KF', `${name} of ${accessKey}`);
}

const keyId = (prefix: string, text: string): string => `${prefix}${keyDigest(text).slice(0, 30).toUpperCase()}`;

/** Whom the platform knows by their keys; undefined: the platform itself, which may do everything. */
export function principalByKey(accessKey: string): ReadonlyMap<string, Principal | undefined> {
  return new Map<string, Principal | undefined>([
    [accessKey, undefined],
    ...functionNames.map((name) => [functionKeyOf(accessKey, name), { kind: 'function', name }] as const),
  ]);
}

/** Who has the session token; undefined without one, and for one that this platform did not make. */
export function principalInSession(
  accessKey: string,
  { accessKeyId, sessionToken }: SigningClient,
): Principal | undefined {
  if (sessionToken === undefined || accessKeyId !== sessionKeyOf(sessionToken)) return undefined;
  const identity = openIdentity(accessKey, sessionToken);
  return identity?.kind === 'build' ? { kind: 'build', name: identity.build } : identity;
}
