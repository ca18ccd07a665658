/**
 * Who may use the AWS services of a platform: clients that sign with its access key. The platform of root must not give
 * its secrets to other users of the machine, nor to a page in a browser. The key id is the secret here; signatures are
 * not checked.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, RequestListener } from 'node:http';
import { type RunnerTool, runnerTools } from '#functions/rights/runner-rights.ts';

/** Access key id of the platform whose API token this is. */
export function accessKeyOf(token: string): string {
  return `KL${createHash('sha256').update(`access key of ${token}`).digest('hex').slice(0, 30).toUpperCase()}`;
}

/** Access key id of the builds of one tool: the services allow requests signed with it only what that tool's role allows. */
export function runnerKeyOf(accessKey: string, tool: RunnerTool): string {
  return `KR${createHash('sha256').update(`${tool} of ${accessKey}`).digest('hex').slice(0, 30).toUpperCase()}`;
}

const runners = new WeakMap<IncomingMessage, RunnerTool>();

/** The tool whose build signed the request; undefined for the platform itself, which may do everything. */
export function runnerBehind(request: IncomingMessage): RunnerTool | undefined {
  return runners.get(request);
}

/** Passes on requests that are signed (SigV4 header) with the access key of the platform or of a runner; answers all others with 403. */
export function guarded(listener: RequestListener, accessKey: string): RequestListener {
  const runnerKeys = runnerTools.map((tool) => [tool, runnerKeyOf(accessKey, tool)] as const);
  return (request, response) => {
    const given = /^AWS4-HMAC-SHA256 Credential=([^/,\s]+)\//.exec(request.headers.authorization ?? '')?.[1] ?? '';
    const runner = runnerKeys.find(([, key]) => sameKey(given, key))?.[0];
    if (runner !== undefined) runners.set(request, runner);
    if (runner !== undefined || sameKey(given, accessKey)) {
      listener(request, response);
      return;
    }
    request.resume();
    response.writeHead(403, { 'content-type': 'application/x-amz-json-1.0' });
    response.end('{"__type":"UnrecognizedClientException","message":"sign with the access key of this platform"}');
  };
}

function sameKey(given: string, key: string): boolean {
  return given.length === key.length && timingSafeEqual(Buffer.from(given), Buffer.from(key));
}
