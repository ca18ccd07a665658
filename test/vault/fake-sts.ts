/** Answers a signed GetCallerIdentity as STS does, if it is signed with the one key that it knows. */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export const knownKey = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
};

export interface SignedRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** True when the signature over method, path, headers and body is that of the known key. */
export function isSigned({ headers, body }: SignedRequest, service = 'sts'): boolean {
  const found =
    /Credential=([^/]+)\/(\d+)\/([^/]+)\/(\w+)\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})/.exec(
      headers.authorization ?? '',
    );
  if (found === null) return false;
  const [, key, day = '', region = '', named, names = '', signature = ''] = found;
  if (key !== knownKey.accessKeyId || named !== service) return false;
  const hash = (text: string) => createHash('sha256').update(text).digest('hex');
  const signed = names.split(';').map((name) => `${name}:${(headers[name] ?? '').trim()}\n`);
  const canonical = ['POST', '/', '', signed.join(''), names, hash(body)].join('\n');
  const scope = `${day}/${region}/${service}/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'] ?? '', scope, hash(canonical)].join('\n');
  const hmac = (secret: string | Buffer, word: string) => createHmac('sha256', secret).update(word).digest();
  const derived = [day, region, service, 'aws4_request'].reduce<string | Buffer>(
    hmac,
    `AWS4${knownKey.secretAccessKey}`,
  );
  return timingSafeEqual(Buffer.from(hmac(derived, text).toString('hex')), Buffer.from(signature));
}

export async function startFakeSts(roleSession: string): Promise<{ readonly url: string; readonly close: () => void }> {
  const server: Server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    const isKnown = isSigned({ headers, body: Buffer.concat(parts).toString() });
    response.writeHead(isKnown ? 200 : 403, { 'content-type': 'text/xml' });
    response.end(
      isKnown
        ? `<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><GetCallerIdentityResult><Arn>${roleSession}</Arn><UserId>AROAEXAMPLE:session</UserId><Account>123456789012</Account></GetCallerIdentityResult><ResponseMetadata><RequestId>r</RequestId></ResponseMetadata></GetCallerIdentityResponse>`
        : '<ErrorResponse><Error><Code>SignatureDoesNotMatch</Code></Error></ErrorResponse>',
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => void server.close() };
}
