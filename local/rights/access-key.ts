/**
 * Who may use the AWS services of a platform: clients that sign with its access key. The platform of root must not give
 * its secrets to other users of the machine, nor to a page in a browser. The key id is the secret here; signatures are
 * not checked.
 */
import { createHash } from 'node:crypto';
import type { IncomingMessage, RequestListener } from 'node:http';
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

const keyId = (prefix: string, text: string): string => `${prefix}${digest(text).slice(0, 30).toUpperCase()}`;
const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

const principals = new WeakMap<IncomingMessage, Principal>();

/** Who signed the request; undefined for the platform itself, which may do everything. */
export function principalOf(request: IncomingMessage): Principal | undefined {
  return principals.get(request);
}

/** Passes on requests that are signed (SigV4 header) with the access key of the platform, of a function or of a build's session; answers all others with 403. */
export function guarded(listener: RequestListener, accessKey: string): RequestListener {
  const keys: readonly (readonly [key: string, principal: Principal | undefined])[] = [
    [accessKey, undefined],
    ...functionNames.map((name) => [functionKeyOf(accessKey, name), { kind: 'function', name }] as const),
  ];
  // By digest: how long a look-up takes says nothing about the keys.
  const known = new Map(keys.map(([key, principal]) => [digest(key), principal]));
  return (request, response) => {
    const given = /^AWS4-HMAC-SHA256 Credential=([^/,\s]+)\//.exec(request.headers.authorization ?? '')?.[1] ?? '';
    const signer = digest(given);
    const session = sessionOf(request, accessKey, given);
    if (session !== undefined || known.has(signer)) {
      const principal = session ?? known.get(signer);
      if (principal !== undefined) principals.set(request, principal);
      listener(request, response);
      return;
    }
    request.resume();
    response.writeHead(403, { 'content-type': 'application/x-amz-json-1.0' });
    response.end('{"__type":"UnrecognizedClientException","message":"sign with the access key of this platform"}');
  };
}

/** Who has the session token of the request; undefined without one, and for one that this platform did not make. */
function sessionOf(request: IncomingMessage, accessKey: string, given: string): Principal | undefined {
  const token = request.headers['x-amz-security-token'];
  if (typeof token !== 'string' || given !== sessionKeyOf(token)) return undefined;
  const identity = openIdentity(accessKey, token);
  return identity?.kind === 'build' ? { kind: 'build', name: identity.build } : identity;
}
