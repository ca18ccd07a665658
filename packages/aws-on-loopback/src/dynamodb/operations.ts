/** DynamoDB's operations on the item store. dynalite checks the requests, reads the expressions and computes the results. */
import { createRequire } from 'node:module';
import { checkTypes, checkValidations } from 'dynalite/validations/index.js';
import { AwsFault, type AwsOperation } from '../server/aws-json.ts';
import { StoreFault } from '../stores/store-fault.ts';
import { streamOperations } from './change-stream.ts';
import { type ItemStore, itemPrefix } from './item-store.ts';
import { transactWriteItems } from './transact-write-items.ts';

type Output = Record<string, unknown>;
type Act = (store: object, input: Output, answer: (error: Error | null, output?: Output) => void) => void;

const reads = ['BatchGetItem', 'DescribeTable', 'GetItem', 'ListTables', 'Query', 'Scan'] as const;
const writes = ['BatchWriteItem', 'CreateTable', 'DeleteItem', 'PutItem', 'UpdateItem'] as const;
type Name = (typeof reads)[number] | (typeof writes)[number];

const load = createRequire(import.meta.url);
const largestItem = 400 * 1024;

/** The operations by their names. Writes that arrive together are one transaction. */
export function dynamoOperations(items: ItemStore): Readonly<Record<string, AwsOperation>> {
  const store = storeOn(items);
  const together = groupWrites(items);
  const read = (name: Name): AwsOperation => {
    const { check, act } = partsOf(name);
    return (input) =>
      new Promise((done, fail) =>
        act(store, check(store, input), (error, output) => (error ? fail(asFault(error)) : done(output))),
      );
  };
  const write = (name: Name): AwsOperation => {
    const { check, act } = partsOf(name);
    return (input) => {
      const checked = check(store, input);
      return together(() => atOnce(name, (answer) => act(store, checked, answer)));
    };
  };
  return {
    ...Object.fromEntries(reads.map((name) => [name, read(name)])),
    ...Object.fromEntries(writes.map((name) => [name, write(name)])),
    ...streamOperations(items.changes),
    TransactWriteItems: transactWriteItems({
      keyOf: (table, item) => keysOf(items, table).map((name) => item[name]),
      prepare: (name, input) => {
        const { check, act } = partsOf(name);
        const checked = check(store, input);
        return () => atOnce(name, (answer) => act(store, checked, answer));
      },
      together,
    }),
    DescribeTimeToLive: (input) => {
      const attribute = items.timeToLive(tableOf(input));
      const description = { TimeToLiveStatus: 'ENABLED', AttributeName: attribute };
      return { TimeToLiveDescription: attribute === undefined ? { TimeToLiveStatus: 'DISABLED' } : description };
    },
    UpdateTimeToLive: (input) => {
      const { TimeToLiveSpecification: wanted } = input as { TimeToLiveSpecification: { AttributeName: string } };
      return together(() => {
        items.setTimeToLive(tableOf(input), wanted.AttributeName);
        return { TimeToLiveSpecification: wanted };
      });
    },
  };
}

const expiredAtOnce = 200;

/** Deletes what has expired, in groups, with its entries in indexes. Returns how many items there were. */
export async function deleteExpired(items: ItemStore, table: string, now: number): Promise<number> {
  const { DeleteItem: deleteItem } = dynamoOperations(items);
  const keys = keysOf(items, table);
  let deleted = 0;
  for (let expired = 1; deleteItem && expired > 0; deleted += expired) {
    const found = items.expired(table, Math.floor(now / 1000), expiredAtOnce);
    const keyOf = (item: Output): Output => Object.fromEntries(keys.map((name) => [name, item[name]]));
    await Promise.all(found.map((item) => deleteItem({ TableName: table, Key: keyOf(item) })));
    expired = found.length;
  }
  if (deleted > 0) items.shrink();
  return deleted;
}

/** Names of the attributes that are a table's key. */
function keysOf(items: ItemStore, table: string): readonly string[] {
  let keys: readonly string[] = [];
  items.range('table').get(table, (_error, found) => {
    const { KeySchema = [] } = (found ?? {}) as { KeySchema?: readonly { readonly AttributeName: string }[] };
    keys = KeySchema.map(({ AttributeName }) => AttributeName);
  });
  return keys;
}

const tableOf = (input: unknown): string => String((input as { TableName?: unknown }).TableName);

function partsOf(name: Name): { readonly check: (store: object, input: unknown) => Output; readonly act: Act } {
  const file = `${name.charAt(0).toLowerCase()}${name.slice(1)}.js`;
  const { types, custom } = load(`dynalite/validations/${file}`) as { types: Output; custom: unknown };
  const act = load(`dynalite/actions/${file}`) as Act;
  return {
    act,
    check(store, input) {
      try {
        const checked = checkTypes(input, types);
        checkValidations(checked, types, custom, store);
        return checked;
      } catch (error) {
        throw asFault(error);
      }
    },
  };
}

/** The interface that dynalite expects of its store. */
function storeOn(items: ItemStore): object {
  const tables = Object.assign(items.range('table'), { awsAccountId: '000000000000', awsRegion: 'us-east-1' });
  return {
    options: { createTableMs: 0, deleteTableMs: 0, updateTableMs: 0, maxItemSize: largestItem },
    tableDb: tables,
    getItemDb: (table: string) => items.range(itemPrefix + table),
    getIndexDb: (kind: string, table: string, name: string) =>
      items.range(`index-${kind.toLowerCase()}~${table}~${name}`),
    getTable(name: string, given: unknown, last?: (error: Error | null, table?: Output) => void) {
      const answer = (last ?? given) as (error: Error | null, table?: Output) => void;
      tables.get(name, (error, table) => {
        if (error) return answer(error);
        if (table) return answer(null, table as Output);
        const message = `Requested resource not found: Table: ${name} not found`;
        answer(new AwsFault('com.amazonaws.dynamodb.v20120810#ResourceNotFoundException', message));
      });
    },
  };
}

/** An operation that answers before it returns: nothing else happens in between. */
function atOnce(name: string, act: (answer: (error: Error | null, output?: Output) => void) => void): Output {
  let answered: { readonly error: Error | null; readonly output?: Output | undefined } | undefined;
  act((error, output) => {
    answered = { error, output };
  });
  if (answered === undefined) throw new Error(`${name} did not end at once`);
  if (answered.error) throw asFault(answered.error);
  return answered.output ?? {};
}

interface Waiting {
  readonly work: () => Output;
  readonly done: (output: Output) => void;
  readonly fail: (error: unknown) => void;
}

/** One commit, and one flush of the disk, for all writes that wait. */
function groupWrites(items: ItemStore): (work: () => Output) => Promise<Output> {
  let waiting: Waiting[] = [];
  const commit = (): void => {
    const group = waiting;
    waiting = [];
    try {
      const outcomes = items.transaction(group.map(({ work }) => work));
      group.forEach(({ done, fail }, place) => {
        try {
          done(outcomes[place]?.() ?? {});
        } catch (error) {
          fail(error);
        }
      });
    } catch (error) {
      for (const { fail } of group) fail(error);
    }
  };
  return (work) =>
    new Promise((done, fail) => {
      if (waiting.push({ work, done, fail }) === 1) setImmediate(commit);
    });
}

/** A refusal of dynalite in the shape of our own. */
function asFault(error: unknown): unknown {
  const { statusCode, body } = (error ?? {}) as {
    readonly statusCode?: number;
    readonly body?: { readonly __type: string; readonly message?: string; readonly Message?: string };
  };
  if (body) return new AwsFault(body.__type, body.message ?? body.Message ?? '', statusCode);
  return error instanceof StoreFault ? new AwsFault('InternalServerError', error.message, 500) : error;
}
