/** A table that was restored to a moment goes back into the one that the stack knows. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { startDynamoDb } from 'aws-on-loopback/dynamodb/start-dynamodb.ts';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { tableSchema } from '#adapters/table-keys.ts';
import { ensureTable } from '#local/ensure-table.ts';
import { copyTable } from '../../scripts/copy-table.ts';

let dynamodb: Awaited<ReturnType<typeof startDynamoDb>>;
let client: DynamoDBDocumentClient;
let round = 0;
let [from, to] = ['', ''];

beforeAll(async () => {
  dynamodb = await startDynamoDb({ directory: undefined, port: 0, accessKey: 'local' });
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  client = DynamoDBDocumentClient.from(
    new DynamoDBClient({ endpoint: dynamodb.url, region: 'us-east-1', credentials }),
  );
});
afterAll(() => dynamodb.close());

beforeEach(async () => {
  round += 1;
  [from, to] = [`restored-${round}`, `table-${round}`];
  for (const table of [from, to]) await ensureTable(dynamodb.url, table, tableSchema);
  const put = (TableName: string, Item: object) => client.send(new PutCommand({ TableName, Item }));
  for (let index = 0; index < 60; index += 1) {
    const item = { pk: `MANIFEST#${index}`, sk: 'META', generation: 1, document: { nodes: [index, 'a'] } };
    await put(from, item);
    // A third is as it was, a third was changed since, a third was removed.
    if (index % 3 < 2) await put(to, index % 3 === 0 ? item : { ...item, generation: 2 });
  }
  for (const name of ['new-1', 'new-2']) await put(to, { pk: `MANIFEST#${name}`, sk: 'META', generation: 1 });
});

const itemsOf = async (TableName: string): Promise<readonly unknown[]> =>
  ((await client.send(new ScanCommand({ TableName }))).Items ?? []).sort((a, b) =>
    String(a.pk).localeCompare(String(b.pk)),
  );

it('the copy of a table only counts by default', async () => {
  const before = await itemsOf(to);
  expect(await copyTable(client, from, to, false)).toEqual({ written: 40, removed: 2 });
  expect(await itemsOf(to)).toEqual(before);
});

it('the copy restores what was changed or removed, and removes what is new', async () => {
  expect(await copyTable(client, from, to, true)).toEqual({ written: 40, removed: 2 });
  expect(await itemsOf(to)).toEqual(await itemsOf(from));
  expect(await copyTable(client, from, to, true)).toEqual({ written: 0, removed: 0 });
});
