/** Manifests as earlier versions have them in the table, with the document in the item: read by this one, and moved by its next write. */
import { readFileSync } from 'node:fs';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { type LocalDynamoDb, startDynamoDb } from 'aws-on-loopback/dynamodb/start-dynamodb.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DynamoManifests } from '#adapters/dynamo-manifests.ts';
import { DynamoTable } from '#adapters/dynamo-table.ts';
import { LargeDocuments } from '#adapters/large-documents.ts';
import { documentItem, tableSchema } from '#adapters/table-keys.ts';
import { ManifestRecord } from '#contracts/records.ts';
import { ensureTable } from '#local/ensure-table.ts';
import { term } from '#test/contracts/builders.ts';
import { earlierItem } from '#test/contracts/manifest-layout.contract.ts';
import { InMemoryArtifacts } from '#test/fakes/in-memory-artifacts.ts';
import { headOf } from '#test/fakes/in-memory-manifests.ts';
import { at } from '#test/local/clients.ts';

const recorded = new URL('recorded/', import.meta.url);
const recordedManifest = (version: string): ManifestRecord => {
  const documents = JSON.parse(readFileSync(new URL(`${version}/documents.json`, recorded), 'utf8'));
  return ManifestRecord.parse(documents['manifest-record'][0]);
};

let dynamo: LocalDynamoDb;
let client: DynamoDBDocumentClient;
let store: DynamoManifests;
let table: string;
let tables = 0;

beforeAll(async () => {
  dynamo = await startDynamoDb({ directory: undefined, port: 0 });
  client = DynamoDBDocumentClient.from(new DynamoDBClient(at(dynamo.url)), {
    marshallOptions: { removeUndefinedValues: true },
  });
});

afterAll(async () => {
  client.destroy();
  await dynamo.close();
});

beforeEach(async () => {
  table = `table-${tables++}`;
  await ensureTable(dynamo.url, table, tableSchema);
  store = new DynamoManifests(new DynamoTable(client, table), new LargeDocuments(new InMemoryArtifacts()));
});

const put = (Item: Record<string, unknown>) => client.send(new PutCommand({ TableName: table, Item }));
const stored = async () => (await client.send(new ScanCommand({ TableName: table }))).Items ?? [];
const places = async () =>
  (await stored()).map(({ sk, document }) => `${sk}${document === undefined ? '' : ' with a document'}`).sort();

describe.each([
  ['of 0.1.0', {}],
  ['of a release after it, whose items say their format,', { format: 1 }],
])('a manifest %s', (_version, extra) => {
  const before = { ...recordedManifest('0.1.0'), generation: 2, lease: null, fence: 3 };
  const seen = { generation: 2, attempt: before.attempt };
  const first = { kind: 'InputManifest', spec: { first: true } };
  beforeEach(async () => {
    await put({ ...earlierItem(before), ...extra });
    await put({ ...documentItem(before, 1), document: { json: JSON.stringify(first) }, ...extra });
  });

  it('a manifest of an earlier version is read, listed, leased and settled where it is', async () => {
    const whole = await places();
    expect(await store.get(before)).toEqual(before);
    expect(await store.head(before)).toEqual(headOf(before));
    expect((await store.list(undefined, 9)).items).toEqual([before]);
    expect((await store.listHeads(undefined, 9)).items).toEqual([headOf(before)]);
    const taken = await store.takeLease(before, 'run', term(0));
    expect(taken?.lease.fence).toBe(4);
    expect((await store.begin(before, 4, '2026-11-20T12:00:00.000Z')).document).toEqual(before.document);
    expect(await store.settle(before, 4, seen, 'Done', '2026-11-20T12:00:01.000Z')).toBe('settled');
    expect(await places()).toEqual(whole);
    // So long as nothing is moved, going back loses nothing.
    expect((await stored()).map(({ format }) => format ?? 1)).toEqual([1, 1]);
    expect((await store.generations(before)).map(({ document }) => document)).toEqual([before.document, first]);
  });

  it.each([
    ['attempt', { attempt: before.attempt + 1 }, ['DOCUMENT#1 with a document', 'DOCUMENT#2 with a document']],
    [
      'generation',
      { generation: 3, attempt: 1, document: { kind: 'InputManifest', spec: {} }, checksum: 'c3' },
      ['DOCUMENT#1 with a document', 'DOCUMENT#2 with a document', 'DOCUMENT#3 with a document'],
    ],
  ])('the next %s moves the document of an earlier version out of its item', async (_, change, documents) => {
    const next = { ...before, ...change };
    await store.replace(next, seen);
    // An earlier release says of a format above its own that it cannot read it, and changes nothing.
    expect((await stored()).find(({ pk }) => pk === 'MANIFESTS')?.format).toBe(2);
    expect(await places()).toEqual([...documents, `${before.namespace}#${before.name}`]);
    expect(await store.get(before)).toEqual(next);
    const kept = (await store.generations(before)).map(({ document }) => document);
    expect(kept).toEqual([...(next.generation === 3 ? [next.document] : []), before.document, first]);
  });

  it('a writer that comes too late moves nothing', async () => {
    const whole = await places();
    const late = store.replace({ ...before, generation: 2 }, { generation: 1, attempt: 1 });
    await expect(late).rejects.toMatchObject({ name: 'VersionConflict', details: seen });
    const other = store.replace({ ...before, attempt: 9 }, { ...seen, attempt: 8 });
    await expect(other).rejects.toMatchObject({ name: 'VersionConflict', details: seen });
    expect(await places()).toEqual(whole);
  });

  it('deleting a manifest of an earlier version leaves no items in the table', async () => {
    await put(earlierItem({ ...before, deleting: true }));
    await store.takeLease(before, 'run', term(0));
    expect(await store.remove(before, 4, 2)).toBe('settled');
    expect(await places()).toEqual([]);
  });
});
