/** Generates ed25519 key pairs in OpenSSH's own format, which every tool that the runner uses can read. */
import { generateKeyPairSync, randomBytes } from 'node:crypto';

export interface SshKeyPair {
  /** PEM, `openssh-key-v1`, without passphrase. */
  readonly privateKey: string;
  /** One line as in `authorized_keys`. */
  readonly publicKey: string;
}

/** A new pair; the comment ends up in both halves. */
export function makeSshKeyPair(comment: string): SshKeyPair {
  const { privateKey } = generateKeyPairSync('ed25519');
  const jwk = privateKey.export({ format: 'jwk' });
  const seed = Buffer.from(jwk.d ?? '', 'base64url');
  const point = Buffer.from(jwk.x ?? '', 'base64url');
  const publicBlob = Buffer.concat([field('ssh-ed25519'), field(point)]);
  return {
    privateKey: armour(privateBlob(publicBlob, point, seed, comment)),
    publicKey: `ssh-ed25519 ${publicBlob.toString('base64')} ${comment}`,
  };
}

/** The public half that a private key without a passphrase holds; undefined for a text that is no such key. */
export function publicKeyOf(privateKey: string, comment: string): string | undefined {
  const body = /-----BEGIN OPENSSH PRIVATE KEY-----([\sA-Za-z0-9+/=]+)-----END/.exec(privateKey)?.[1] ?? '';
  let rest = Buffer.from(body, 'base64');
  if (!rest.subarray(0, magic.length).equals(magic)) return undefined;
  rest = rest.subarray(magic.length);
  // Cipher, derivation of its key and options of that, then how many keys there are.
  for (let passed = 0; passed < 3; passed += 1) rest = rest.subarray(4 + lengthAt(rest));
  rest = rest.subarray(4);
  const blob = rest.subarray(4, 4 + lengthAt(rest));
  const kind = blob.subarray(4, 4 + lengthAt(blob)).toString();
  return kind === 'ssh-ed25519' ? `${kind} ${blob.toString('base64')} ${comment}` : undefined;
}

const magic = Buffer.from('openssh-key-v1\0');

/** Length of the field that starts here; 0 if the field is truncated. */
const lengthAt = (bytes: Buffer): number => (bytes.length < 4 ? 0 : bytes.readUInt32BE());

function privateBlob(publicBlob: Buffer, point: Buffer, seed: Buffer, comment: string): Buffer {
  const check = randomBytes(4);
  const secret = Buffer.concat([
    check,
    check,
    field('ssh-ed25519'),
    field(point),
    field(Buffer.concat([seed, point])),
    field(comment),
  ]);
  const missing = (8 - (secret.length % 8)) % 8;
  const padding = Buffer.from(Array.from({ length: missing }, (_, index) => index + 1));
  return Buffer.concat([
    magic,
    field('none'),
    field('none'),
    field(''),
    uint32(1),
    field(publicBlob),
    field(Buffer.concat([secret, padding])),
  ]);
}

function armour(blob: Buffer): string {
  const lines = blob.toString('base64').match(/.{1,70}/g) ?? [];
  return ['-----BEGIN OPENSSH PRIVATE KEY-----', ...lines, '-----END OPENSSH PRIVATE KEY-----', ''].join('\n');
}

function field(content: string | Buffer): Buffer {
  const bytes = Buffer.from(content);
  return Buffer.concat([uint32(bytes.length), bytes]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
