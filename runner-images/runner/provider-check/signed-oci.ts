/** Requests to Oracle Cloud, signed with an API signing key: RSA-SHA256 over date, target and host (draft-cavage-http-signatures-08). */
import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { askCloud, CheckRefused, type CloudAnswer } from './ask.ts';
import type { CheckFinding, CheckInput } from './finding.ts';

export interface OciKey {
  /** `<tenancy>/<user>/<fingerprint>` */
  readonly id: string;
  readonly privateKey: KeyObject;
}

/** Asks a service of a region, by a path below its version and a query. */
export type OciQuestion = (
  service: string,
  path: string,
  query: Readonly<Record<string, string>>,
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

/** Asks once, by GET. Throws `CheckRefused` when there is no answer. */
export function askOci(key: OciKey, url: URL): Promise<CloudAnswer> {
  const { href, host, pathname, search } = url;
  const date = new Date().toUTCString();
  const text = `date: ${date}\n(request-target): get ${pathname}${search}\nhost: ${host}`;
  const signature = sign('sha256', Buffer.from(text), key.privateKey).toString('base64');
  const parts = {
    ...{ version: '1', keyId: key.id, algorithm: 'rsa-sha256' },
    ...{ headers: 'date (request-target) host', signature },
  };
  const words = Object.entries(parts).map(([name, value]) => `${name}="${value}"`);
  return askCloud(href, { headers: { date, authorization: `Signature ${words.join(',')}` } });
}

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
