/** DynamoDB in the words that the stores need: items, conditions that may not hold, pages. */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  BatchWriteCommand,
  type BatchWriteCommandInput,
  DeleteCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  type QueryCommandInput,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { PipelineError } from '#domain/errors.ts';
import { firstFormat } from './stored-record.ts';
import { type ItemKey, tableSchema } from './table-keys.ts';
import { afterConflicts } from './transaction-conflicts.ts';
import { sendUntilDone } from './unfinished-batches.ts';

export type Item = Record<string, unknown>;

/** A condition with its values; names are written as `#name`, values as `:name`. */
export interface Condition {
  readonly expression: string;
  readonly values?: Item;
}

/** One write of those that are made together. */
export type Write =
  | { readonly put: Item; readonly condition?: Condition }
  | { readonly update: ItemKey; readonly change: Condition; readonly condition: Condition }
  | { readonly remove: ItemKey; readonly condition?: Condition };

export interface Query {
  readonly index?: string;
  readonly partition: { readonly name: string; readonly value: string };
  /** On the sort key, e.g. `begins_with(#sk, :prefix)`. */
  readonly sort?: Condition;
  readonly newestFirst?: boolean;
  readonly limit?: number;
  readonly next?: string;
}

/** One of a batch of writes. */
type BatchWrite = NonNullable<BatchWriteCommandInput['RequestItems']>[string][number];

export class DynamoTable {
  readonly #client: DynamoDBDocumentClient;
  readonly #name: string;

  constructor(client: DynamoDBDocumentClient, name: string) {
    this.#client = client;
    this.#name = name;
  }

  /** Strongly consistent. */
  async get(key: ItemKey): Promise<Item | undefined> {
    const command = new GetCommand({ TableName: this.#name, Key: { ...key }, ConsistentRead: true });
    return (await this.#client.send(command)).Item;
  }

  /** In the order of the keys; missing ones are left out. */
  async getAll(keys: readonly ItemKey[]): Promise<readonly Item[]> {
    const found = new Map<string, Item>();
    for (let from = 0; from < keys.length; from += 100) {
      const wanted: readonly Item[] = keys.slice(from, from + 100).map((key) => ({ ...key }));
      await sendUntilDone(wanted, async (rest) => {
        const RequestItems = { [this.#name]: { Keys: [...rest], ConsistentRead: true } };
        const answer = await this.#client.send(new BatchGetCommand({ RequestItems }));
        for (const item of answer.Responses?.[this.#name] ?? []) found.set(`${item.pk}\n${item.sk}`, item);
        return answer.UnprocessedKeys?.[this.#name]?.Keys ?? [];
      });
    }
    return keys.map((key) => found.get(`${key.pk}\n${key.sk}`)).filter((item) => item !== undefined);
  }

  /** Returns false when the condition does not hold. */
  async put(item: Item, condition?: Condition): Promise<boolean> {
    return holds(async () => {
      const command = new PutCommand({ TableName: this.#name, Item: numbered(item), ...written(condition) });
      await this.#client.send(command);
    });
  }

  /** Returns the item as it is now, or undefined when the condition does not hold. */
  async update(key: ItemKey, change: Condition, condition: Condition): Promise<Item | undefined> {
    let item: Item | undefined;
    await holds(async () => {
      const wanted = { Key: { ...key }, ...changed(change, condition) };
      const command = new UpdateCommand({ TableName: this.#name, ...wanted, ReturnValues: 'ALL_NEW' });
      item = (await this.#client.send(command)).Attributes ?? {};
    });
    return item;
  }

  /** Returns false when the condition does not hold. */
  async remove(key: ItemKey, condition?: Condition): Promise<boolean> {
    return holds(async () => {
      await this.#client.send(new DeleteCommand({ TableName: this.#name, Key: { ...key }, ...written(condition) }));
    });
  }

  /** All of them or none: returns false when the condition of one does not hold. Each is of another item. */
  async writeTogether(writes: readonly Write[]): Promise<boolean> {
    const TransactItems = writes.map((write) => this.#entryOf(write));
    const { transact } = await import('./dynamo-transaction.ts');
    return afterConflicts(() => transact(this.#client, TransactItems));
  }

  #entryOf(write: Write) {
    const TableName = this.#name;
    if ('put' in write) return { Put: { TableName, Item: numbered(write.put), ...written(write.condition) } };
    if ('remove' in write) return { Delete: { TableName, Key: { ...write.remove }, ...written(write.condition) } };
    return { Update: { TableName, Key: { ...write.update }, ...changed(write.change, write.condition) } };
  }

  async removeAll(items: readonly Item[]): Promise<void> {
    await Promise.all(items.map((item) => this.remove(itemKeyOf(item))));
  }

  /** Writes items that need no condition. */
  async putAll(items: readonly Item[]): Promise<void> {
    for (let from = 0; from < items.length; from += 25) {
      const puts = items.slice(from, from + 25).map((item) => ({ PutRequest: { Item: numbered(item) } }));
      await sendUntilDone<BatchWrite>(puts, async (rest) => {
        const command = new BatchWriteCommand({ RequestItems: { [this.#name]: [...rest] } });
        return (await this.#client.send(command)).UnprocessedItems?.[this.#name] ?? [];
      });
    }
  }

  /** One page; `next` is the cursor of the next page, absent at the end. `last` is the cursor after the last item. */
  async query(query: Query): Promise<{ items: readonly Item[]; next?: string; last?: string }> {
    const sort = query.sort ? ` AND ${query.sort.expression}` : '';
    const expression = `#${query.partition.name} = :partition${sort}`;
    const input: QueryCommandInput = {
      TableName: this.#name,
      ...(query.index ? { IndexName: query.index } : { ConsistentRead: true }),
      KeyConditionExpression: expression,
      ExpressionAttributeNames: names(expression),
      ExpressionAttributeValues: { ':partition': query.partition.value, ...query.sort?.values },
      ScanIndexForward: !query.newestFirst,
      ...(query.limit === undefined ? {} : { Limit: query.limit }),
      ...(query.next === undefined ? {} : { ExclusiveStartKey: decodeCursor(query.next) }),
    };
    const answer = await this.#client.send(new QueryCommand(input)).catch((cause: unknown) => {
      // A cursor that was invented or taken from another listing starts outside of this one.
      if (query.next !== undefined && cause instanceof Error && cause.name === 'ValidationException')
        throw notACursor(cause);
      throw cause;
    });
    const items = answer.Items ?? [];
    const end = items.at(-1);
    return {
      items,
      ...(answer.LastEvaluatedKey && { next: cursorTo(answer.LastEvaluatedKey) }),
      ...(end && { last: cursorTo({ pk: end.pk, sk: end.sk }) }),
    };
  }

  /** All pages of a query. */
  queryAll(query: Query): Promise<readonly Item[]> {
    return Array.fromAsync(this.queryEach(query));
  }

  /** The same, one page in memory at a time. */
  async *queryEach(query: Query): AsyncGenerator<Item> {
    let next: string | undefined;
    do {
      const page = await this.query({ ...query, ...(next === undefined ? {} : { next }) });
      yield* page.items;
      next = page.next;
    } while (next !== undefined);
  }
}

/** A store whose records are items of the table. */
export abstract class TableStore {
  protected readonly table: DynamoTable;

  constructor(table: DynamoTable) {
    this.table = table;
  }
}

/** The items of a partition, or those whose sort keys begin so. */
export function itemsIn(partition: string, prefix?: string): Pick<Query, 'partition' | 'sort'> {
  const sort = { expression: 'begins_with(#sk, :prefix)', values: { ':prefix': prefix } };
  return { partition: { name: 'pk', value: partition }, ...(prefix !== undefined && { sort }) };
}

/** The items of a partition of the index `due` that are due until `now`, or all of them. The index lags behind the table. */
export function dueIn(partition: string, now?: string): Pick<Query, 'index' | 'partition' | 'sort'> {
  const { name, partitionKey } = tableSchema.dueIndex;
  const sort = { expression: '#dueAt <= :now', values: { ':now': now } };
  return { index: name, partition: { name: partitionKey, value: partition }, ...(now !== undefined && { sort }) };
}

/** The items of a partition of the index `due` that are due only after `now`. */
export function dueAfter(partition: string, now: string): Pick<Query, 'index' | 'partition' | 'sort'> {
  return { ...dueIn(partition), sort: { expression: '#dueAt > :now', values: { ':now': now } } };
}

/** Holds while what is stored has the number before this one; for number 1, while nothing is stored. */
export function followsStored(field: string, number: number): Condition {
  if (number === 1) return { expression: 'attribute_not_exists(#pk)' };
  return { expression: `#${field} = :before`, values: { ':before': number - 1 } };
}

export const itemKeyOf = ({ pk, sk }: Item): ItemKey => ({ pk: String(pk), sk: String(sk) });

/** Every item says the format in which it was written; one without it is of 0.1.0, which is format 1. */
const numbered = (item: Item): Item => ({ format: firstFormat, ...item });

async function holds(write: () => Promise<void>): Promise<boolean> {
  try {
    await afterConflicts(write);
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}

/** An update of what meets the condition. */
function changed(change: Condition, condition: Condition) {
  return {
    UpdateExpression: change.expression,
    ...written({ expression: condition.expression, values: { ...change.values, ...condition.values } }),
    ExpressionAttributeNames: names(`${change.expression} ${condition.expression}`),
  };
}

function written(condition: Condition | undefined) {
  if (!condition) return {};
  const values = condition.values ?? {};
  return {
    ConditionExpression: condition.expression,
    ExpressionAttributeNames: names(condition.expression),
    ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
  };
}

/** `#owner` in an expression is the attribute `owner`: every name is written that way, so none is a reserved word. */
function names(expression: string): Record<string, string> {
  return Object.fromEntries([...expression.matchAll(/#(\w+)/g)].map(([written, name]) => [written, String(name)]));
}

/** A cursor to what comes after the key; the key itself need not exist. */
export function cursorTo(key: Item): string {
  return Buffer.from(JSON.stringify(key)).toString('base64url');
}

function decodeCursor(cursor: string): Item {
  try {
    const key: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    const strings = typeof key === 'object' && key !== null && Object.values(key).every((v) => typeof v === 'string');
    if (strings && 'pk' in key && 'sk' in key) return { ...key };
  } catch {
    // Reported below.
  }
  throw notACursor();
}

function notACursor(cause?: Error): PipelineError {
  const message = '`next` is not a cursor of this listing; leave it out to start again';
  return new PipelineError('InvalidInput', message, { cause });
}
