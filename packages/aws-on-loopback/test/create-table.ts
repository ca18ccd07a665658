/** A table with a sort key, an index and a time to live, as the tests need it. */
import {
  CreateTableCommand,
  DynamoDBClient,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { at } from './clients.ts';

const key = (hash: string, range: string) => [
  { AttributeName: hash, KeyType: 'HASH' as const },
  { AttributeName: range, KeyType: 'RANGE' as const },
];

/** Keys `pk` and `sk`, the index `due` on `duePartition` and `dueAt`; `expires`: whether items expire at `expireAt`, which dynalite does not have. */
export async function createTable(
  url: string,
  TableName: string,
  { expires = true }: { readonly expires?: boolean } = {},
): Promise<void> {
  const client = new DynamoDBClient(at(url));
  const command = new CreateTableCommand({
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: ['pk', 'sk', 'duePartition', 'dueAt'].map((AttributeName) => ({
      AttributeName,
      AttributeType: 'S' as const,
    })),
    KeySchema: key('pk', 'sk'),
    GlobalSecondaryIndexes: [
      { IndexName: 'due', KeySchema: key('duePartition', 'dueAt'), Projection: { ProjectionType: 'KEYS_ONLY' } },
    ],
  });
  try {
    await client.send(command).catch((error: Error) => {
      // The table of an earlier start.
      if (error.name !== 'ResourceInUseException') throw error;
    });
    await waitUntilTableExists({ client, maxWaitTime: 60, minDelay: 0.01, maxDelay: 0.01 }, { TableName });
    const TimeToLiveSpecification = { AttributeName: 'expireAt', Enabled: true };
    if (expires) await client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
  } finally {
    client.destroy();
  }
}
