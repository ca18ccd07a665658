/** One record that cannot be read harms nothing but itself, and can be healed or forgotten. The API over the real adapters. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { type LocalDynamoDb, startDynamoDb } from 'aws-on-loopback/dynamodb/start-dynamodb.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DynamoClusters } from '#adapters/dynamo-clusters.ts';
import { DynamoManifests } from '#adapters/dynamo-manifests.ts';
import { DynamoTable } from '#adapters/dynamo-table.ts';
import { LargeDocuments } from '#adapters/large-documents.ts';
import { clusterItem, documentItem, type ItemKey, manifestItem, tableSchema } from '#adapters/table-keys.ts';
import { ensureTable } from '#local/ensure-table.ts';
import { type ApiUnderTest, apiUnderTest } from '#test/api/api-under-test.ts';
import { aManifest } from '#test/api/documents.ts';
import { aCluster } from '#test/contracts/builders.ts';
import { InMemoryArtifacts } from '#test/fakes/in-memory-artifacts.ts';

let dynamo: LocalDynamoDb;
let client: DynamoDBDocumentClient;
let api: ApiUnderTest;
let table: string;
let tables = 0;
let artifacts: InMemoryArtifacts;

const bad = { namespace: 'team', name: 'bad' };
const names = ['good', 'bad', 'other'];
const pathOf = (name: string): string => `/v1/manifests/team/${name}`;

beforeAll(async () => {
  dynamo = await startDynamoDb({ directory: undefined, port: 0 });
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  client = DynamoDBDocumentClient.from(
    new DynamoDBClient({ endpoint: dynamo.url, region: 'eu-central-1', credentials }),
    { marshallOptions: { removeUndefinedValues: true } },
  );
});

afterAll(async () => {
  client.destroy();
  await dynamo.close();
});

beforeEach(async () => {
  table = `table-${tables++}`;
  await ensureTable(dynamo.url, table, tableSchema);
  artifacts = new InMemoryArtifacts();
  const documents = new LargeDocuments(artifacts);
  const store = new DynamoTable(client, table);
  const change = { manifests: new DynamoManifests(store, documents), clusters: new DynamoClusters(store, documents) };
  api = apiUnderTest({}, { ...change, artifacts });
  for (const name of names)
    expect((await api.call('PUT', pathOf(name), { body: aManifest({ name }) })).status).toBe(202);
});

async function set(key: ItemKey, field: string, value: unknown): Promise<void> {
  await client.send(
    new UpdateCommand({
      TableName: table,
      Key: { ...key },
      UpdateExpression: 'SET #field = :value',
      ExpressionAttributeNames: { '#field': field },
      ExpressionAttributeValues: { ':value': value },
    }),
  );
}

type Row = { readonly name: string; readonly status: string; readonly unreadable?: string };
async function rows(): Promise<readonly Row[]> {
  const { status, json } = await api.call('GET', '/v1/manifests?namespace=team');
  expect(status).toBe(200);
  return json.items as Row[];
}
const statuses = async () => Object.fromEntries((await rows()).map(({ name, status }) => [name, status]));

/** A list reads no documents: a row of these has the status that is stored. */
const documentDamages = {
  'has lost its document': async () => {
    await client.send(new DeleteCommand({ TableName: table, Key: { ...documentItem(bad, 1) } }));
  },
  'has lost the artifact of its document': () =>
    set(documentItem(bad, 1), 'document', { key: 'documents/team/bad/x.json', sha256: 'x' }),
  'has a document that is not JSON': () => set(documentItem(bad, 1), 'document', { json: '{"kind": ' }),
} as const;

const damages = {
  ...documentDamages,
  'has a status that no one knows': () => set(manifestItem(bad), 'status', 'Dreaming'),
  'has lost what its generation is': () => set(manifestItem(bad), 'generation', 'x'),
  'is of a newer format': () => set(manifestItem(bad), 'format', 3),
  'has a cluster that cannot be read': async () => {
    await api.deps.clusters.put(aCluster({ namespace: 'team', manifest: 'bad' }));
    await set(clusterItem(bad, aCluster().cluster), 'record', { json: '{}' });
  },
};

it('a record with a field of a newer version is read as if the field were not there', async () => {
  await set(manifestItem(bad), 'newerField', 1);
  await api.deps.clusters.put(aCluster({ namespace: 'team', manifest: 'bad' }));
  const cluster = { ...aCluster({ namespace: 'team', manifest: 'bad' }), newer: { a: 1 } };
  await set(clusterItem(bad, cluster.cluster), 'record', { json: JSON.stringify(cluster) });
  expect(await statuses()).toEqual({ good: 'Pending', bad: 'Pending', other: 'Pending' });
  expect((await api.call('GET', pathOf('bad'))).status).toBe(200);
});

const wayOut = /team\/bad.*cannot be read.*kubeloom delete bad -n team --orphan all/;

describe.each(Object.entries(damages))('a manifest that %s', (kind, damage) => {
  it('an unreadable manifest is reported as Unreadable, with the reason and the fix', async () => {
    await damage();
    const listed = kind in documentDamages ? 'Pending' : 'Unreadable';
    expect(await statuses()).toEqual({ good: 'Pending', bad: listed, other: 'Pending' });
    const row = (await rows()).find(({ name }) => name === 'bad');
    if (listed === 'Unreadable') expect(row?.unreadable).toMatch(wayOut);
    const one = await api.call('GET', pathOf('bad'));
    const json = { status: 'Unreadable', name: 'bad', unreadable: expect.stringMatching(wayOut) };
    expect(one).toMatchObject({ status: 200, json });
  });

  it('an unreadable manifest does not prevent Secrets of any namespace from being stored', async () => {
    await damage();
    const body = {
      apiVersion: 'v1',
      kind: 'Secret',
      type: 'Opaque',
      stringData: { credentials: 'x' },
    };
    for (const namespace of ['team', 'elsewhere']) {
      const metadata = { namespace, name: 'one' };
      const stored = await api.call('PUT', `/v1/secrets/${namespace}/one`, { body: { ...body, metadata } });
      expect(stored.status).toBe(200);
    }
    expect((await api.call('DELETE', '/v1/secrets/elsewhere/one')).status).toBe(204);
    const kept = await api.call('DELETE', '/v1/secrets/team/one');
    expect(kept).toMatchObject({
      status: 409,
      json: { detail: expect.stringContaining('team/bad (which cannot be read)') },
    });
  });

  it('an unreadable manifest is not deleted by a run, and is forgotten with ?orphan=all', async () => {
    await damage();
    const refused = await api.call('DELETE', pathOf('bad'));
    expect(refused).toMatchObject({ status: 409, json: { code: 'Unreadable' } });
    expect(refused.json.detail).toContain('--orphan all');
    expect((await api.call('DELETE', `${pathOf('bad')}?orphan=all`)).status).toBe(202);
    expect(await statuses()).toEqual({ good: 'Pending', other: 'Pending' });
    expect((await api.call('GET', pathOf('bad'))).status).toBe(404);
    expect((await api.call('PUT', pathOf('bad'), { body: aManifest({ name: 'bad' }) })).status).toBe(202);
  });

  it('an unreadable manifest cannot be planned, and the answer says why', async () => {
    await damage();
    const refused = await api.call('POST', `${pathOf('bad')}/plan`);
    expect(refused).toMatchObject({ status: 409, json: { code: 'Unreadable' } });
  });
});

describe.each([
  'has a status that no one knows',
  'has lost its document',
  'has lost the artifact of its document',
  'has a document that is not JSON',
] as const)('a manifest that %s', (kind) => {
  it('an unreadable manifest is readable again when its document is applied', async () => {
    await damages[kind]();
    const healed = await api.call('PUT', pathOf('bad'), { body: aManifest({ name: 'bad' }) });
    expect(healed).toMatchObject({ status: 202, json: { generation: 2 } });
    expect(await statuses()).toEqual({ good: 'Pending', bad: 'Pending', other: 'Pending' });
  });
});

it('a record of a newer format is not overwritten by an older version', async () => {
  await damages['is of a newer format']();
  const refused = await api.call('PUT', pathOf('bad'), { body: aManifest({ name: 'bad' }) });
  expect(refused).toMatchObject({ status: 409, json: { code: 'Unreadable' } });
});
