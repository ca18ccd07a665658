/** Records which IAM actions the calls of adapters ask for: `functions/rights/port-actions.ts` is held to it, both ways. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { partitionsOfUse } from '#functions/rights/function-rights.ts';
import { portActions } from '#functions/rights/port-actions.ts';
import { InMemoryArtifacts } from '#test/fakes/in-memory-artifacts.ts';

const within = new AsyncLocalStorage<string>();
const sent = new Map<string, Set<string>>();

/** Commands whose action has another name, or needs a second one. */
const exceptions: Readonly<Record<string, readonly string[]>> = {
  // Without the right to list, a missing object is `AccessDenied` and not `NoSuchKey`.
  's3:GetObject': ['s3:GetObject', 's3:ListBucket'],
  's3:ListObjectsV2': ['s3:ListBucket'],
  's3:DeleteObjects': ['s3:DeleteObject'],
};

/** The adapter, with its calls known by `port.method`. */
export function recordedPort<Adapter extends object>(port: string, adapter: Adapter): Adapter {
  return calling(adapter, (method, work) => {
    const use = `${port}.${method}`;
    const answer = within.run(use, work);
    if (!isIterable(answer)) return answer;
    const items = answer[Symbol.asyncIterator]();
    return { [Symbol.asyncIterator]: () => calling(items, (_, step) => within.run(use, step)) };
  });
}

/** What does its work as its items are taken. */
const isIterable = (answer: unknown): answer is AsyncIterable<unknown> =>
  typeof answer === 'object' && answer !== null && Symbol.asyncIterator in answer;

/** The client, with what it sends noted under the call that sends it. */
export function recordedClient<Client extends object>(service: string, client: Client): Client {
  return calling(client, (method, work, [command]) => {
    if (method !== 'send') return work();
    for (const write of writesIn(command)) note([`dynamodb:${write.kind}Item`]);
    if (writesIn(command).length === 0) note(actionsOf(service, command));
    if (service === 'dynamodb') refuseOtherPartitions(command);
    return work();
  });
}

/** Artifacts for stores that keep large documents there: what S3 is asked for then is the store's to ask. */
export function recordedArtifacts(): InMemoryArtifacts {
  return calling(new InMemoryArtifacts(), (method, work) => {
    note(portActions[`artifacts.${method}` as keyof typeof portActions]);
    return work();
  });
}

/** Before the first test of a file: what the tests of other files called does not count. */
export function forgetSent(): void {
  sent.clear();
}

/** What was sent and what the table allows, for each method that was called; equal when the table is right. */
export function sentAndAllowed(): { readonly sent: object; readonly allowed: object } {
  const uses = [...sent.keys()].sort();
  const allowed = portActions as Readonly<Record<string, readonly string[]>>;
  return {
    sent: Object.fromEntries(uses.map((use) => [use, [...(sent.get(use) ?? [])].sort()])),
    allowed: Object.fromEntries(uses.map((use) => [use, [...(allowed[use] ?? [])].sort()])),
  };
}

/** Methods of these ports that no test called. */
export function notCalled(...ports: readonly string[]): readonly string[] {
  return Object.keys(portActions).filter((use) => ports.includes(use.split('.')[0] ?? '') && !sent.has(use));
}

/** A role allows the partitions of its ports only. */
function refuseOtherPartitions(command: unknown): void {
  const use = within.getStore();
  if (use === undefined) return;
  const allowed = partitionsOfUse(use);
  const inputs = [Object(command).input, ...writesIn(command).map(({ input }) => input)];
  for (const partition of inputs.flatMap(partitionsOf))
    if (!allowed.some((prefix) => partition.startsWith(prefix)))
      throw new Error(
        `${use} touches the partition ${partition}, which functions/rights/function-rights.ts does not allow`,
      );
}

/** Actions of a transaction: each needs the right to its own write. */
function writesIn(command: unknown): readonly { readonly kind: string; readonly input: Input }[] {
  const entries: readonly object[] = Object(command).input?.TransactItems ?? [];
  return entries.flatMap((entry) => Object.entries(entry).map(([kind, input]) => ({ kind, input })));
}

function partitionsOf({ Key, Item, RequestItems = {}, ExpressionAttributeValues: values }: Input): readonly string[] {
  const asked = Object.values(RequestItems).flatMap((one): readonly (Key | undefined)[] =>
    'Keys' in one ? one.Keys : one.map(({ PutRequest, DeleteRequest }) => PutRequest?.Item ?? DeleteRequest?.Key),
  );
  const keys = [Key, Item, ...asked].flatMap((key) => (key ? [String(key.pk)] : []));
  return [...keys, ...(values?.[':partition'] === undefined ? [] : [String(values[':partition'])])];
}

type Key = { readonly pk: unknown };
type Request = { readonly PutRequest?: { readonly Item: Key }; readonly DeleteRequest?: { readonly Key: Key } };
interface Input {
  readonly Key?: Key;
  readonly Item?: Key;
  readonly RequestItems?: Readonly<Record<string, readonly Request[] | { readonly Keys: readonly Key[] }>>;
  readonly ExpressionAttributeValues?: Readonly<Record<string, unknown>>;
}

function note(actions: readonly string[]): void {
  const use = within.getStore();
  if (use === undefined) return;
  for (const action of actions) sent.set(use, (sent.get(use) ?? new Set()).add(action));
}

/** The document client of DynamoDB leaves `Item` out of the names of its commands. */
function actionsOf(service: string, command: unknown): readonly string[] {
  const name = Object(command).constructor.name.replace(/Command$/, '');
  const item = service === 'dynamodb' && name !== 'Query' ? 'Item' : '';
  const action = `${service}:${name}${item}`;
  return exceptions[action] ?? [action];
}

function calling<Called extends object>(
  called: Called,
  call: (method: string, work: () => unknown, given: readonly unknown[]) => unknown,
): Called {
  return new Proxy(called, {
    get: (target, method: string) => {
      const work: unknown = Reflect.get(target, method);
      if (typeof work !== 'function') return work;
      return (...given: unknown[]) => call(method, () => Reflect.apply(work, target, given), given);
    },
  });
}
