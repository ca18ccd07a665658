/**
 * Who may use the AWS services of a platform: clients that sign with its access key. The platform of root must not give
 * its secrets to other users of the machine, nor to a page in a browser. The key id is the secret here; signatures are
 * not checked.
 */
import { createHash } from 'node:crypto';
import type { IncomingMessage, RequestListener } from 'node:http';
import { type RunnerTool, runnerTools } from '#functions/rights/runner-rights.ts';
import { functionNames } from '#functions/rights/uses.ts';

/** Whose role in AWS a request is held to. */
export type Principal =
  | { readonly kind: 'runner'; readonly name: RunnerTool }
  | { readonly kind: 'function'; readonly name: string };

/** Access key id of the platform whose API token this is. */
export function accessKeyOf(token: string): string {
  return keyId('KL', `access key of ${token}`);
}

/** Access key id of the builds of one tool: the services allow requests signed with it only what that tool's role allows. */
export function runnerKeyOf(accessKey: string, tool: RunnerTool): string {
  return keyId('KR', `${tool} of ${accessKey}`);
}

/** The same for a function (`plan-cluster`). */
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

/** Passes on requests that are signed (SigV4 header) with the access key of the platform, of a runner or of a function; answers all others with 403. */
export function guarded(listener: RequestListener, accessKey: string): RequestListener {
  const keys: readonly (readonly [key: string, principal: Principal | undefined])[] = [
    [accessKey, undefined],
    ...runnerTools.map((name) => [runnerKeyOf(accessKey, name), { kind: 'runner', name }] as const),
    ...functionNames.map((name) => [functionKeyOf(accessKey, name), { kind: 'function', name }] as const),
  ];
  // By digest: how long a look-up takes says nothing about the keys.
  const known = new Map(keys.map(([key, principal]) => [digest(key), principal]));
  return (request, response) => {
    const given = /^AWS4-HMAC-SHA256 Credential=([^/,\s]+)\//.exec(request.headers.authorization ?? '')?.[1] ?? '';
    const signer = digest(given);
    if (known.has(signer)) {
      const principal = known.get(signer);
      if (principal !== undefined) principals.set(request, principal);
      listener(request, response);
      return;
    }
    request.resume();
    response.writeHead(403, { 'content-type': 'application/x-amz-json-1.0' });
    response.end('{"__type":"UnrecognizedClientException","message":"sign with the access key of this platform"}');
  };
}
