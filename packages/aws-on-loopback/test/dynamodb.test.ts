/** The local DynamoDB: its table and what outlives it. */
import { connect } from 'node:net';
import {
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  TransactWriteItemsCommand,
  type TransactWriteItemsCommandInput,
} from '@aws-sdk/client-dynamodb';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type LocalDynamoDb, startDynamoDb } from '../src/dynamodb/start-dynamodb.ts';
import { at, refusal, temporaryDirectory } from './clients.ts';
import { createTable } from './create-table.ts';

const key = { pk: { S: 'a' }, sk: { S: 'b' } };

async function start(directory: string, port = 0): Promise<{ server: LocalDynamoDb; client: DynamoDBClient }> {
  const server = await startDynamoDb({ directory, port });
  const client = new DynamoDBClient(at(server.url));
  onTestFinished(() => server.close());
  await createTable(server.url, 'test');
  return { server, client };
}

describe('the local DynamoDB', () => {
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

describe('transactions of the local DynamoDB', () => {
  const TableName = 'test';
  const item = (sk: string, v = '1') => ({ pk: { S: 'a' }, sk: { S: sk }, v: { N: v } });
  const absent = 'attribute_not_exists(pk)';
  const put = (sk: string, v?: string) => ({ Put: { TableName, Item: item(sk, v), ConditionExpression: absent } });
  const world = async () => {
    const { client } = await start(await temporaryDirectory());
    const transact = (TransactItems: TransactWriteItemsCommandInput['TransactItems'], token?: string) =>
      client.send(new TransactWriteItemsCommand({ TransactItems, ClientRequestToken: token }));
    const stored = async (): Promise<readonly string[]> => {
      const query = { KeyConditionExpression: 'pk = :a', ExpressionAttributeValues: { ':a': { S: 'a' } } };
      const { Items = [] } = await client.send(new QueryCommand({ TableName, ...query }));
      return Items.map(({ sk, v }) => `${sk?.S} ${v?.N}`);
    };
    return { client, transact, stored };
  };

  it('all writes of a transaction are made', async () => {
    const { transact, stored } = await world();
    await transact([put('1'), put('2')]);
    const one = { TableName, Key: { pk: { S: 'a' }, sk: { S: '1' } } };
    const update = { UpdateExpression: 'SET v = :v', ExpressionAttributeValues: { ':v': { N: '7' } } };
    await transact([
      { Update: { ...one, ...update } },
      { Delete: { ...one, Key: { ...one.Key, sk: { S: '2' } } } },
      put('3'),
    ]);
    expect(await stored()).toEqual(['1 7', '3 1']);
  });

  it('a transaction writes nothing if one condition fails, and returns a reason for each write', async () => {
    const { transact, stored } = await world();
    await transact([put('2')]);
    const add = { UpdateExpression: 'SET w = w + :v', ExpressionAttributeValues: { ':v': { N: '1' } } };
    const impossible = { Update: { TableName, Key: { pk: { S: 'a' }, sk: { S: '4' } }, ...add } };
    const error = await refusal(transact([put('1'), put('2', '9'), put('3'), impossible]));
    expect(error).toMatchObject({ name: 'TransactionCanceledException', message: expect.stringContaining('[None, ') });
    expect(error).toMatchObject({
      CancellationReasons: [
        ...[{ Code: 'None' }, { Code: 'ConditionalCheckFailed' }, { Code: 'None' }, { Code: 'ValidationError' }],
      ],
    });
    expect(await stored()).toEqual(['2 1']);
  });

  it('a transaction that a client repeats is made once, and its token is for no other', async () => {
    const { transact, stored } = await world();
    await transact([put('1')], 'token');
    await transact([put('1')], 'token');
    const other = await refusal(transact([put('2')], 'token'));
    expect(other.name).toBe('IdempotentParameterMismatchException');
    expect(await stored()).toEqual(['1 1']);
  });

  it('a transaction with two writes of one item, with none, or with a read is refused', async () => {
    const { transact, stored } = await world();
    const check = { ConditionCheck: { TableName, Key: key, ConditionExpression: absent } };
    for (const writes of [[put('1'), put('1', '2')], [], [check]])
      expect(await refusal(transact(writes))).toMatchObject({ name: 'ValidationException' });
    expect(await stored()).toEqual([]);
  });
});
