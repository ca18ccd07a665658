/** The DynamoDB of this machine does what dynalite as a whole does, whatever it is asked: random operations on both. */
import {
  BatchWriteItemCommand,
  DeleteItemCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import dynalite from 'dynalite';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type LocalDynamoDb, startDynamoDb } from '../src/dynamodb/start-dynamodb.ts';
import { at } from './clients.ts';
import { createTable } from './create-table.ts';

let ours: LocalDynamoDb;
let theirs: ReturnType<typeof dynalite>;
let urls: readonly string[];
let clients: readonly DynamoDBClient[];
let tables = 0;

beforeAll(async () => {
  ours = await startDynamoDb({ directory: undefined, port: 0 });
  theirs = dynalite({ createTableMs: 0 });
  const port = await new Promise<number>((done) => {
    theirs.listen(0, '127.0.0.1', () => done((theirs.address() as { port: number }).port));
  });
  urls = [ours.url, `http://127.0.0.1:${port}`];
  clients = urls.map((url) => new DynamoDBClient({ ...at(url), maxAttempts: 1 }));
});

afterAll(async () => {
  for (const client of clients) client.destroy();
  await ours.close();
  theirs.closeAllConnections();
  await new Promise((done) => theirs.close(done));
});

const pk = fc.constantFrom('THINGS', 'THING#a#b', 'é');
const sk = fc.constantFrom('a', 'a#b', 'ab', 'b', 'PART#1', 'PART#2', 'é', '日');
const key = fc.record({ pk, sk }).map((one) => ({ pk: { S: one.pk }, sk: { S: one.sk } }));
const number = fc.integer({ min: 0, max: 3 }).map((value) => ({ N: String(value) }));
const text = fc.constantFrom('', 'x', 'THINGS', '2026-11-20T12:00:00.000Z').map((value) => ({ S: value }));
const due = fc.option(
  fc.record({
    duePartition: fc.constantFrom({ S: 'THINGS' }, { S: 'CHECKS' }),
    dueAt: fc.constantFrom({ S: '1' }, { S: '2' }, { S: '3' }),
  }),
  { nil: undefined },
);
const item = fc
  .tuple(
    key,
    due,
    fc.record(
      { fence: number, generation: number, leaseOwner: text, document: fc.constant({ M: { json: { S: '{}' } } }) },
      { requiredKeys: [] },
    ),
  )
  .map(([id, index, rest]) => ({ ...id, ...index, ...rest }));

/** Those that programs use most. */
const condition = fc.constantFrom(
  'attribute_not_exists(#pk)',
  'attribute_exists(#pk)',
  '#fence = :one',
  '#generation = :one AND #fence <= :two',
  'attribute_not_exists(#leaseOwner) OR #leaseOwner = :x OR #leaseOwner < :x',
  'attribute_exists(#pk) AND (attribute_not_exists(#leaseOwner) OR NOT #fence IN (:one, :two))',
  'begins_with(#leaseOwner, :x) AND size(#leaseOwner) > :one',
);
const change = fc.constantFrom(
  'SET #leaseOwner = :x, #fence = #fence + :one',
  'SET #generation = :two REMOVE #leaseOwner, #dueAt, #duePartition',
  'SET #dueAt = :x, #duePartition = :x',
  'SET #document.#json = :x',
  'SET #fence = if_not_exists(#fence, :two)',
  'ADD #fence :one',
);

type Step = (client: DynamoDBClient, table: string) => Promise<unknown>;
const values = { ':one': { N: '1' }, ':two': { N: '2' }, ':x': { S: 'x' } };

/** Only the names and values that occur: DynamoDB refuses others. */
function used(...expressions: readonly string[]) {
  const all = expressions.join(' ');
  const names = [...new Set([...all.matchAll(/#(\w+)/g)].map(([, name = '']) => name))];
  const given = Object.entries(values).filter(([name]) => new RegExp(`${name}\\b`).test(all));
  return {
    ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
    ...(given.length > 0 && { ExpressionAttributeValues: Object.fromEntries(given) }),
  };
}

const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(item, fc.option(condition)).map(
      ([Item, when]): Step =>
        (client, TableName) =>
          client.send(
            new PutItemCommand({ TableName, Item, ...(when && { ConditionExpression: when, ...used(when) }) }),
          ),
    ),
  },
  {
    weight: 4,
    arbitrary: fc.tuple(key, change, condition).map(
      ([Key, update, when]): Step =>
        (client, TableName) =>
          client.send(
            new UpdateItemCommand({
              TableName,
              Key,
              UpdateExpression: update,
              ConditionExpression: when,
              ReturnValues: 'ALL_NEW',
              ...used(update, when),
            }),
          ),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(key, fc.option(condition)).map(
      ([Key, when]): Step =>
        (client, TableName) =>
          client.send(
            new DeleteItemCommand({
              TableName,
              Key,
              ReturnValues: 'ALL_OLD',
              ...(when && { ConditionExpression: when, ...used(when) }),
            }),
          ),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.uniqueArray(item, { maxLength: 4, minLength: 1, selector: (one) => one.pk.S + one.sk.S }).map(
      (puts): Step =>
        (client, table) =>
          client.send(
            new BatchWriteItemCommand({ RequestItems: { [table]: puts.map((Item) => ({ PutRequest: { Item } })) } }),
          ),
    ),
  },
  {
    weight: 1,
    arbitrary: key.map(
      (Key): Step =>
        (client, TableName) =>
          client.send(new GetItemCommand({ TableName, Key, ConsistentRead: true })),
    ),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(pk, fc.constantFrom('', 'a', 'PART#'), fc.option(fc.integer({ min: 1, max: 3 })), fc.boolean())
      .map(
        ([partition, prefix, limit, forward]): Step =>
          (client, TableName) =>
            allPages(client, {
              TableName,
              KeyConditionExpression: prefix ? 'pk = :p AND begins_with(sk, :s)' : 'pk = :p',
              ExpressionAttributeValues: { ':p': { S: partition }, ...(prefix && { ':s': { S: prefix } }) },
              ScanIndexForward: forward,
              ...(limit !== null && { Limit: limit }),
            }),
      ),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(
        fc.constantFrom('THINGS', 'CHECKS', 'x'),
        fc.constantFrom('1', '2', '9'),
        fc.option(fc.integer({ min: 1, max: 3 })),
        fc.boolean(),
      )
      .map(
        ([partition, end, limit, forward]): Step =>
          (client, TableName) =>
            allPages(client, {
              TableName,
              IndexName: 'due',
              KeyConditionExpression: 'duePartition = :p AND dueAt <= :e',
              ExpressionAttributeValues: { ':p': { S: partition }, ':e': { S: end } },
              ScanIndexForward: forward,
              ...(limit !== null && { Limit: limit }),
            }),
      ),
  },
);

async function allPages(
  client: DynamoDBClient,
  input: ConstructorParameters<typeof QueryCommand>[0],
): Promise<unknown> {
  const pages: unknown[] = [];
  let ExclusiveStartKey: typeof input.ExclusiveStartKey;
  do {
    const { Items, LastEvaluatedKey, Count } = await client.send(new QueryCommand({ ...input, ExclusiveStartKey }));
    pages.push({ Items, LastEvaluatedKey, Count });
    ExclusiveStartKey = LastEvaluatedKey;
  } while (ExclusiveStartKey);
  return pages;
}

/** What a client sees: the answer without what names the request, or the error. */
async function seen(answer: Promise<unknown>): Promise<unknown> {
  try {
    const { $metadata: _, ...rest } = (await answer) as Record<string, unknown>;
    return rest;
  } catch (error) {
    const { name, message } = error as Error;
    return { name, message };
  }
}

it('the table answers as dynalite does, operation by operation', async () => {
  const property = fc.asyncProperty(fc.array(steps, { minLength: 1, maxLength: 25 }), async (sequence) => {
    const table = `table-${tables++}`;
    for (const url of urls) await createTable(url, table, { expires: false });
    for (const step of sequence) {
      const [one, other] = await Promise.all(clients.map((client) => seen(step(client, table))));
      expect(one).toEqual(other);
    }
  });
  await fc.assert(property, { numRuns: 40 });
}, 60_000);
