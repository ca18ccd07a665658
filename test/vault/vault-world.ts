/** What the contract suite needs of a Vault, be it real or a fake: someone who sets it up, seals it and revokes tokens. */
import { createSign, generateKeyPairSync, type KeyObject } from 'node:crypto';

/** The role that the AWS login of the suite is bound to. */
export const boundRole = 'arn:aws:iam::123456789012:role/kubeloom-runner';

export interface VaultWorld {
  readonly address: string;
  /** KV engines: `one` of version 1, `two` of version 2, `deep/two` of version 2 as well. */
  write(mount: 'one' | 'two' | 'deep/two', path: string, fields: Readonly<Record<string, unknown>>): Promise<void>;
  /** Deletes the newest version of a secret of `two`. */
  remove(path: string): Promise<void>;
  seal(): Promise<void>;
  unseal(): Promise<void>;
  /** Ends every token that a login gave. */
  endLeases(): Promise<void>;
  /** How many tokens of logins are good for something now; batch tokens are not counted, because Vault keeps no list of them. */
  livingTokens(): Promise<number>;
  /** Login of the role `reader`, which may read below `clouds/` of each engine, or of `batcher`, whose tokens are batch tokens. */
  appRole(role?: 'reader' | 'batcher'): Promise<{ readonly roleId: string; readonly secretId: string }>;
  /** A token that the JWT role `reader` takes; `expired`: that it took until a minute ago. */
  jwt(expired?: boolean): string;
  close(): Promise<void>;
}

export function makeJwtKeys(): { readonly publicPem: string; readonly privateKey: KeyObject } {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return { publicPem: publicKey.export({ type: 'spki', format: 'pem' }).toString(), privateKey };
}

/** A signed JWT for the audience `vault`. */
export function signedJwt(privateKey: KeyObject, expired: boolean): string {
  const now = Math.floor(Date.now() / 1000);
  const claims = { sub: 'runner', aud: 'vault', iat: now - 600, nbf: now - 600, exp: expired ? now - 300 : now + 600 };
  const text = [{ alg: 'RS256', typ: 'JWT' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  return `${text}.${createSign('RSA-SHA256').update(text).sign(privateKey, 'base64url')}`;
}
