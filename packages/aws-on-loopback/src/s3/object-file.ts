/** One object = one file: its bytes, then its description as JSON, then the length of that description (4 bytes). */
import { createHash, randomUUID } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { StoreFault } from '../stores/store-fault.ts';

export const ObjectDescription = z.strictObject({
  key: z.string(),
  size: z.number().int(),
  etag: z.string(),
  /** ISO 8601 */
  modifiedAt: z.string(),
  /** Headers that come back as they were given: content-type, cache-control, x-amz-meta-… */
  headers: z.record(z.string(), z.string()),
});
export type ObjectDescription = z.infer<typeof ObjectDescription>;

const objectSuffix = '.object';

/** Readable as far as it goes, unique by hash: keys may be longer than file names, or differ only in what a file system ignores. */
export function objectFileName(key: string): string {
  const readable = encodeURIComponent(key.toWellFormed()).replace(/\*/g, '%2A').slice(0, 120).replace(/%.?$/, '');
  return `${readable}~${createHash('sha256').update(key).digest('hex').slice(0, 32)}${objectSuffix}`;
}

/** Bytes that have arrived and are not an object yet; `finish` or `discard` it. */
export interface Upload {
  readonly path: string;
  readonly size: number;
  readonly md5: string;
  /** Appends the description to the bytes and, if requested, flushes both to the disk. */
  finish(description?: ObjectDescription, flush?: boolean): Promise<void>;
  discard(): Promise<void>;
}

/** Streams bytes into a new file of the directory; nothing is left behind when the stream fails. */
export async function receive(directory: string, bytes: AsyncIterable<Buffer>): Promise<Upload> {
  const path = join(directory, `${randomUUID()}.new`);
  const file = await open(path, 'wx', 0o600);
  const discard = async (): Promise<void> => {
    await file.close();
    await rm(path, { force: true });
  };
  const hash = createHash('md5');
  let size = 0;
  try {
    for await (const piece of bytes) {
      hash.update(piece);
      size += piece.length;
      await file.write(piece);
    }
  } catch (error) {
    await discard();
    throw error;
  }
  return {
    path,
    size,
    md5: hash.digest('hex'),
    discard,
    async finish(description, flush = false) {
      if (description) await file.write(footer(description));
      if (flush) await file.sync();
      await file.close();
    },
  };
}

function footer(description: ObjectDescription): Buffer {
  const json = Buffer.from(JSON.stringify(description));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(json.length);
  return Buffer.concat([json, length]);
}

/**
 * Reads the descriptions of all objects in a directory, and removes interrupted uploads. A damaged object that expires anyway is put aside
 * and reported; for any other it throws `StoreFault`. Synchronously: at the start
 * nothing else has to run, and 23,000 objects take a sixth of the time.
 */
export async function readDescriptions(
  directory: string,
  { expiring, report }: DamageOptions,
): Promise<readonly ObjectDescription[]> {
  const descriptions: ObjectDescription[] = [];
  for (const name of await readdir(directory)) {
    const path = join(directory, name);
    if (name.endsWith(objectSuffix)) {
      const description = await descriptionOrAside(path, name, { expiring, report });
      if (description) descriptions.push(description);
    } else if (name.endsWith('.new')) await rm(path, { force: true });
  }
  return descriptions;
}

/** What happens to an object that is damaged. */
export interface DamageOptions {
  /** Prefixes of keys whose objects expire anyway, as a lifecycle of the bucket has it. */
  readonly expiring: readonly string[];
  /** Called with the damage of each object that was put aside. */
  readonly report: (fault: StoreFault) => void;
}

async function descriptionOrAside(
  path: string,
  name: string,
  { expiring, report }: DamageOptions,
): Promise<ObjectDescription | undefined> {
  try {
    return readDescription(path);
  } catch (error) {
    // The name of a file begins with its key.
    const expires = expiring.some((prefix) => name.startsWith(encodeURIComponent(prefix)));
    if (!(error instanceof StoreFault) || !expires) throw error;
    await rename(path, `${path}.damaged`);
    report(error);
    return undefined;
  }
}

/** More than a description has, but for very long keys and headers. */
const usualBytes = 2048;

function readDescription(path: string): ObjectDescription {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    const end = readEnd(file, size, usualBytes);
    const length = end.readUInt32BE(end.length - 4);
    const bytes = length + 4 <= end.length ? end : readEnd(file, size, length + 4);
    return ObjectDescription.parse(JSON.parse(bytes.toString('utf8', bytes.length - 4 - length, bytes.length - 4)));
  } catch (cause) {
    throw new StoreFault(path, 'is not a stored object', 'remove it, or restore it from a backup', cause);
  } finally {
    closeSync(file);
  }
}

/** The last bytes of a file, as many as there are. */
function readEnd(file: number, size: number, wanted: number): Buffer {
  const bytes = Buffer.alloc(Math.min(size, wanted));
  readSync(file, bytes, 0, bytes.length, size - bytes.length);
  return bytes;
}
