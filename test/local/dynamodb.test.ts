/** The local DynamoDB: its table and what outlives it. */
import { connect } from 'node:net';
import { DescribeTableCommand, DynamoDBClient, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, it, onTestFinished } from 'vitest';
import { tableSchema } from '#adapters/table-keys.ts';
import { ensureTable } from '#local/dynamodb/ensure-table.ts';
import { type LocalDynamoDb, startDynamoDb } from '#local/dynamodb/start-dynamodb.ts';
import { at, temporaryDirectory } from './clients.ts';

const key = { pk: { S: 'a' }, sk: { S: 'b' } };

async function start(directory: string, port = 0): Promise<{ server: LocalDynamoDb; client: DynamoDBClient }> {
  const server = await startDynamoDb({ directory, port });
  const client = new DynamoDBClient(at(server.url));
  onTestFinished(() => server.close());
  await ensureTable(server.url, 'test', tableSchema);
  return { server, client };
}

describe('the local DynamoDB', () => {
  it('the table is created with its index, once', async () => {
    const { server, client } = await start(await temporaryDirectory());
    await ensureTable(server.url, 'test', tableSchema);
    const { Table } = await client.send(new DescribeTableCommand({ TableName: 'test' }));
    expect(Table?.KeySchema?.map(({ AttributeName }) => AttributeName)).toEqual(['pk', 'sk']);
    expect(Table?.GlobalSecondaryIndexes?.map(({ IndexName }) => IndexName)).toEqual(['due']);
  });

  it('the table has its items after a restart, on the same port', async () => {
    const directory = await temporaryDirectory();
    const { server, client } = await start(directory);
    await client.send(new PutItemCommand({ TableName: 'test', Item: { ...key, v: { N: '1' } } }));
    await server.close();
    const again = await start(directory, server.port);
    expect(again.server.port).toBe(server.port);
    const { Item } = await again.client.send(new GetItemCommand({ TableName: 'test', Key: key }));
    expect(Item?.v).toEqual({ N: '1' });
  });

  it('the table survives a client that disconnects in the middle of a request', async () => {
    const { server, client } = await start(await temporaryDirectory());
    await new Promise<void>((resolve) => {
      const socket = connect(server.port, '127.0.0.1', () => {
        socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nhalf', () => {
          socket.resetAndDestroy();
          resolve();
        });
      });
    });
    await client.send(new PutItemCommand({ TableName: 'test', Item: key }));
    expect((await client.send(new GetItemCommand({ TableName: 'test', Key: key }))).Item).toEqual(key);
  });
});
