/** Who refuses requests that are not signed as a cloud wants it: the signatures are verified here on their own. */
import { createHash, createHmac, createVerify, type KeyObject } from 'node:crypto';
import type { CloudAnswer, CloudRequest } from './fake-cloud.ts';

/** The refusal; undefined lets the request through. */
export type Guard = (request: CloudRequest) => CloudAnswer | undefined;

/** As Oracle writes that it verifies: the named headers in their order, with the target among them. */
export const ociGuard =
  ({ publicKey, keyId }: { readonly publicKey: KeyObject; readonly keyId: string }): Guard =>
  ({ method, path, headers, body }) => {
    const words = Object.fromEntries(
      [...(headers.authorization ?? '').matchAll(/(\w+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]),
    );
    const target = `${method.toLowerCase()} ${path}`;
    const text = (words.headers ?? '')
      .split(' ')
      .map((name) => `${name}: ${name === '(request-target)' ? target : String(headers[name])}`)
      .join('\n');
    const ofBody = method === 'POST' ? ['content-length', 'content-type', 'x-content-sha256'] : [];
    const isWhole = ['date', '(request-target)', 'host', ...ofBody].every((name) =>
      words.headers?.split(' ').includes(name),
    );
    const sum = createHash('sha256').update(body).digest('base64');
    const isOurs = createVerify('RSA-SHA256')
      .update(text)
      .verify(publicKey, words.signature ?? '', 'base64');
    const isNow = Math.abs(Date.parse(String(headers.date)) - Date.now()) < 300_000;
    const isBody = method !== 'POST' || headers['x-content-sha256'] === sum;
    const is = isBody && isWhole && isOurs && isNow && words.keyId === keyId && words.algorithm === 'rsa-sha256';
    return is ? undefined : { status: 401, body: { code: 'NotAuthenticated' } };
  };

export const exoscaleGuard =
  (fields: { readonly apikey: string; readonly apisecret: string }): Guard =>
  ({ method, path, headers, body }) => {
    const [, credential, expires = '', signature] =
      /^EXO2-HMAC-SHA256 credential=(.*),expires=(\d+),signature=(.*)$/.exec(headers.authorization ?? '') ?? [];
    const text = `${method} ${path}\n${body}\n\n\n${expires}`;
    const isOurs = signature === createHmac('sha256', fields.apisecret).update(text).digest('base64');
    const isNow = Number(expires) > Date.now() / 1000;
    return credential === fields.apikey && isOurs && isNow ? undefined : { status: 401, body: { message: 'no' } };
  };
