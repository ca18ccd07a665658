/**
 * Makes the items of a table those of another: `node scripts/copy-table.ts FROM TO [--yes]`. For a table that was restored to a
 * moment: its items go back into the one that the stack knows, and what that has beyond them goes. Without --yes it only counts.
 */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand, DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import { tableSchema } from '#adapters/table-keys.ts';

type Item = Record<string, unknown>;

export interface Copied {
  readonly written: number;
  readonly removed: number;
}

const keyOf = (item: Item): Item => ({
  [tableSchema.partitionKey]: item[tableSchema.partitionKey],
  [tableSchema.sortKey]: item[tableSchema.sortKey],
});

/** Writes what differs and removes what is too much, or only counts. Throws when an item stays unwritten. */
export async function copyTable(
  client: DynamoDBDocumentClient,
  from: string,
  to: string,
  really: boolean,
): Promise<Copied> {
  const [wanted, there] = [await itemsOf(client, from), await itemsOf(client, to)];
  const changed = [...wanted].filter(([key, item]) => JSON.stringify(item) !== JSON.stringify(there.get(key)));
  const extra = [...there].filter(([key]) => !wanted.has(key));
  if (really) {
    // Surplus items are deleted last: if this is interrupted, the table has more than it should, not less.
    await write(
      client,
      to,
      changed.map(([, Item]) => ({ PutRequest: { Item } })),
    );
    await write(
      client,
      to,
      extra.map(([, item]) => ({ DeleteRequest: { Key: keyOf(item) } })),
    );
  }
  return { written: changed.length, removed: extra.length };
}

async function itemsOf(client: DynamoDBDocumentClient, TableName: string): Promise<Map<string, Item>> {
  const items = new Map<string, Item>();
  for await (const page of paginateScan({ client }, { TableName, ConsistentRead: true }))
    for (const item of page.Items ?? []) items.set(JSON.stringify(keyOf(item)), sorted(item));
  return items;
}

/** Attributes come in no order. */
const sorted = (item: Item): Item => Object.fromEntries(Object.entries(item).sort(([a], [b]) => a.localeCompare(b)));

type Write = { PutRequest: { Item: Item } } | { DeleteRequest: { Key: Item } };

async function write(client: DynamoDBDocumentClient, table: string, requests: readonly Write[]): Promise<void> {
  for (let begin = 0; begin < requests.length; begin += 25) {
    let rest: Write[] = requests.slice(begin, begin + 25);
    for (let tries = 0; rest.length > 0; tries += 1) {
      if (tries === 8)
        throw new Error(`${table} accepts no more writes: run this again, it continues with the missing items`);
      const { UnprocessedItems } = await client.send(new BatchWriteCommand({ RequestItems: { [table]: rest } }));
      rest = (UnprocessedItems?.[table] ?? []) as Write[];
    }
  }
}

if (import.meta.main) {
  const [from, to, yes] = process.argv.slice(2);
  if (from === undefined || to === undefined) throw new Error('usage: copy-table.ts FROM TO [--yes]');
  const client = DynamoDBDocumentClient.from(new DynamoDBClient());
  const { written, removed } = await copyTable(client, from, to, yes === '--yes');
  const done = yes === '--yes' ? 'done' : 'would be done: add --yes';
  process.stdout.write(`${to}: ${written} items written, ${removed} removed (${done})\n`);
}
