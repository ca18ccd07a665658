/** What S3 does with one object: put, get, head, delete, and the four steps of a multipart upload. */
import { createReadStream } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { Bucket, Precondition } from './bucket.ts';
import type { MultipartUploads } from './multipart.ts';
import type { ObjectDescription } from './object-file.ts';
import { readRequestBody, readSmallBody } from './request-body.ts';
import { S3Fault } from './s3-fault.ts';
import { childText, parseXml, renderXml, type XmlValue } from './xml.ts';

export interface ObjectRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly bucketName: string;
  readonly bucket: Bucket;
  readonly key: string;
  readonly query: URLSearchParams;
  readonly uploads: MultipartUploads;
}

const keptHeaders = ['content-type', 'cache-control', 'content-disposition', 'content-language', 'expires'];

export function sendXml(response: ServerResponse, status: number, name: string, value: XmlValue): void {
  const text = renderXml(name, value);
  response.writeHead(status, { 'content-type': 'application/xml', 'content-length': Buffer.byteLength(text) });
  response.end(text);
}

export async function putObject({ request, response, bucket, key }: ObjectRequest): Promise<void> {
  const upload = await bucket.receive(readRequestBody(request));
  const { etag } = await bucket.commit(key, upload, { headers: headersOf(request), when: preconditionOf(request) });
  response.writeHead(200, { etag: `"${etag}"`, 'content-length': 0 }).end();
}

export async function getObject({ request, response, bucket, key }: ObjectRequest): Promise<void> {
  const { description, file } = await bucket.open(key);
  try {
    const headers = responseHeaders(description);
    if (isUnchanged(request, description)) {
      response.writeHead(304, headers).end();
      return;
    }
    const range = rangeOf(request.headers.range, description.size);
    const { first, last } = range ?? { first: 0, last: description.size - 1 };
    response.writeHead(range ? 206 : 200, {
      ...headers,
      'content-length': last - first + 1,
      ...(range && { 'content-range': `bytes ${first}-${last}/${description.size}` }),
    });
    // An empty object has no byte to stream: `end` before `start` would read the description that follows it.
    if (request.method === 'HEAD' || last < first) response.end();
    else await pipeline(createReadStream('', { fd: file, start: first, end: last, autoClose: false }), response);
  } finally {
    await file.close();
  }
}

export async function deleteObject({ request, response, bucket, key }: ObjectRequest): Promise<void> {
  await bucket.remove(key, preconditionOf(request));
  response.writeHead(204).end();
}

export async function createMultipart({ request, response, bucketName, key, uploads }: ObjectRequest): Promise<void> {
  const id = await uploads.create(key, headersOf(request));
  sendXml(response, 200, 'InitiateMultipartUploadResult', { Bucket: bucketName, Key: key, UploadId: id });
}

export async function uploadPart({ request, response, key, query, uploads }: ObjectRequest): Promise<void> {
  const bytes = readRequestBody(request);
  const etag = await uploads.putPart(query.get('uploadId') ?? '', key, Number(query.get('partNumber')), bytes);
  response.writeHead(200, { etag: `"${etag}"`, 'content-length': 0 }).end();
}

export async function completeMultipart(context: ObjectRequest): Promise<void> {
  const { request, response, bucketName, bucket, key, query, uploads } = context;
  const id = query.get('uploadId') ?? '';
  const document = parseXml(await readSmallBody(request));
  const parts = document.children.map((part) => ({
    number: Number(childText(part, 'PartNumber')),
    etag: unquoted(childText(part, 'ETag') ?? ''),
  }));
  if (parts.some(({ etag }) => !/^[0-9a-f]{32}$/.test(etag))) throw new S3Fault('InvalidPart', 'a part has no ETag');
  const { upload, etag, headers } = await uploads.join(id, key, parts, bucket);
  await bucket.commit(key, upload, { headers, etag, when: preconditionOf(request) });
  await uploads.remove(id, key);
  sendXml(response, 200, 'CompleteMultipartUploadResult', { Bucket: bucketName, Key: key, ETag: `"${etag}"` });
}

export async function abortMultipart({ response, key, query, uploads }: ObjectRequest): Promise<void> {
  await uploads.remove(query.get('uploadId') ?? '', key);
  response.writeHead(204).end();
}

const unquoted = (etag: string): string => etag.trim().replace(/^W\//, '').replace(/^"|"$/g, '');

function preconditionOf({ headers }: IncomingMessage): Precondition {
  const [ifMatch, ifNoneMatch] = [headers['if-match'], headers['if-none-match']];
  return {
    ...(ifMatch !== undefined && { ifMatch: unquoted(ifMatch) }),
    ...(ifNoneMatch !== undefined && { ifNoneMatch: unquoted(ifNoneMatch) }),
  };
}

function headersOf({ headers }: IncomingMessage): Record<string, string> {
  const kept = Object.entries(headers).filter(([name]) => keptHeaders.includes(name) || name.startsWith('x-amz-meta-'));
  const encoding = String(headers['content-encoding'] ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '' && part !== 'aws-chunked')
    .join(',');
  return {
    ...Object.fromEntries(kept.map(([name, value]) => [name, String(value)])),
    ...(encoding && { 'content-encoding': encoding }),
  };
}

const responseHeaders = (object: ObjectDescription): Record<string, string> => ({
  'content-type': 'application/octet-stream',
  ...object.headers,
  etag: `"${object.etag}"`,
  'last-modified': new Date(object.modifiedAt).toUTCString(),
  'accept-ranges': 'bytes',
});

/** True for an If-None-Match that matches. Throws `PreconditionFailed` for an If-Match that does not. */
function isUnchanged(request: IncomingMessage, { etag, key }: ObjectDescription): boolean {
  const { ifMatch, ifNoneMatch } = preconditionOf(request);
  if (ifMatch !== undefined && ifMatch !== '*' && ifMatch !== etag)
    throw new S3Fault('PreconditionFailed', `${key} has changed`);
  return ifNoneMatch !== undefined && (ifNoneMatch === '*' || ifNoneMatch === etag);
}

function rangeOf(header: string | undefined, size: number): { first: number; last: number } | undefined {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (from === '' && to === '') return undefined;
  const first = from === '' ? Math.max(0, size - Number(to)) : Number(from);
  const last = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1);
  if (first >= size || last < first) throw new S3Fault('InvalidRange', `the object has ${size} bytes`);
  return { first, last };
}
