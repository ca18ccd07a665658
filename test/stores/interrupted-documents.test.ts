/** Manifests whose writer or reader is interrupted between the head and the document, and documents that are as large as they can be. */
import { DynamoDBClient, PutItemCommand, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { type LocalDynamoDb, startDynamoDb } from 'aws-on-loopback/dynamodb/start-dynamodb.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DynamoManifests } from '#adapters/dynamo-manifests.ts';
import { DynamoTable, type Item } from '#adapters/dynamo-table.ts';
import { LargeDocuments } from '#adapters/large-documents.ts';
import { documentItem, type ItemKey, tableSchema } from '#adapters/table-keys.ts';
import type { ManifestRecord } from '#contracts/records.ts';
import { ensureTable } from '#local/ensure-table.ts';
import { aManifest, key, minute, term } from '#test/contracts/builders.ts';
import { earlierItem } from '#test/contracts/manifest-layout.contract.ts';
import { InMemoryArtifacts } from '#test/fakes/in-memory-artifacts.ts';
import { at, refusal } from '#test/local/clients.ts';

const interruption = new Error('the connection was interrupted');
const seen = { generation: 1, attempt: 1 };
/** An item of DynamoDB has no more bytes, with the names of its attributes. */
const largestItem = 400 * 1024;

let dynamo: LocalDynamoDb;
let client: DynamoDBDocumentClient;
let artifacts: InMemoryArtifacts;
let table: FailingTable;
let store: DynamoManifests;
let name: string;
let tables = 0;
/** Transactions that are sent next are interrupted there. */
let cuts: ('beforeIt' | 'beforeItsAnswer')[] = [];

beforeAll(async () => {
  dynamo = await startDynamoDb({ directory: undefined, port: 0 });
  client = DynamoDBDocumentClient.from(new DynamoDBClient({ ...at(dynamo.url), maxAttempts: 3 }), {
    marshallOptions: { removeUndefinedValues: true },
  });
  // Below the retries of the SDK, like a connection.
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (given) => {
        const cut = commandName?.startsWith('TransactWrite') ? cuts.shift() : undefined;
        const broken = Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
        if (cut === 'beforeIt') throw broken;
        const answer = await next(given);
        if (cut === 'beforeItsAnswer') throw broken;
        return answer;
      },
    { step: 'deserialize', priority: 'high', name: 'interruption' },
  );
});

afterAll(async () => {
  client.destroy();
  await dynamo.close();
});

beforeEach(async () => {
  cuts = [];
  name = `table-${tables++}`;
  await ensureTable(dynamo.url, name, tableSchema);
  artifacts = new InMemoryArtifacts();
  table = new FailingTable(client, name);
  store = new DynamoManifests(table, new LargeDocuments(artifacts));
});

const items = async (): Promise<readonly Item[]> =>
  (await client.send(new ScanCommand({ TableName: name }))).Items ?? [];
const put = (Item: Item) => client.send(new PutCommand({ TableName: name, Item }));
const generation = (number: number, change: Partial<ManifestRecord> = {}): ManifestRecord =>
  aManifest({ generation: number, checksum: `c${number}`, document: { text: `${number}` }, ...change });

describe('a connection that is interrupted during a transaction', () => {
  it('a new generation whose answer was lost is stored once, and counts as stored', async () => {
    await store.create(generation(1));
    cuts = ['beforeItsAnswer'];
    await store.replace(generation(2), seen);
    expect(cuts).toEqual([]);
    expect(await store.get(key)).toEqual(generation(2));
    expect(await items()).toHaveLength(3);
  });

  it('a manifest whose creation or removal lost its answer is created or removed, and no conflict is reported', async () => {
    cuts = ['beforeItsAnswer', 'beforeItsAnswer'];
    await store.create(generation(1, { deleting: true }));
    await store.takeLease(key, 'run', term(0));
    expect(cuts).toEqual([]);
    cuts = ['beforeIt', 'beforeItsAnswer'];
    expect(await store.remove(key, 1, 1)).toBe('settled');
    expect(cuts).toEqual([]);
    expect(await items()).toEqual([]);
  });

  it('a new generation that never arrives leaves the one before as it was, also with a large document', async () => {
    await store.create(generation(1));
    const before = await items();
    const large = generation(2, { document: { text: 'x'.repeat(150_000) } });
    cuts = ['beforeIt', 'beforeIt', 'beforeIt'];
    await expect(store.replace(large, seen)).rejects.toThrow('socket hang up');
    expect(await items()).toEqual(before);
    expect(await store.get(key)).toEqual(generation(1));
    await store.replace(large, seen);
    expect(await store.get(key)).toEqual(large);
  });

  it('a manifest of an earlier release whose move never arrives stays whole, and is moved by the next write', async () => {
    await put(earlierItem(generation(1)));
    const before = await items();
    cuts = ['beforeIt', 'beforeIt', 'beforeIt'];
    await expect(store.replace(generation(1, { attempt: 2 }), seen)).rejects.toThrow('socket hang up');
    expect(await items()).toEqual(before);
    cuts = ['beforeItsAnswer'];
    await store.replace(generation(1, { attempt: 2 }), seen);
    expect((await items()).map(({ sk }) => sk).sort()).toEqual(['DOCUMENT#1', 'team#shop']);
    expect(await store.get(key)).toEqual(generation(1, { attempt: 2 }));
  });
});

it('a manifest whose removal by its key was interrupted is shown as unreadable, and is removed by the next try', async () => {
  await store.create(generation(1));
  table.failsAt = 'MANIFESTS';
  await expect(store.discard(key)).rejects.toBe(interruption);
  expect(await store.remainsOf(key)).toMatchObject({ name: 'shop', replaceable: true });
  expect((await store.listHeads(undefined, 9)).items).toMatchObject([{ name: 'shop' }]);
  table.failsAt = undefined;
  await store.discard(key);
  expect(await items()).toEqual([]);
});

describe('a run whose lease another has taken over', () => {
  it('a run with a stale lease removes neither head nor documents', async () => {
    await store.create(generation(1, { deleting: true }));
    await store.takeLease(key, 'stale', term(0));
    await store.takeLease(key, 'newer', term(61));
    const before = await items();
    await expect(store.remove(key, 1, 1)).rejects.toMatchObject({ name: 'LeaseLost' });
    expect(await items()).toEqual(before);
  });

  it('a run that loses its lease while it reads the document does not begin', async () => {
    await store.create(generation(1));
    await store.takeLease(key, 'stale', term(0));
    table.beforeDocument = async () => {
      await store.takeLease(key, 'newer', term(61));
      await store.replace(generation(2), seen);
      for (let number = 3; number <= 13; number++)
        await store.replace(generation(number), { generation: number - 1, attempt: 1 });
    };
    await expect(store.begin(key, 1, minute(62))).rejects.toMatchObject({ name: 'LeaseLost' });
  });

  it('a run does not begin with the document of a manifest that was created again under the same name', async () => {
    await store.create(generation(1, { deleting: true }));
    await store.takeLease(key, 'stale', term(0));
    table.beforeDocument = async () => {
      await store.takeLease(key, 'newer', term(61));
      expect(await store.remove(key, 2, 1)).toBe('settled');
      await store.create(generation(1, { uid: 'other', checksum: 'c9' }));
      await store.takeLease(key, 'other', term(62));
    };
    await expect(store.begin(key, 1, minute(62))).rejects.toMatchObject({ name: 'LeaseLost' });
  });
});

describe('documents as large as they can be', () => {
  it.each([99_000, 100_000, 101_000, 395_000, 420_000])(
    'every item of a manifest with a document of %i bytes is one that DynamoDB takes, before and after a move',
    async (bytes) => {
      const document = { text: 'é'.repeat(bytes / 2) };
      await store.create(generation(1, { document }));
      await store.replace(generation(2, { document }), seen);
      expect(await store.get(key)).toEqual(generation(2, { document }));
      expect((await store.generations(key)).map((kept) => kept.document)).toEqual([document, document]);
      const sizes = (await items()).map((item) => Buffer.byteLength(JSON.stringify(item)));
      expect(sizes).toHaveLength(3);
      for (const size of sizes) expect(size).toBeLessThan(largestItem / 3);
    },
  );

  it('the largest item that an earlier release can have left behind is moved', async () => {
    const whole = earlierItem(generation(1, { document: { text: 'x'.repeat(largestItem - 1500) } }));
    await put(whole);
    await store.replace(generation(1, { attempt: 2 }), seen);
    const found = await store.get(key);
    expect(found?.attempt).toBe(2);
    expect(found?.document).toEqual({ text: 'x'.repeat(largestItem - 1500) });
    expect((await items()).map(({ sk }) => sk).sort()).toEqual(['DOCUMENT#1', 'team#shop']);
  });

  it('the local DynamoDB refuses an item above 400 KB in a transaction as it does alone, and writes nothing of it', async () => {
    const item = { pk: { S: 'a' }, sk: { S: '1' }, document: { S: 'x'.repeat(largestItem) } };
    const one = { TableName: name, Item: item };
    const other = { TableName: name, Item: { ...item, sk: { S: '2' }, document: { S: 'x' } } };
    const transaction = new TransactWriteItemsCommand({ TransactItems: [{ Put: other }, { Put: one }] });
    for (const refused of [client.send(new PutItemCommand(one)), client.send(transaction)])
      expect((await refusal(refused)).message).toContain('Item size has exceeded the maximum allowed size');
    expect(await items()).toEqual([]);
  });
});

/** Can be interrupted at the removal of an item, and lets a test do something before a document is read. */
class FailingTable extends DynamoTable {
  failsAt: string | undefined;
  beforeDocument: (() => Promise<void>) | undefined;

  override async remove(...[one, condition]: Parameters<DynamoTable['remove']>): Promise<boolean> {
    if (one.pk === this.failsAt) throw interruption;
    return super.remove(one, condition);
  }

  override async writeTogether(writes: Parameters<DynamoTable['writeTogether']>[0]): Promise<boolean> {
    if (writes.some((write) => 'remove' in write && write.remove.pk === this.failsAt)) throw interruption;
    return super.writeTogether(writes);
  }

  override async get(one: ItemKey): Promise<Item | undefined> {
    const act = one.sk.startsWith(documentItem(key, 0).sk.slice(0, -1)) ? this.beforeDocument : undefined;
    if (act) this.beforeDocument = undefined;
    await act?.();
    return super.get(one);
  }
}
