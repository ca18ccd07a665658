/**
 * Requests to Oracle Cloud, signed with an API signing key: RSA-SHA256 over date, target and host, with POST also over length, type and
 * sum of the body (draft-cavage-http-signatures-08).
 */
import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { askCloud, CheckRefused, type CloudAnswer } from './ask.ts';
import type { CheckFinding, CheckInput } from './finding.ts';

export interface OciKey {
  /** `<tenancy>/<user>/<fingerprint>` */
  readonly id: string;
  readonly privateKey: KeyObject;
}

export type OciMethod = 'GET' | 'POST' | 'DELETE';

/** Asks a service of a region, by a path below its version and a query, without a body. */
export type OciQuestion = (
  service: string,
  path: string,
  query: Readonly<Record<string, string>>,
  method?: OciMethod,
) => Promise<CloudAnswer>;

/** The key of the Secret. Throws `CheckRefused` for faults that show without a request: no key, or that of another fingerprint. */
export function ociKey(fields: CheckInput['fields']): OciKey {
  const { tenancyocid = '', userocid = '', keyfingerprint = '', privatekey = '' } = fields;
  const privateKey = readKey(privatekey);
  if (privateKey === undefined) {
    throw faulty(
      'privatekey',
      'is not an RSA private key in PEM without a passphrase: use that of the API signing key',
    );
  }
  const fingerprint = fingerprintOf(privateKey);
  if (fingerprint !== keyfingerprint.toLowerCase()) {
    throw faulty(
      'keyfingerprint',
      `is not that of the private key, which is ${fingerprint}: use the key and the fingerprint of one pair`,
    );
  }
  return { id: `${tenancyocid}/${userocid}/${fingerprint}`, privateKey };
}

/** Asks once, without a body. Throws `CheckRefused` when there is no answer. */
export function askOci(key: OciKey, url: URL, method: OciMethod = 'GET'): Promise<CloudAnswer> {
  const { href, host, pathname, search } = url;
  const date = new Date().toUTCString();
  const about = method === 'POST' ? aboutNoBody : {};
  const signed = { date, '(request-target)': `${method.toLowerCase()} ${pathname}${search}`, host, ...about };
  const text = Object.entries(signed)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');
  const signature = sign('sha256', Buffer.from(text), key.privateKey).toString('base64');
  const parts = {
    version: '1',
    keyId: key.id,
    algorithm: 'rsa-sha256',
    headers: Object.keys(signed).join(' '),
    signature,
  };
  const words = Object.entries(parts).map(([name, value]) => `${name}="${value}"`);
  const { 'content-length': _, ...sent } = { 'content-length': '', ...about };
  const headers = { date, authorization: `Signature ${words.join(',')}`, ...sent };
  return askCloud(href, { method, headers, ...(method === 'POST' && { body: '' }) });
}

const aboutNoBody = {
  'content-length': '0',
  'content-type': 'application/json',
  'x-content-sha256': createHash('sha256').update('').digest('base64'),
} as const;

function readKey(pem: string): KeyObject | undefined {
  try {
    const key = createPrivateKey(pem);
    return key.asymmetricKeyType === 'rsa' ? key : undefined;
  } catch {
    return undefined;
  }
}

/** As Oracle's console shows it: MD5 of the public key, in pairs of digits. */
function fingerprintOf(key: KeyObject): string {
  const der = createPublicKey(key).export({ type: 'spki', format: 'der' });
  return (createHash('md5').update(der).digest('hex').match(/../g) ?? []).join(':');
}

function faulty(name: string, message: string): CheckRefused {
  const finding: CheckFinding = { about: 'identity', name, ok: false, message };
  return new CheckRefused(finding);
}
