/** Keeps documents inside a table item while they are small; larger ones go to the artifacts, with their checksum. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Artifacts } from '../ports.ts';
import { parseStoredJson, readRecord, unreadable } from './stored-record.ts';

/** DynamoDB refuses items above 400 KB, and an item with a document must stay cheap to read. */
const inlineBytes = 100_000;
/** Number of shared documents that are not read and parsed again. */
const remembered = 8;

const Kept = z.union([z.strictObject({ json: z.string() }), z.strictObject({ key: z.string(), sha256: z.string() })]);
export type Kept = z.infer<typeof Kept>;

export class LargeDocuments {
  readonly #artifacts: Artifacts;
  /** Newest first, by their text or checksum. No Map: its old tables would keep what it has forgotten until a full collection. */
  #known: readonly { readonly identity: string; readonly document: unknown }[] = [];

  constructor(artifacts: Artifacts) {
    this.#artifacts = artifacts;
  }

  /** Returns what to put into the item. The same document under the same prefix is always the same artifact. */
  async keep(prefix: string, document: unknown): Promise<Kept> {
    const json = JSON.stringify(document);
    if (Buffer.byteLength(json) <= inlineBytes) return { json };
    const sha256 = createHash('sha256').update(json).digest('hex');
    const key = `${prefix}/${sha256}.json`;
    await this.#artifacts.putText(key, json, 'application/json');
    return { key, sha256 };
  }

  /** Reads it back. Throws `Unreadable` when the artifact is gone or was changed; `what` is for people. */
  async read(kept: unknown, what: string): Promise<unknown> {
    return this.#parsed(readRecord(Kept, kept, { what }), what);
  }

  /** The same for what is read often, as the manifest of a run for each of its clusters: remembered, never to be changed. */
  async readShared(kept: unknown, what: string): Promise<unknown> {
    const where = readRecord(Kept, kept, { what });
    const identity = 'json' in where ? where.json : where.sha256;
    const found = this.#known.find((known) => known.identity === identity);
    const { document } = found ?? { document: await this.#parsed(where, what) };
    const others = this.#known.filter((known) => known.identity !== identity);
    this.#known = [{ identity, document }, ...others].slice(0, remembered);
    return document;
  }

  async #parsed(where: Kept, what: string): Promise<unknown> {
    return parseStoredJson(await this.#textOf(where, what), what);
  }

  async #textOf(where: Kept, what: string): Promise<string> {
    if ('json' in where) return where.json;
    const json = await this.#artifacts.getText(where.key);
    const found = json === undefined ? 'nothing' : createHash('sha256').update(json).digest('hex');
    if (json !== undefined && found === where.sha256) return json;
    throw unreadable(what, `artifact ${where.key} should have checksum ${where.sha256} and has ${found}`);
  }
}

/** Artifact prefix of a manifest's large documents. */
export const documentPrefix = (namespace: string, name: string): string => `documents/${namespace}/${name}`;
