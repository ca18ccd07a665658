/** A key pair for OpenSSH, made here: the private half is written to a file that only its owner may read. */
import { generateKeyPairSync } from 'node:crypto';

export interface EcdsaKeyPair {
  /** PEM, which every OpenSSH reads. */
  readonly privateKey: string;
  /** One line, as in a `.pub` file. */
  readonly publicKey: string;
}

export function makeEcdsaKeyPair(comment: string): EcdsaKeyPair {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const point = Buffer.concat([Buffer.from([4]), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
  const type = 'ecdsa-sha2-nistp256';
  const blob = Buffer.concat([field(type), field('nistp256'), field(point)]);
  return {
    privateKey: privateKey.export({ format: 'pem', type: 'sec1' }).toString(),
    publicKey: `${type} ${blob.toString('base64')} ${comment}`,
  };
}

function field(content: string | Buffer): Buffer {
  const bytes = Buffer.from(content);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}
