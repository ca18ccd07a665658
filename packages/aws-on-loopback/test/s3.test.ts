/** S3 on one machine, through the SDK that production uses. */
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetBucketEncryptionCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutBucketVersioningCommand,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { silentLogger } from '../src/logger.ts';
import { openS3 } from '../src/s3/s3-listener.ts';
import { at, listening, refusal, temporaryDirectory } from './clients.ts';

const Bucket = 'test';

async function startS3(directory?: string): Promise<{ s3: S3Client; url: string; directory: string }> {
  const root = directory ?? (await temporaryDirectory());
  const { listener } = await openS3({ directory: root, buckets: [Bucket], logger: silentLogger });
  const { url } = await listening(listener);
  const s3 = new S3Client({ ...at(url), forcePathStyle: true });
  onTestFinished(() => s3.destroy());
  return { s3, url, directory: root };
}

/** Announces a thousand bytes, sends four, and is gone. */
const sendHalf = (port: number): Promise<void> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(`PUT /${Bucket}/half HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nhalf`, () => {
        socket.resetAndDestroy();
        resolve();
      });
    });
  });

const put = (s3: S3Client, Key: string, Body: string, more: object = {}) =>
  s3.send(new PutObjectCommand({ Bucket, Key, Body, ...more }));
const read = async (s3: S3Client, Key: string, more: object = {}): Promise<string | undefined> =>
  (await s3.send(new GetObjectCommand({ Bucket, Key, ...more }))).Body?.transformToString();

describe('the local S3', () => {
  it('an object is returned as it was put, with its type and metadata', async () => {
    const { s3 } = await startS3();
    await put(s3, 'a/b.json', '{"a":1}', { ContentType: 'application/json', Metadata: { who: 'me' } });
    const head = await s3.send(new HeadObjectCommand({ Bucket, Key: 'a/b.json' }));
    expect(head).toMatchObject({ ContentLength: 7, ContentType: 'application/json', Metadata: { who: 'me' } });
    expect(await read(s3, 'a/b.json')).toBe('{"a":1}');
  });

  it('the chunk framing of a streamed body is removed', async () => {
    const { s3 } = await startS3();
    const body = 'chunk '.repeat(40_000);
    const stream = Readable.from([body.slice(0, 100_000), body.slice(100_000)].map((part) => Buffer.from(part)));
    await s3.send(new PutObjectCommand({ Bucket, Key: 'stream', Body: stream, ContentLength: body.length }));
    expect(await read(s3, 'stream')).toBe(body);
  });

  it('a body that does not match its checksum is refused, and nothing of it is kept', async () => {
    const { s3, url } = await startS3();
    const response = await fetch(`${url}/${Bucket}/bad`, {
      method: 'PUT',
      body: 'other',
      headers: { 'x-amz-checksum-crc32': 'AAAAAA==' },
    });
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('BadDigest')]);
    expect((await refusal(read(s3, 'bad'))).name).toBe('NoSuchKey');
  });

  it('exactly one of twenty writers creates an object that must not exist', async () => {
    const { s3 } = await startS3();
    const writes = Array.from({ length: 20 }, (_, n) => put(s3, 'lock', `writer ${n}`, { IfNoneMatch: '*' }));
    const outcomes = await Promise.allSettled(writes);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason.name] : []));
    expect(new Set(refused)).toEqual(new Set(['PreconditionFailed']));
  });

  it('If-Match replaces only an object that has not changed', async () => {
    const { s3 } = await startS3();
    const first = await put(s3, 'state', 'one');
    await put(s3, 'state', 'two', { IfMatch: first.ETag });
    expect((await refusal(put(s3, 'state', 'three', { IfMatch: first.ETag }))).name).toBe('PreconditionFailed');
    expect((await refusal(put(s3, 'none', 'x', { IfMatch: first.ETag }))).name).toBe('NoSuchKey');
    expect(await read(s3, 'state')).toBe('two');
  });

  it('objects are listed page by page in byte order', async () => {
    const { s3 } = await startS3();
    const keys = ['a', 'a b', 'a&b', 'a/1', 'a/2', 'ä', 'b', 'z\u{1f600}', 'z\uffee'];
    await Promise.all(keys.map((key) => put(s3, key, 'x')));
    const found: string[] = [];
    let token: string | undefined;
    do {
      const page = await s3.send(new ListObjectsV2Command({ Bucket, MaxKeys: 2, ContinuationToken: token }));
      found.push(...(page.Contents ?? []).map(({ Key = '' }) => Key));
      token = page.NextContinuationToken;
    } while (token);
    expect(found).toEqual([...keys].sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other))));
  });

  it('keys are folded at a delimiter, over pages too', async () => {
    const { s3 } = await startS3();
    for (const key of ['p/a/1', 'p/a/2', 'p/b', 'p/c/1', 'q']) await put(s3, key, 'x');
    const list = (more: object) =>
      s3.send(new ListObjectsV2Command({ Bucket, Prefix: 'p/', Delimiter: '/', MaxKeys: 1, ...more }));
    const first = await list({});
    const second = await list({ ContinuationToken: first.NextContinuationToken });
    const third = await list({ ContinuationToken: second.NextContinuationToken });
    expect(first.CommonPrefixes?.[0]?.Prefix).toBe('p/a/');
    expect(second.Contents?.[0]?.Key).toBe('p/b');
    expect([third.CommonPrefixes?.[0]?.Prefix, third.IsTruncated]).toEqual(['p/c/', false]);
  });

  it('the parts of a multipart upload are joined, and unknown parts refused', async () => {
    const { s3 } = await startS3();
    const Key = 'big';
    const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key, ContentType: 'text/plain' }));
    const part = async (PartNumber: number, Body: Buffer) => {
      const { ETag } = await s3.send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body }));
      return { PartNumber, ETag };
    };
    const parts = [await part(1, Buffer.alloc(5 * 1024 * 1024, 'a')), await part(2, Buffer.from('end'))];
    const complete = (Parts: typeof parts) =>
      s3.send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts } }));
    expect((await refusal(complete([...parts, { PartNumber: 3, ETag: parts[0]?.ETag }]))).name).toBe('InvalidPart');
    const { ETag } = await complete(parts);
    expect(ETag).toMatch(/-2"$/);
    expect(await read(s3, Key, { Range: 'bytes=5242878-' })).toBe('aaend');
  });

  it('ranges are read, and those outside refused', async () => {
    const { s3 } = await startS3();
    await put(s3, 'r', '0123456789');
    expect(await read(s3, 'r', { Range: 'bytes=2-4' })).toBe('234');
    expect(await read(s3, 'r', { Range: 'bytes=-3' })).toBe('789');
    expect((await refusal(read(s3, 'r', { Range: 'bytes=10-' }))).name).toBe('InvalidRange');
  });

  it('many objects are deleted at once, whatever their names', async () => {
    const { s3 } = await startS3();
    const keys = ['a<b>&"c"', "it's", '../../etc/passwd', 'line\nbreak', '&amp;', 'x'.repeat(1024)];
    for (const key of keys) await put(s3, key, key);
    expect(await read(s3, 'line\nbreak')).toBe('line\nbreak');
    await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects: keys.map((Key) => ({ Key })) } }));
    expect((await s3.send(new ListObjectsV2Command({ Bucket }))).KeyCount).toBe(0);
  });

  it('a missing object is deleted without complaint', async () => {
    const { s3 } = await startS3();
    await expect(s3.send(new DeleteObjectCommand({ Bucket, Key: 'never' }))).resolves.toBeDefined();
  });

  it('an operation that is not emulated is answered with NotImplemented', async () => {
    const { s3 } = await startS3();
    const versioning = new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status: 'Enabled' } });
    expect((await refusal(s3.send(versioning))).name).toBe('NotImplemented');
    expect((await refusal(s3.send(new GetBucketEncryptionCommand({ Bucket })))).name).toBe('NotImplemented');
    const copy = new CopyObjectCommand({ Bucket, Key: 'to', CopySource: `${Bucket}/from` });
    expect((await refusal(s3.send(copy))).name).toBe('NotImplemented');
    expect((await s3.send(new ListObjectsV2Command({ Bucket }))).KeyCount).toBe(0);
  });

  it('XML with a document type, and XML that never ends, is refused', async () => {
    const { url } = await startS3();
    for (const body of [
      '<!DOCTYPE a [<!ENTITY b "c">]><Delete><Object><Key>&b;</Key></Object></Delete>',
      '<Delete><Obj',
    ]) {
      const response = await fetch(`${url}/${Bucket}?delete`, { method: 'POST', body });
      expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('MalformedXML')]);
    }
  });

  it('a restart keeps everything, and nothing of an upload that was interrupted', async () => {
    const { s3, url, directory } = await startS3();
    await put(s3, 'kept', 'value');
    await sendHalf(Number(new URL(url).port));
    await put(s3, 'later', 'value');
    const again = await startS3(directory);
    expect(await read(again.s3, 'kept')).toBe('value');
    expect((await again.s3.send(new ListObjectsV2Command({ Bucket }))).Contents?.map(({ Key }) => Key)).toEqual([
      'kept',
      'later',
    ]);
  });

  it('a lifecycle rule removes objects older than it keeps, below its prefix only', async () => {
    const store = await openS3({ directory: await temporaryDirectory(), buckets: [Bucket], logger: silentLogger });
    const { url } = await listening(store.listener);
    const s3 = new S3Client({ ...at(url), forcePathStyle: true });
    onTestFinished(() => s3.destroy());
    for (const key of ['runs/a', 'runs/b', 'terraform/c']) await put(s3, key, 'value');
    expect(await store.expire(Bucket, 'runs/', new Date(0))).toBe(0);
    expect(await store.expire(Bucket, 'runs/', new Date(Date.now() + 1000))).toBe(2);
    expect(store.keys(Bucket, '')).toEqual(['terraform/c']);
  });
});
