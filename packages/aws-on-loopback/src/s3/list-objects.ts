/** ListObjectsV2: pages, prefixes, delimiters. */
import type { Bucket } from './bucket.ts';
import type { ObjectDescription } from './object-file.ts';
import { S3Fault } from './s3-fault.ts';
import type { XmlValue } from './xml.ts';

/** The answer to a list request, given its query. */
export function listObjects(name: string, bucket: Bucket, query: URLSearchParams): XmlValue {
  const prefix = query.get('prefix') ?? '';
  const delimiter = query.get('delimiter') ?? '';
  const limit = pageSize(query.get('max-keys'));
  const token = query.get('continuation-token');
  const start = token !== null ? fromToken(token) : (query.get('start-after') ?? '');
  const page = takePage(bucket, { prefix, delimiter, limit, start });
  const encoded = query.get('encoding-type') === 'url' ? encodeKey : (key: string) => key;
  return {
    Name: name,
    Prefix: encoded(prefix),
    Delimiter: delimiter ? encoded(delimiter) : undefined,
    MaxKeys: limit,
    EncodingType: query.get('encoding-type') ?? undefined,
    KeyCount: page.objects.length + page.prefixes.length,
    IsTruncated: page.last !== undefined,
    ContinuationToken: token ?? undefined,
    StartAfter: query.get('start-after') ? encoded(query.get('start-after') ?? '') : undefined,
    NextContinuationToken: page.last !== undefined ? toToken(page.last) : undefined,
    Contents: page.objects.map((object) => ({
      Key: encoded(object.key),
      LastModified: object.modifiedAt,
      ETag: `"${object.etag}"`,
      Size: object.size,
      StorageClass: 'STANDARD',
    })),
    CommonPrefixes: page.prefixes.map((common) => ({ Prefix: encoded(common) })),
  };
}

interface PageRequest {
  readonly prefix: string;
  readonly delimiter: string;
  readonly limit: number;
  readonly start: string;
}

interface Page {
  readonly objects: ObjectDescription[];
  readonly prefixes: string[];
  /** Where the next page starts; `undefined` on the last one. */
  readonly last: string | undefined;
}

function takePage(bucket: Bucket, { prefix, delimiter, limit, start }: PageRequest): Page {
  const objects: ObjectDescription[] = [];
  const prefixes: string[] = [];
  let last: string | undefined;
  // A page that ended with a common prefix continues after all keys below it.
  const skipped = delimiter && start.endsWith(delimiter) && start.startsWith(prefix) ? start : undefined;
  for (const key of bucket.keysAfter(start, prefix)) {
    if (skipped !== undefined && key.startsWith(skipped)) continue;
    const cut = delimiter ? key.indexOf(delimiter, prefix.length) : -1;
    const common = cut < 0 ? undefined : key.slice(0, cut + delimiter.length);
    if (common !== undefined && prefixes.at(-1) === common) continue;
    if (objects.length + prefixes.length >= limit) return { objects, prefixes, last: limit > 0 ? last : undefined };
    const object = bucket.head(key);
    if (common !== undefined) prefixes.push(common);
    else if (object) objects.push(object);
    last = common ?? key;
  }
  return { objects, prefixes, last: undefined };
}

function pageSize(text: string | null): number {
  if (text === null) return 1000;
  if (!/^\d{1,9}$/.test(text)) throw new S3Fault('InvalidArgument', 'max-keys is a number from 0 to 1000');
  return Math.min(Number(text), 1000);
}

const toToken = (key: string): string => Buffer.from(key).toString('base64url');
const fromToken = (token: string): string => Buffer.from(token, 'base64url').toString('utf8');
const encodeKey = (key: string): string => encodeURIComponent(key).replaceAll('%2F', '/');
