/** `Artifacts` on S3. */
import {
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  NoSuchKey,
  PutObjectCommand,
  paginateListObjectsV2,
  S3Client,
  type S3ClientConfig,
} from '@aws-sdk/client-s3';
import { PipelineError } from '#domain/errors.ts';
import type { Artifacts, BytePiece } from '../ports.ts';

/** Errors of a write that meets another one of the same key. */
const mostTries = 5;

export class S3Artifacts implements Artifacts {
  readonly #client: S3Client;
  readonly #bucket: string;

  constructor(client: S3Client, bucket: string) {
    this.#client = client;
    this.#bucket = bucket;
  }

  /** With a client of its own: a bundle has as much of the SDK as this file names. */
  static of(options: S3ClientConfig, bucket: string): S3Artifacts {
    return new S3Artifacts(new S3Client(options), bucket);
  }

  async getText(key: string): Promise<string | undefined> {
    const bytes = await this.getBytes(key);
    return bytes && new TextDecoder().decode(bytes);
  }

  async putText(key: string, text: string, contentType = 'text/plain; charset=utf-8'): Promise<void> {
    await this.#put(key, text, contentType);
  }

  async createText(key: string, text: string, contentType = 'text/plain; charset=utf-8'): Promise<boolean> {
    for (let tries = 1; ; tries++) {
      try {
        await this.#put(key, text, contentType, '*');
        return true;
      } catch (error) {
        const name = error instanceof Error ? error.name : '';
        if (name === 'PreconditionFailed') return false;
        // Another write of the same key is in progress, and may fail.
        if (name !== 'ConditionalRequestConflict' || tries === mostTries) throw error;
      }
    }
  }

  async getBytes(key: string, piece?: BytePiece): Promise<Uint8Array | undefined> {
    const Range = piece && `bytes=${piece.from}-${piece.from + piece.length - 1}`;
    try {
      const answer = await this.#client.send(new GetObjectCommand({ Bucket: this.#bucket, Key: key, Range }));
      return (await answer.Body?.transformToByteArray()) ?? new Uint8Array();
    } catch (error) {
      if (error instanceof NoSuchKey) return undefined;
      if (error instanceof Error && error.name === 'InvalidRange') return new Uint8Array();
      throw error;
    }
  }

  async putBytes(key: string, bytes: Uint8Array): Promise<void> {
    await this.#put(key, bytes, 'application/octet-stream');
  }

  async list(prefix: string): Promise<readonly { readonly key: string; readonly size: number }[]> {
    const found: { key: string; size: number }[] = [];
    for await (const page of paginateListObjectsV2({ client: this.#client }, { Bucket: this.#bucket, Prefix: prefix }))
      for (const { Key, Size } of page.Contents ?? []) found.push({ key: Key ?? '', size: Size ?? 0 });
    return found;
  }

  async remove(key: string): Promise<void> {
    await this.#client.send(new DeleteObjectCommand({ Bucket: this.#bucket, Key: key }));
  }

  async removeAll(prefix: string): Promise<void> {
    const found = await this.list(prefix);
    for (let from = 0; from < found.length; from += 1000) {
      const Objects = found.slice(from, from + 1000).map(({ key }) => ({ Key: key }));
      const command = new DeleteObjectsCommand({ Bucket: this.#bucket, Delete: { Objects, Quiet: true } });
      const { Errors = [] } = await this.#client.send(command);
      const [first] = Errors;
      if (!first) continue;
      const message = `${Errors.length} artifacts below ${prefix} could not be removed, first ${first.Key}: ${first.Message}`;
      throw new PipelineError('ServiceUnavailable', message);
    }
  }

  async #put(key: string, body: string | Uint8Array, contentType: string, ifNoneMatch?: '*'): Promise<void> {
    const object = { Bucket: this.#bucket, Key: key, Body: body, ContentType: contentType };
    await this.#client.send(new PutObjectCommand({ ...object, ...(ifNoneMatch && { IfNoneMatch: ifNoneMatch }) }));
  }
}
