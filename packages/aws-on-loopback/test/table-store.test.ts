/** The table on disk: what outlives a stop, what is noticed when it is damaged, what expires. */
import { cp, mkdtemp, open, readdir, readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient, GetItemCommand, PutItemCommand, QueryCommand } from '@aws-sdk/client-dynamodb';
import dynalite from 'dynalite';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openItemStore } from '../src/dynamodb/item-store.ts';
import { deleteExpired } from '../src/dynamodb/operations.ts';
import { type LocalDynamoDb, startDynamoDb, tableFile } from '../src/dynamodb/start-dynamodb.ts';
import type { StoreWords } from '../src/stores/store-fault.ts';
import { at, temporaryDirectory } from './clients.ts';
import { createTable } from './create-table.ts';

const table = 'test';
const words: StoreWords = {
  writer: 'the shop',
  parameter: 'password',
  levelDb: 'in the format of last year',
  restore: 'restore a backup with `shop restore`',
  acceptLoss: '`shop --accept-loss` opens all the same',
};
const item = (sk: string, more: Record<string, { N: string } | { S: string }> = {}) => ({
  pk: { S: 'a' },
  sk: { S: sk },
  ...more,
});

async function start(
  directory: string,
  acceptLoss = false,
): Promise<{ server: LocalDynamoDb; client: DynamoDBClient }> {
  const server = await startDynamoDb({ directory, port: 0, acceptLoss, words });
  onTestFinished(() => server.close());
  const client = new DynamoDBClient(at(server.url));
  await createTable(server.url, table);
  return { server, client };
}

const put = (client: DynamoDBClient, Item: ReturnType<typeof item>) =>
  client.send(new PutItemCommand({ TableName: table, Item }));

async function count(client: DynamoDBClient): Promise<number> {
  const query = {
    TableName: table,
    KeyConditionExpression: 'pk = :a',
    ExpressionAttributeValues: { ':a': { S: 'a' } },
  };
  return (await client.send(new QueryCommand(query))).Count ?? 0;
}

/** A table with 40 items as a killed process leaves it, its log not yet in the file: each test takes a copy. */
let left: string;
beforeAll(async () => {
  left = await mkdtemp(join(tmpdir(), 'aws-on-loopback-table-'));
  const running = join(left, 'running');
  const server = await startDynamoDb({ directory: running, port: 0, acceptLoss: false });
  const client = new DynamoDBClient(at(server.url));
  await createTable(server.url, table);
  for (let sk = 0; sk < 40; sk++) await put(client, item(String(sk), { text: { S: 'x'.repeat(500) } }));
  await cp(running, join(left, 'killed'), { recursive: true });
  await server.close();
});
afterAll(() => rm(left, { recursive: true, force: true }));

async function killed(): Promise<string> {
  const copy = await temporaryDirectory();
  await cp(join(left, 'killed'), copy, { recursive: true });
  return copy;
}

describe('a table', () => {
  it('the table has every acknowledged item after a kill of its process', async () => {
    const { client } = await start(await killed());
    expect(await count(client)).toBe(40);
  });

  it('the table does not start without its log, and counts the lost changes, unless accepted', async () => {
    const directory = await killed();
    await rm(join(directory, `${tableFile}-wal`));
    await expect(start(directory)).rejects.toThrow(
      /table\.sqlite.*(lost its last \d+ changes|damaged).*`shop restore`/,
    );
  });

  it('the table does not start when the end of its log was interrupted', async () => {
    const directory = await killed();
    const log = join(directory, `${tableFile}-wal`);
    await truncate(log, Math.floor((await stat(log)).size / 2));
    await expect(start(directory)).rejects.toThrow(/table\.sqlite \(the table\) has lost its last \d+ changes/);
    const { client } = await start(directory, true);
    expect(await count(client)).toBeLessThan(40);
    await put(client, item('new'));
  });

  it.each([
    ['its header', () => [20]],
    ['a page of the tree', () => [4096]],
    // In pages that are free, too: which of them is the item is not for us to know.
    ['an item', (bytes: Buffer) => [...bytes.toString('latin1').matchAll(/x{400}/g)].map(({ index }) => index)],
  ] as const)('the table does not start with flipped bytes in %s', async (_, placesIn) => {
    const directory = await killed();
    const { server } = await start(directory);
    await server.close();
    const path = join(directory, tableFile);
    const bytes = await readFile(path);
    for (const from of placesIn(bytes))
      for (let place = from; place < from + 30; place++) bytes[place] = (bytes[place] ?? 0) ^ 0xff;
    await writeFile(path, bytes);
    await expect(start(directory)).rejects.toThrow(/table\.sqlite \(the table\) is damaged: .*; restore a backup/);
  });

  it('the table does not start when the file is no database, or of a newer version', async () => {
    const directory = await temporaryDirectory();
    await writeFile(join(directory, tableFile), 'garbage '.repeat(1000));
    await expect(start(directory)).rejects.toThrow(
      /table\.sqlite \(the table\) is damaged: file is not a database; restore/,
    );
    const newer = await temporaryDirectory();
    const store = openItemStore(join(newer, tableFile));
    store.close();
    const file = await open(join(newer, tableFile), 'r+');
    await file.write(Buffer.from([0, 0, 0, 9]), 0, 4, 60);
    await file.close();
    await expect(start(newer)).rejects.toThrow(
      /newer version of the shop \(the table, version 9\); start that version/,
    );
  });
});

describe('the table in LevelDB', () => {
  async function leveldb(): Promise<string> {
    const directory = await temporaryDirectory();
    const old = dynalite({ path: directory, createTableMs: 0 });
    await new Promise<void>((done) => old.listen(0, '127.0.0.1', () => done()));
    const url = `http://127.0.0.1:${(old.address() as { port: number }).port}`;
    await createTable(url, table, { expires: false });
    const client = new DynamoDBClient(at(url));
    for (let sk = 0; sk < 30; sk++)
      await put(
        client,
        item(String(sk), { duePartition: { S: 'RUNS' }, dueAt: { S: String(sk) }, expireAt: { N: '1' } }),
      );
    client.destroy();
    old.closeAllConnections();
    await new Promise((done) => old.close(done));
    return directory;
  }

  it('a table that dynalite kept in LevelDB is migrated at the first start, once, with its index and expiry', async () => {
    const directory = await leveldb();
    const { client, server } = await start(directory);
    expect((await readdir(directory)).filter((name) => !name.startsWith(tableFile))).toEqual([]);
    const due = {
      TableName: table,
      IndexName: 'due',
      KeyConditionExpression: 'duePartition = :r',
      ExpressionAttributeValues: { ':r': { S: 'RUNS' } },
    };
    expect([await count(client), (await client.send(new QueryCommand(due))).Count]).toEqual([30, 30]);
    await server.close();
    const items = openItemStore(join(directory, tableFile));
    onTestFinished(() => items.close());
    expect(await deleteExpired(items, table, 10_000)).toBe(30);
  });

  it('a damaged table in LevelDB is refused with a sentence, and not changed', async () => {
    const directory = await leveldb();
    await rename(join(directory, 'CURRENT'), join(directory, 'elsewhere'));
    await expect(start(directory)).rejects.toThrow(
      /in the format of last year\) is damaged: CURRENT is missing; restore a backup/,
    );
    await rename(join(directory, 'elsewhere'), join(directory, 'CURRENT'));
    await start(directory);
  });
});

describe('what has expired', () => {
  it('an expired item is deleted from the table and its index, and others stay', async () => {
    const directory = await temporaryDirectory();
    const { client, server } = await start(directory);
    const run = { duePartition: { S: 'RUNS' }, dueAt: { S: '1' } };
    for (let sk = 0; sk < 10; sk++) await put(client, item(`old-${sk}`, { ...run, expireAt: { N: '1000' } }));
    await put(client, item('young', { ...run, expireAt: { N: '4102444800' } }));
    await put(client, item('for-ever'));
    await server.close();
    const items = openItemStore(join(directory, tableFile));
    expect(await deleteExpired(items, table, 2_000_000)).toBe(10);
    items.close();
    const again = await start(directory);
    expect(await count(again.client)).toBe(2);
    const young = await again.client.send(new GetItemCommand({ TableName: table, Key: item('young') }));
    expect(young.Item?.expireAt).toEqual({ N: '4102444800' });
  });
});
