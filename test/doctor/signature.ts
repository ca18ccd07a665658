/** Signature Version 4 of a request as it arrived, computed by the published rules: AWS compares it with the signature of the request. */
import { createHash, createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/** In hexadecimal digits. */
export function signatureOf(request: IncomingMessage, body: string, secret: string): string {
  const [, scope = '', names = ''] =
    /Credential=\w+\/([^,]+), SignedHeaders=([^,]+),/.exec(request.headers.authorization ?? '') ?? [];
  const url = new URL(request.url ?? '', 'http://127.0.0.1');
  const query = [...url.searchParams].map((pair) => pair.map(encodeURIComponent).join('=')).sort();
  const headers = names.split(';').map((name) => `${name}:${String(request.headers[name]).trim()}\n`);
  const canonical = [request.method, url.pathname, query.join('&'), headers.join(''), names, hash(body)].join('\n');
  const text = ['AWS4-HMAC-SHA256', request.headers['x-amz-date'], scope, hash(canonical)].join('\n');
  const key = scope.split('/').reduce<string | Buffer>((inner, part) => hmac(inner, part), `AWS4${secret}`);
  return hmac(key, text).toString('hex');
}
