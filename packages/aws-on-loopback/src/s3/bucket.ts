/** A bucket: a directory of object files and an index of them in memory, since one process owns the directory. */
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { syncDirectory } from '../stores/durable-file.ts';
import { oneAtATime } from '../stores/one-at-a-time.ts';
import {
  type DamageOptions,
  type ObjectDescription,
  objectFileName,
  readDescriptions,
  receive,
  type Upload,
} from './object-file.ts';
import { S3Fault } from './s3-fault.ts';
import { sortedKeys } from './sorted-keys.ts';

/** `If-Match` and `If-None-Match` of a write; ETags without quotes. */
export interface Precondition {
  readonly ifMatch?: string | undefined;
  readonly ifNoneMatch?: string | undefined;
}

export interface Bucket {
  head(key: string): ObjectDescription | undefined;
  /** The object's bytes as they are now, also when it is replaced meanwhile. Throws `NoSuchKey`. The caller closes the file. */
  open(key: string): Promise<{ description: ObjectDescription; file: FileHandle }>;
  receive(bytes: AsyncIterable<Buffer>): Promise<Upload>;
  /** Makes an upload the object. Throws `PreconditionFailed`, or `NoSuchKey` for If-Match on nothing. */
  commit(
    key: string,
    upload: Upload,
    options: { headers: Record<string, string>; etag?: string; when: Precondition },
  ): Promise<ObjectDescription>;
  /** No error when it does not exist. Throws `PreconditionFailed`. */
  remove(key: string, when: Precondition): Promise<void>;
  /** Keys in byte order that are greater than `after` and start with the prefix. */
  keysAfter(after: string, prefix: string): Iterable<string>;
}

export async function openBucket(
  directory: string,
  options: { readonly flush: boolean } & Partial<DamageOptions>,
): Promise<Bucket> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const { expiring = [], report = () => undefined } = options;
  const index = new Map<string, ObjectDescription>();
  for (const description of await readDescriptions(directory, { expiring, report }))
    index.set(description.key, description);
  const keys = sortedKeys(index.keys());
  const serially = oneAtATime();
  const pathOf = (key: string): string => join(directory, objectFileName(key));

  return {
    head: (key) => index.get(key),
    open: (key) =>
      serially(key, async () => {
        const description = index.get(key);
        if (!description) throw noSuchKey(key);
        return { description, file: await open(pathOf(key), 'r') };
      }),
    receive: (bytes) => receive(directory, bytes),
    commit: async (key, upload, { headers, etag = upload.md5, when }) => {
      const description = { key, size: upload.size, etag, modifiedAt: new Date().toISOString(), headers };
      try {
        // Refused early, before anything is flushed; what counts is the check inside the lock.
        check(key, index.get(key), when);
        await upload.finish(description, options.flush);
        await serially(key, async () => {
          check(key, index.get(key), when);
          await rename(upload.path, pathOf(key));
          if (!index.has(key)) keys.add(key);
          index.set(key, description);
          if (options.flush) await syncDirectory(directory);
        });
      } catch (error) {
        await upload.discard();
        throw error;
      }
      return description;
    },
    remove: (key, when) =>
      serially(key, async () => {
        if (!index.has(key) && when.ifMatch === undefined) return;
        check(key, index.get(key), when);
        await rm(pathOf(key), { force: true });
        index.delete(key);
        keys.remove(key);
        if (options.flush) await syncDirectory(directory);
      }),
    keysAfter: (after, prefix) => keys.after(after, prefix),
  };
}

function check(key: string, current: ObjectDescription | undefined, when: Precondition): void {
  if (when.ifNoneMatch !== undefined && current && (when.ifNoneMatch === '*' || when.ifNoneMatch === current.etag))
    throw new S3Fault('PreconditionFailed', `${key} exists`);
  if (when.ifMatch === undefined) return;
  if (!current) throw noSuchKey(key);
  if (when.ifMatch !== '*' && when.ifMatch !== current.etag)
    throw new S3Fault('PreconditionFailed', `${key} has changed`);
}

const noSuchKey = (key: string): S3Fault => new S3Fault('NoSuchKey', `there is no object ${key}`);
