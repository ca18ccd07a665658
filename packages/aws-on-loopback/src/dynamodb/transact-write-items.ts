/** TransactWriteItems: all of its writes, each with its condition, or none of them. dynalite does not have it. */
import { AwsFault, type AwsOperation } from '../server/aws-json.ts';

type Output = Record<string, unknown>;
type Write = () => Output;

const operations = { Put: 'PutItem', Update: 'UpdateItem', Delete: 'DeleteItem' } as const;

interface Parts {
  /** Checks a request of a single write; what it answers makes it, or throws why not. */
  prepare(name: (typeof operations)[keyof typeof operations], input: Output): Write;
  /** The key attributes of an item of a table. */
  keyOf(table: string, item: Output): readonly unknown[];
  /** Does it in one step: nothing of what throws is kept. */
  together(work: () => Output): Promise<Output>;
}

const mostWrites = 100;
/** For so long, the same token with the same request is the same transaction: clients repeat what was not answered. */
const tokenMs = 10 * 60_000;

export function transactWriteItems(parts: Parts): AwsOperation {
  const known = new Map<string, { readonly text: string; readonly until: number }>();
  return async (input) => {
    const { TransactItems, ClientRequestToken: token, ReturnConsumedCapacity } = Object(input);
    const text = JSON.stringify(TransactItems);
    for (const [old, { until }] of known) if (until < Date.now()) known.delete(old);
    const before = token === undefined ? undefined : known.get(token);
    if (before?.text === text) return {};
    if (before) throw fault('IdempotentParameterMismatchException', 'the same token came with another request');
    const writes = writesOf(TransactItems, { parts, ReturnConsumedCapacity });
    const answer = await parts.together(() => allOrNone(writes));
    if (token !== undefined) known.set(token, { text, until: Date.now() + tokenMs });
    return answer;
  };
}

function writesOf(
  given: unknown,
  { parts, ReturnConsumedCapacity }: { readonly parts: Parts; readonly ReturnConsumedCapacity: unknown },
): readonly Write[] {
  const entries = Array.isArray(given) ? given : [];
  if (entries.length === 0 || entries.length > mostWrites)
    throw fault(
      'ValidationException',
      `a transaction has 1 to ${mostWrites} writes, and this one has ${entries.length}`,
    );
  const keys = new Set<string>();
  return entries.map((entry: unknown) => {
    const [[kind = '', request] = [], ...others] = Object.entries(Object(entry) as Readonly<Record<string, Output>>);
    if (!isKind(kind) || request === undefined || others.length > 0)
      throw fault('ValidationException', `a write is one of ${Object.keys(operations).join(', ')} here, not ${kind}`);
    const table = String(request.TableName);
    const key = JSON.stringify([table, parts.keyOf(table, Object(request.Key ?? request.Item) as Output)]);
    if (keys.has(key))
      throw fault('ValidationException', 'Transaction request cannot include multiple operations on one item');
    keys.add(key);
    return parts.prepare(operations[kind], {
      ...request,
      ...(ReturnConsumedCapacity !== undefined && { ReturnConsumedCapacity }),
    });
  });
}

const isKind = (kind: string): kind is keyof typeof operations => Object.hasOwn(operations, kind);

/** Every write is tried, so that the reasons of all are known; the caller undoes them when this throws. */
function allOrNone(writes: readonly Write[]): Output {
  const outcomes = writes.map(outcomeOf);
  if (outcomes.every(({ Code }) => Code === 'None')) return { ConsumedCapacity: capacityOf(outcomes) };
  const reasons = outcomes.map(({ Code, Message }) => ({ Code, ...(Message !== undefined && { Message }) }));
  const codes = reasons.map(({ Code }) => Code).join(', ');
  const message = `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`;
  throw fault('TransactionCanceledException', message, { CancellationReasons: reasons });
}

interface Outcome {
  readonly Code: string;
  readonly Message?: string;
  readonly output?: Output;
}

function outcomeOf(write: Write): Outcome {
  try {
    return { Code: 'None', output: write() };
  } catch (error) {
    const [, name = ''] = error instanceof AwsFault ? (/(?<!\w)(\w+)Exception$/.exec(error.code) ?? []) : [];
    const Code = { ConditionalCheckFailed: 'ConditionalCheckFailed', Validation: 'ValidationError' }[name];
    if (Code === undefined) throw error;
    return { Code, Message: (error as AwsFault).message };
  }
}

/** A transaction takes twice what its writes take. */
function capacityOf(outcomes: readonly Outcome[]): readonly Output[] | undefined {
  const tables = new Map<unknown, number>();
  for (const { output } of outcomes) {
    const { TableName, CapacityUnits } = Object(output?.ConsumedCapacity);
    if (TableName !== undefined) tables.set(TableName, (tables.get(TableName) ?? 0) + 2 * Number(CapacityUnits));
  }
  return tables.size === 0
    ? undefined
    : [...tables].map(([TableName, CapacityUnits]) => ({ TableName, CapacityUnits }));
}

const fault = (code: string, message: string, details: Output = {}): AwsFault =>
  new AwsFault(`com.amazonaws.dynamodb.v20120810#${code}`, message, 400, details);
