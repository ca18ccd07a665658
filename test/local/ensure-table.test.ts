/** The table of the product on this machine. */
import { DescribeTableCommand, DescribeTimeToLiveCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { startDynamoDb } from 'aws-on-loopback/dynamodb/start-dynamodb.ts';
import { expect, it, onTestFinished } from 'vitest';
import { tableSchema } from '#adapters/table-keys.ts';
import { ensureTable } from '#local/ensure-table.ts';
import { at } from './clients.ts';

it('the table is created with its index and its time to live, once', async () => {
  const server = await startDynamoDb({ directory: undefined, port: 0 });
  onTestFinished(() => server.close());
  for (let start = 0; start < 2; start += 1) await ensureTable(server.url, 'test', tableSchema);
  const client = new DynamoDBClient(at(server.url));
  const { Table } = await client.send(new DescribeTableCommand({ TableName: 'test' }));
  expect(Table?.KeySchema?.map(({ AttributeName }) => AttributeName)).toEqual(['pk', 'sk']);
  expect(Table?.GlobalSecondaryIndexes?.map(({ IndexName }) => IndexName)).toEqual(['due']);
  const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName: 'test' }));
  expect(TimeToLiveDescription).toEqual({ TimeToLiveStatus: 'ENABLED', AttributeName: 'expireAt' });
});
