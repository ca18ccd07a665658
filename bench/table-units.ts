/**
 * What the table is asked for manifests whose document has 20 KB, in its own units (a write unit is 1 KB, a read unit 4 KB): a
 * lease, a status, a new generation, a list of 100 with and without documents. `node bench/run.ts table`.
 */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { startDynamoDb } from 'aws-on-loopback/dynamodb/start-dynamodb.ts';
import { DynamoManifests } from '#adapters/dynamo-manifests.ts';
import { DynamoTable } from '#adapters/dynamo-table.ts';
import { LargeDocuments } from '#adapters/large-documents.ts';
import { manifestItem, tableSchema } from '#adapters/table-keys.ts';
import type { ManifestRecord } from '#contracts/records.ts';
import type { Artifacts } from '#functions/ports.ts';
import { ensureTable } from '#local/ensure-table.ts';

const number = 100;
const documentBytes = 20_000;
const at = '2026-11-20T12:00:00.000Z';
const hourLater = '2026-11-20T13:00:00.000Z';
const account = 'arn:aws:states:eu-central-1:123456789012:execution';

export async function measureTable() {
  const dynamo = await startDynamoDb({ directory: undefined, port: 0 });
  await ensureTable(dynamo.url, 'bench', tableSchema);
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const client = DynamoDBDocumentClient.from(
    new DynamoDBClient({ endpoint: dynamo.url, region: 'eu-central-1', credentials }),
    { marshallOptions: { removeUndefinedValues: true } },
  );
  const used = countUnits(client);
  const store = new DynamoManifests(new DynamoTable(client, 'bench'), new LargeDocuments({} as Artifacts));
  const names = Array.from({ length: number }, (_, place) => `cluster-${String(place).padStart(3, '0')}`);
  for (const name of names) await store.create(recordOf(name, 1));
  const key = { namespace: 'team', name: names[0] ?? '' };
  const owner = `${account}:kubeloom-reconcile-manifest:${recordOf(key.name, 2).runId}`;
  const term = { now: at, dueAt: hourLater, expiresAt: hourLater };
  const units = {
    newGeneration: await used(() => store.replace(recordOf(key.name, 2), { generation: 1, attempt: 1 })),
    nextAttempt: await used(() =>
      store.replace({ ...recordOf(key.name, 2), attempt: 2 }, { generation: 2, attempt: 1 }),
    ),
    takeLease: await used(() => store.takeLease(key, owner, term)),
    renewLease: await used(() => store.renewLease(key, 1, term)),
    begin: await used(() => store.begin(key, 1, at)),
    settle: await used(() => store.settle(key, 1, { generation: 2, attempt: 2 }, 'Done', at, { dueAt: hourLater })),
    get: await used(() => store.get(key)),
    listHeads: await used(() => everyPage((next) => store.listHeads('team', number, next))),
    list: await used(() => everyPage((next) => store.list('team', number, next))),
  };
  const { Item } = await client.send(new GetCommand({ TableName: 'bench', Key: { ...manifestItem(key) } }));
  client.destroy();
  await dynamo.close();
  return {
    what: `units of the table for ${number} manifests with documents of ${documentBytes / 1000} KB, without those of its index`,
    bytesOfHead: JSON.stringify(Item).length,
    units,
  };
}

async function everyPage(pageFrom: (next?: string) => Promise<{ readonly next?: string }>): Promise<void> {
  let next: string | undefined;
  do {
    ({ next } = await pageFrom(next));
  } while (next !== undefined);
}

interface Units {
  readonly read: number;
  readonly write: number;
}

/** Counts what the table says that it took, while `work` runs. */
function countUnits(client: DynamoDBDocumentClient): (work: () => Promise<unknown>) => Promise<Units> {
  let units: Units = { read: 0, write: 0 };
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (given) => {
        const answer = await next({ ...given, input: { ...given.input, ReturnConsumedCapacity: 'TOTAL' } });
        const { ConsumedCapacity = [] } = Object(answer.output) as { ConsumedCapacity?: Taken | readonly Taken[] };
        const taken = [ConsumedCapacity].flat().reduce((sum, one) => sum + (one.CapacityUnits ?? 0), 0);
        const reads = /^(Get|BatchGet|Query)/.test(commandName);
        units = reads ? { ...units, read: units.read + taken } : { ...units, write: units.write + taken };
        return answer;
      },
    { step: 'initialize', priority: 'low', name: 'countUnits' },
  );
  return async (work) => {
    units = { read: 0, write: 0 };
    await work();
    return units;
  };
}

type Taken = { readonly CapacityUnits?: number };

function recordOf(name: string, generation: number): ManifestRecord {
  return {
    namespace: 'team',
    name,
    uid: 'abcde',
    generation,
    attempt: 1,
    checksum: 'c'.repeat(64),
    deleting: false,
    document: { kind: 'InputManifest', spec: { text: `${generation}`.padEnd(documentBytes, 'x') } },
    origin: { at, by: 'oidc:https://issuer.example.org/anna', reason: 'the manifest was changed' },
    status: 'Pending',
    runId: `${name}-abcde-g${generation}-a1`,
    lease: null,
    fence: 0,
    createdAt: at,
    updatedAt: at,
    dueAt: hourLater,
  };
}
