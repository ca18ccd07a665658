/**
 * A file that can be opened only with its passphrase: `KLBACKUP1`, salt, nonce, the text in AES-256-GCM, tag. The key is made by scrypt. Nothing
 * of it is trusted before the tag is verified, which happens at the end: readers keep their data separate until then.
 */
import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { open as openFile } from 'node:fs/promises';
import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

const magic = Buffer.from('KLBACKUP1\n');
const saltBytes = 16;
const nonceBytes = 12;
const tagBytes = 16;
const headBytes = magic.length + saltBytes + nonceBytes;
/** A guess takes a tenth of a second and 64 MiB. */
const hardness = { N: 65_536, r: 8, p: 1, maxmem: 128 * 1024 * 1024 };

/** Writes the stream of `open` into a new file. Throws when the file exists already. */
export async function sealInto(file: string, passphrase: string, open: () => Readable): Promise<void> {
  const salt = randomBytes(saltBytes);
  const nonce = randomBytes(nonceBytes);
  const head = Buffer.concat([magic, salt, nonce]);
  const cipher = createCipheriv('aes-256-gcm', await keyOf(passphrase, salt), nonce).setAAD(magic);
  const content = open();
  content.on('error', (error) => cipher.destroy(error));
  async function* sealed(): AsyncGenerator<Buffer> {
    yield head;
    for await (const chunk of content.pipe(cipher)) yield chunk as Buffer;
    yield cipher.getAuthTag();
  }
  await pipeline(Readable.from(sealed()), createWriteStream(file, { flags: 'wx', mode: 0o600, flush: true }));
}

/** Writes the content of the file into `into`. Throws, perhaps after a part of it, when the passphrase is wrong or the file was changed. */
export async function unsealFrom(file: string, passphrase: string, into: Writable): Promise<void> {
  const { head, tag, end } = await edgesOf(file);
  const salt = head.subarray(magic.length, magic.length + saltBytes);
  const nonce = head.subarray(magic.length + saltBytes);
  const key = await keyOf(passphrase, salt);
  const unseal = async (target: Writable): Promise<void> => {
    const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes });
    decipher.setAAD(magic).setAuthTag(tag);
    await pipeline(createReadStream(file, { start: headBytes, end }), decipher, target);
  };
  try {
    await unseal(into);
  } catch (cause) {
    // A receiver of random bytes may stop before the end, where the tag shows the fault: then only the tag is checked.
    const seal = isRefusal(cause)
      ? cause
      : await unseal(nowhere()).then(
          () => undefined,
          (error: unknown) => error,
        );
    if (isRefusal(seal))
      throw new Error(`${file} cannot be opened with this passphrase, or it was changed`, { cause: seal });
    throw cause;
  }
}

const isRefusal = (error: unknown): boolean => error instanceof Error && /authenticate/.test(error.message);
const nowhere = (): Writable => new Writable({ write: (_chunk, _encoding, done) => done() });

async function edgesOf(file: string): Promise<{ readonly head: Buffer; readonly tag: Buffer; readonly end: number }> {
  const handle = await openFile(file);
  try {
    const found = await handle.stat();
    const { size } = found;
    if (!found.isFile()) throw new Error(`${file} is not a backup of Kubeloom: it is not a file`);
    if (size <= headBytes + tagBytes) throw new Error(`${file} is not a backup of Kubeloom: it is too short`);
    const head = Buffer.alloc(headBytes);
    const tag = Buffer.alloc(tagBytes);
    await handle.read(head, 0, headBytes, 0);
    await handle.read(tag, 0, tagBytes, size - tagBytes);
    if (!head.subarray(0, magic.length).equals(magic)) throw new Error(`${file} is not a backup of Kubeloom`);
    return { head, tag, end: size - tagBytes - 1 };
  } finally {
    await handle.close();
  }
}

function keyOf(passphrase: string, salt: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(passphrase, salt, 32, hardness, (error, key) => (error ? reject(error) : resolve(key)));
  });
}
