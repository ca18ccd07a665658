/** S3's HTTP interface over a directory. What is not emulated is refused with 501, so that no call seems to have worked. */
import { mkdir, readdir } from 'node:fs/promises';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { type Logger, messageOf } from '../logger.ts';
import { region } from '../names.ts';
import { callerOf } from '../server/callers.ts';
import { type Bucket, openBucket } from './bucket.ts';
import { listObjects } from './list-objects.ts';
import { type MultipartUploads, openMultipartUploads } from './multipart.ts';
import * as objects from './object-operations.ts';
import { readSmallBody } from './request-body.ts';
import { s3Action } from './s3-action.ts';
import { S3Fault } from './s3-fault.ts';
import { childText, parseXml } from './xml.ts';

export interface S3Options {
  readonly directory: string;
  /** Buckets that are there from the start. */
  readonly buckets: readonly string[];
  /** Prefixes of keys whose objects expire anyway: one that is damaged is put aside at the start. @default none */
  readonly expiring?: readonly string[];
  /** False when nothing needs to outlive the process. @default true */
  readonly flush?: boolean;
  readonly logger: Logger;
}

export interface LocalS3 {
  readonly listener: RequestListener;
  /** Keys below a prefix, without a request. Throws `NoSuchBucket`. */
  keys(bucket: string, prefix: string): readonly string[];
  /** Removes objects below a prefix that were written before then, as a lifecycle rule does. Returns how many. */
  expire(bucket: string, prefix: string, before: Date): Promise<number>;
  /** Removes the oldest objects below a prefix until the others have at most so many bytes; none written after `before`. */
  trim(bucket: string, prefix: string, most: { readonly bytes: number; readonly before: Date }): Promise<number>;
}

interface Hosted {
  readonly bucket: Bucket;
  readonly uploads: MultipartUploads;
}

/** Sub-resources that are answered; every other one is not implemented. `x-id` only names the SDK's operation. */
const playedQueries = new Set([
  ...['x-id', 'list-type', 'prefix', 'delimiter', 'max-keys', 'continuation-token', 'start-after'],
  ...['encoding-type', 'fetch-owner', 'uploads', 'uploadId', 'partNumber', 'delete'],
]);

export async function openS3(options: S3Options): Promise<LocalS3> {
  const { directory, expiring = [], flush = true, logger } = options;
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const hosted = new Map<string, Hosted>();
  const host = async (name: string): Promise<void> => {
    const root = join(directory, name);
    const uploads = await openMultipartUploads(join(root, 'uploads'));
    hosted.set(name, {
      bucket: await openBucket(join(root, 'objects'), {
        flush,
        expiring,
        report: (fault) => logger.error('a damaged object was put aside', { cause: messageOf(fault) }),
      }),
      uploads,
    });
  };
  for (const name of new Set([...(await readdir(directory)), ...options.buckets])) await host(name);

  const find = (name: string): Hosted => {
    const found = hosted.get(name);
    if (!found) throw new S3Fault('NoSuchBucket', `there is no bucket ${name}`);
    return found;
  };

  const onBucket = async (request: IncomingMessage, response: ServerResponse, name: string, query: URLSearchParams) => {
    const { bucket } = find(name);
    if (request.method === 'HEAD') return void response.writeHead(200, { 'x-amz-bucket-region': region }).end();
    if (request.method === 'POST' && query.has('delete')) return deleteObjects(request, response, bucket);
    if (request.method !== 'GET' || query.get('list-type') !== '2') throw notPlayed(request);
    objects.sendXml(response, 200, 'ListBucketResult', listObjects(name, bucket, query));
  };

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    // Not `URL`: that would take the dots of a key such as `a/../b` for steps of a path.
    const [path = '/', search = ''] = (request.url ?? '/').split(/\?(.*)/s);
    const [, bucketName = '', ...rest] = path.split('/').map(decodeURIComponent);
    const key = rest.join('/');
    const query = new URLSearchParams(search);
    const unknown = [...query.keys()].find((name) => !playedQueries.has(name) && !name.startsWith('X-Amz-'));
    if (unknown !== undefined) throw new S3Fault('NotImplemented', `?${unknown} is not emulated`);
    const asked = s3Action(request, key, query);
    const denied = callerOf(request).denial(asked.action, asked.keys);
    if (denied) throw new S3Fault('AccessDenied', denied);
    if (key === '') return onBucket(request, response, bucketName, query);
    if (Buffer.byteLength(key) > 1024) throw new S3Fault('KeyTooLongError', 'keys have at most 1024 bytes');
    await objectOperation(request, query)({ request, response, bucketName, key, query, ...find(bucketName) });
  };

  return {
    async listener(request, response) {
      try {
        await serve(request, response);
      } catch (error) {
        refuse(request, response, error, logger);
      }
    },
    keys: (name, prefix) => [...find(name).bucket.keysAfter('', prefix)],
    async expire(name, prefix, before) {
      const { bucket } = find(name);
      const old = [...bucket.keysAfter('', prefix)].filter((key) => {
        const { modifiedAt } = bucket.head(key) ?? {};
        return modifiedAt !== undefined && modifiedAt < before.toISOString();
      });
      for (const key of old) await bucket.remove(key, {});
      return old.length;
    },
    trim: async (name, prefix, limits) => trimmed(find(name).bucket, prefix, limits),
  };
}

/** Removes the oldest until no more than so many bytes are left, or all that are older; returns how many. */
async function trimmed(
  bucket: Bucket,
  prefix: string,
  { bytes, before }: { readonly bytes: number; readonly before: Date },
): Promise<number> {
  const all = [...bucket.keysAfter('', prefix)].map((key) => bucket.head(key)).filter((one) => one !== undefined);
  let surplus = all.reduce((sum, { size }) => sum + size, -bytes);
  if (surplus <= 0) return 0;
  const old = all.filter(({ modifiedAt }) => modifiedAt < before.toISOString());
  let removed = 0;
  for (const { key, size } of old.sort((one, other) => (one.modifiedAt < other.modifiedAt ? -1 : 1))) {
    if (surplus <= 0) break;
    await bucket.remove(key, {});
    surplus -= size;
    removed += 1;
  }
  return removed;
}

/** Which operation method, query and headers ask for. */
function objectOperation(
  request: IncomingMessage,
  query: URLSearchParams,
): (context: objects.ObjectRequest) => Promise<void> {
  const upload = query.has('uploadId');
  switch (request.method) {
    case 'GET':
    case 'HEAD':
      if (upload) throw notPlayed(request);
      return objects.getObject;
    case 'PUT':
      if (request.headers['x-amz-copy-source']) throw notPlayed(request);
      return upload ? objects.uploadPart : objects.putObject;
    case 'POST':
      if (query.has('uploads')) return objects.createMultipart;
      if (upload) return objects.completeMultipart;
      throw notPlayed(request);
    case 'DELETE':
      return upload ? objects.abortMultipart : objects.deleteObject;
    default:
      throw new S3Fault('MethodNotAllowed', `${request.method} is not a method of S3`);
  }
}

async function deleteObjects(request: IncomingMessage, response: ServerResponse, bucket: Bucket): Promise<void> {
  const document = parseXml(await readSmallBody(request));
  const keys = document.children
    .filter((child) => child.name === 'Object')
    .map((child) => childText(child, 'Key') ?? '');
  if (keys.length === 0 || keys.length > 1000) throw new S3Fault('MalformedXML', 'from 1 to 1000 objects are named');
  const caller = callerOf(request);
  const judged = keys.map((Key) => ({ Key, denied: caller.denial('s3:DeleteObject', [Key]) }));
  const Errors = judged.flatMap(({ Key, denied: Message }) =>
    Message ? [{ Key, Code: 'AccessDenied', Message }] : [],
  );
  const removed = judged.filter(({ denied }) => denied === undefined);
  await Promise.all(removed.map(({ Key }) => bucket.remove(Key, {})));
  const quiet = childText(document, 'Quiet') === 'true';
  objects.sendXml(response, 200, 'DeleteResult', {
    Deleted: quiet ? [] : removed.map(({ Key }) => ({ Key })),
    Error: Errors,
  });
}

const notPlayed = (request: IncomingMessage): S3Fault =>
  new S3Fault('NotImplemented', `${request.method} ${request.url} is not emulated`);

function refuse(request: IncomingMessage, response: ServerResponse, error: unknown, logger: Logger): void {
  const fault = error instanceof S3Fault ? error : undefined;
  // A client that disconnected is not a fault of the platform.
  if (!fault && !request.socket.destroyed) logger.error('the local S3 failed', { cause: messageOf(error) });
  if (response.headersSent) {
    response.destroy();
    return;
  }
  // The unread rest of a body would be taken for the next request.
  if (!request.complete) response.setHeader('connection', 'close');
  const status = fault?.status ?? 500;
  if (request.method === 'HEAD') {
    response.writeHead(status).end();
    return;
  }
  objects.sendXml(response, status, 'Error', { Code: fault?.code ?? 'InternalError', Message: messageOf(error) });
}
