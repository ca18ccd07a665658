/**
 * Who may speak to the AWS services of a platform: whoever signs with its access key. The platform of root must not lend
 * its secrets to other users of the machine, nor to a page in a browser. The key id is the secret here; signatures are
 * not checked.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { RequestListener } from 'node:http';

/** Access key id of the platform whose API token this is. */
export function accessKeyOf(token: string): string {
  return `KL${createHash('sha256').update(`access key of ${token}`).digest('hex').slice(0, 30).toUpperCase()}`;
}

/** Lets through what is signed (SigV4 header) with the access key, and answers all else with 403. */
export function guarded(listener: RequestListener, accessKey: string): RequestListener {
  return (request, response) => {
    if (signedWith(request.headers.authorization, accessKey)) {
      listener(request, response);
      return;
    }
    request.resume();
    response.writeHead(403, { 'content-type': 'application/x-amz-json-1.0' });
    response.end('{"__type":"UnrecognizedClientException","message":"sign with the access key of this platform"}');
  };
}

function signedWith(authorization: string | undefined, accessKey: string): boolean {
  const given = /^AWS4-HMAC-SHA256 Credential=([^/,\s]+)\//.exec(authorization ?? '')?.[1] ?? '';
  return given.length === accessKey.length && timingSafeEqual(Buffer.from(given), Buffer.from(accessKey));
}
