/** Batches that DynamoDB does in part: the rest is sent again, with pauses that grow, and not without end. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { BatchGetCommand, BatchWriteCommand, DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import { expect, it, onTestFinished, vi } from 'vitest';
import { DynamoTable } from '#adapters/dynamo-table.ts';

const [first, second] = ['one', 'two'].map((sk) => ({ pk: 'RUNS', sk })) as [ItemKeys, ItemKeys];
type ItemKeys = { readonly pk: string; readonly sk: string };

function world() {
  // No one waits: a pause is over when it begins, and is noted.
  const pauses: number[] = [];
  const timers = vi.spyOn(globalThis, 'setTimeout').mockImplementation((done, milliseconds = 0) => {
    pauses.push(milliseconds);
    queueMicrotask(done);
    return setImmediate(() => undefined) as never;
  });
  const dynamo = mockClient(DynamoDBDocumentClient);
  onTestFinished(() => {
    timers.mockRestore();
    dynamo.restore();
  });
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({ region: 'eu-central-1' }));
  return { dynamo, pauses, table: new DynamoTable(client, 'table') };
}

const unread = (...keys: readonly ItemKeys[]) => ({ UnprocessedKeys: { table: { Keys: [...keys] } } });
const unwritten = (...items: readonly ItemKeys[]) => ({
  UnprocessedItems: { table: items.map((Item) => ({ PutRequest: { Item } })) },
});

it('keys that were not read are asked for again after a pause, and no others', async () => {
  const { dynamo, table, pauses } = world();
  dynamo
    .on(BatchGetCommand)
    .resolvesOnce({ Responses: { table: [first] }, ...unread(second) })
    .resolves({ Responses: { table: [second] } });
  expect(await table.getAll([first, second])).toEqual([first, second]);
  const asked = dynamo.commandCalls(BatchGetCommand).map(({ args }) => args[0].input.RequestItems?.table?.Keys);
  expect(asked).toEqual([[first, second], [second]]);
  expect(pauses).toHaveLength(1);
});

it('items that were not written are written again after a pause, and no others', async () => {
  const { dynamo, table, pauses } = world();
  dynamo.on(BatchWriteCommand).resolvesOnce(unwritten(second)).resolves({});
  await table.putAll([first, second]);
  const sent = dynamo.commandCalls(BatchWriteCommand).map(({ args }) => args[0].input.RequestItems?.table?.length);
  expect(sent).toEqual([2, 1]);
  expect(pauses).toHaveLength(1);
});

it('pauses grow while nothing of a batch is done, and then the service does not answer', async () => {
  const { dynamo, table, pauses } = world();
  dynamo.on(BatchGetCommand).resolves(unread(first, second));
  await expect(table.getAll([first, second])).rejects.toMatchObject({ name: 'ServiceUnavailable' });
  expect(dynamo.commandCalls(BatchGetCommand).length).toBeLessThan(10);
  expect(pauses.length).toBeGreaterThan(3);
  // Each is half to one and a half times as long.
  expect(pauses.at(-1)).toBeGreaterThan(4 * (pauses[0] ?? 0));
});
