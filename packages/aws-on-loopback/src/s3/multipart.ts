/** Multipart uploads: parts wait in a directory of their own until they are joined or aborted. */
import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileDurably } from '../stores/durable-file.ts';
import type { Bucket } from './bucket.ts';
import { receive, type Upload } from './object-file.ts';
import { S3Fault } from './s3-fault.ts';

const smallestPart = 5 * 1024 * 1024;
const forgottenAfterMs = 7 * 24 * 3600 * 1000;

export interface MultipartUploads {
  create(key: string, headers: Record<string, string>): Promise<string>;
  /** Stores a part, replacing an earlier one of the same number; returns its ETag. */
  putPart(id: string, key: string, number: number, bytes: AsyncIterable<Buffer>): Promise<string>;
  /** Joins the parts into one upload of the bucket. Throws `InvalidPart`, `InvalidPartOrder`, `EntityTooSmall`. */
  join(
    id: string,
    key: string,
    parts: readonly { number: number; etag: string }[],
    bucket: Bucket,
  ): Promise<{ upload: Upload; etag: string; headers: Record<string, string> }>;
  /** Throws `NoSuchUpload`. */
  remove(id: string, key: string): Promise<void>;
}

export async function openMultipartUploads(root: string): Promise<MultipartUploads> {
  await mkdir(root, { recursive: true, mode: 0o700 });
  for (const id of await readdir(root)) {
    const { mtimeMs } = await stat(join(root, id));
    if (Date.now() - mtimeMs > forgottenAfterMs) await rm(join(root, id), { recursive: true, force: true });
  }

  const read = async (id: string, key: string): Promise<{ directory: string; headers: Record<string, string> }> => {
    const directory = join(root, id);
    const text = /^[0-9a-f-]{36}$/.test(id) ? await readFile(join(directory, 'upload'), 'utf8').catch(() => '') : '';
    const stored = text === '' ? undefined : (JSON.parse(text) as { key: string; headers: Record<string, string> });
    if (stored?.key !== key) throw new S3Fault('NoSuchUpload', 'there is no such multipart upload of this key');
    return { directory, headers: stored.headers };
  };

  return {
    async create(key, headers) {
      const id = randomUUID();
      await mkdir(join(root, id), { mode: 0o700 });
      await writeFileDurably(join(root, id, 'upload'), JSON.stringify({ key, headers }));
      return id;
    },
    async putPart(id, key, number, bytes) {
      if (!Number.isInteger(number) || number < 1 || number > 10_000)
        throw new S3Fault('InvalidArgument', 'part numbers go from 1 to 10000');
      const { directory } = await read(id, key);
      const part = await receive(directory, bytes);
      await part.finish();
      // The ETag is part of the name: joining names both, and a replaced part must not be taken for the one named.
      for (const name of await partNames(directory, number)) await rm(join(directory, name), { force: true });
      await rename(part.path, join(directory, `${number}.${part.md5}`));
      return part.md5;
    },
    async join(id, key, parts, bucket) {
      const { directory, headers } = await read(id, key);
      if (parts.length === 0) throw new S3Fault('MalformedXML', 'no part is named');
      if (parts.some(({ number }, place) => place > 0 && number <= (parts[place - 1]?.number ?? 0)))
        throw new S3Fault('InvalidPartOrder', 'parts are named in ascending order');
      const paths = parts.map(({ number, etag }) => join(directory, `${number}.${etag}`));
      const found = await Promise.all(paths.map((path) => stat(path).catch(() => undefined)));
      if (found.includes(undefined))
        throw new S3Fault('InvalidPart', 'a part that is named was not uploaded, or has another ETag');
      if (found.slice(0, -1).some((part) => (part?.size ?? 0) < smallestPart))
        throw new S3Fault('EntityTooSmall', 'only the last part may be smaller than 5 MiB');
      const digest = createHash('md5');
      for (const { etag } of parts) digest.update(Buffer.from(etag, 'hex'));
      return { upload: await bucket.receive(joined(paths)), etag: `${digest.digest('hex')}-${parts.length}`, headers };
    },
    async remove(id, key) {
      const { directory } = await read(id, key);
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function partNames(directory: string, number: number): Promise<readonly string[]> {
  return (await readdir(directory)).filter((name) => name.startsWith(`${number}.`));
}

async function* joined(paths: readonly string[]): AsyncGenerator<Buffer> {
  for (const path of paths) for await (const piece of createReadStream(path)) yield piece as Buffer;
}
