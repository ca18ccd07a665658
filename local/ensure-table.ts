/** Creates the table of `functions/adapters/table-keys.ts` when it is missing, as the CDK stack does in AWS. */
import {
  CreateTableCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  ResourceInUseException,
  ResourceNotFoundException,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';

export interface TableSchema {
  readonly partitionKey: string;
  readonly sortKey: string;
  /** Attribute with the epoch seconds after which an item is deleted. @default items stay */
  readonly timeToLive?: string;
  readonly dueIndex: { readonly name: string; readonly partitionKey: string; readonly sortKey: string };
}

/** Returns when the table takes requests. */
export async function ensureTable(
  endpoint: string,
  table: string,
  schema: TableSchema,
  accessKey = 'local',
): Promise<void> {
  const client = new DynamoDBClient({
    endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: accessKey, secretAccessKey: 'local' },
  });
  try {
    if ((await statusOf(client, table)) === undefined) await createTable(client, table, schema);
    while ((await statusOf(client, table)) !== 'ACTIVE') await new Promise((resolve) => setTimeout(resolve, 10));
    if (schema.timeToLive !== undefined) await ensureTimeToLive(client, table, schema.timeToLive);
  } finally {
    client.destroy();
  }
}

async function statusOf(client: DynamoDBClient, table: string): Promise<string | undefined> {
  try {
    const { Table } = await client.send(new DescribeTableCommand({ TableName: table }));
    return Table?.TableStatus ?? 'CREATING';
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
}

async function ensureTimeToLive(client: DynamoDBClient, table: string, attribute: string): Promise<void> {
  const { TimeToLiveDescription: now } = await client.send(new DescribeTimeToLiveCommand({ TableName: table }));
  if (now?.AttributeName === attribute) return;
  const specification = { AttributeName: attribute, Enabled: true };
  await client.send(new UpdateTimeToLiveCommand({ TableName: table, TimeToLiveSpecification: specification }));
}

async function createTable(client: DynamoDBClient, table: string, schema: TableSchema): Promise<void> {
  const { partitionKey, sortKey, dueIndex } = schema;
  const keySchema = (hash: string, range: string) => [
    { AttributeName: hash, KeyType: 'HASH' as const },
    { AttributeName: range, KeyType: 'RANGE' as const },
  ];
  const names = new Set([partitionKey, sortKey, dueIndex.partitionKey, dueIndex.sortKey]);
  const command = new CreateTableCommand({
    TableName: table,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [...names].map((AttributeName) => ({ AttributeName, AttributeType: 'S' as const })),
    KeySchema: keySchema(partitionKey, sortKey),
    GlobalSecondaryIndexes: [
      {
        IndexName: dueIndex.name,
        KeySchema: keySchema(dueIndex.partitionKey, dueIndex.sortKey),
        Projection: { ProjectionType: 'KEYS_ONLY' },
      },
    ],
  });
  await client.send(command).catch((error: unknown) => {
    if (!(error instanceof ResourceInUseException)) throw error;
  });
}
