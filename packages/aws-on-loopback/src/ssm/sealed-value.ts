/** AES-256-GCM for values at rest; the parameter's name is bound in, so that a value moved to another name cannot be decrypted. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { writeFileDurably } from '../stores/durable-file.ts';
import { StoreFault, type StoreWords } from '../stores/store-fault.ts';

const nonceBytes = 12;
const tagBytes = 16;

/** Nonce, tag and cipher text as one base64 word. */
export function seal(key: Uint8Array, name: string, value: string): string {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(name));
  const text = Buffer.concat([cipher.update(value, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64');
}

/** Throws when the key, the name or the text has changed. */
export function unseal(key: Uint8Array, name: string, sealed: string): string {
  const bytes = Buffer.from(sealed, 'base64');
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes });
  decipher.setAAD(Buffer.from(name)).setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
  return Buffer.concat([decipher.update(bytes.subarray(nonceBytes + tagBytes)), decipher.final()]).toString('utf8');
}

/** The key of this directory, generated once; only the owner may read the file. Throws when values exist and the key does not. */
export async function loadOrMakeKey(path: string, needed: boolean, words: StoreWords): Promise<Uint8Array> {
  const stored = await readFile(path).catch(() => undefined);
  if (stored === undefined) {
    if (needed)
      throw new StoreFault(
        path,
        `is gone, and no ${words.parameter} can be read without it`,
        `${words.restore}, or accept that they are lost: ${words.acceptLoss}`,
      );
    const key = randomBytes(32);
    await writeFileDurably(path, key, 0o600);
    return key;
  }
  if (stored.length !== 32) throw new Error(`${path} is not a key of 32 bytes; restore it, or reset the platform`);
  return stored;
}
