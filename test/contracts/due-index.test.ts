/** What is due, by an index that lags behind its table, with records of which one may be broken. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { BatchGetCommand, DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import { expect, it, onTestFinished } from 'vitest';
import { DynamoManifests } from '#adapters/dynamo-manifests.ts';
import { DynamoTable } from '#adapters/dynamo-table.ts';
import { LargeDocuments } from '#adapters/large-documents.ts';
import { InMemoryArtifacts } from '#test/fakes/in-memory-artifacts.ts';
import { aManifest } from './builders.ts';

const now = '2026-11-20T12:00:00.000Z';
const earlier = '2026-11-20T11:59:00.000Z';
const item = (name: string, change: Record<string, unknown>) => {
  const { lease: _lease, dueAt: _due, ...record } = aManifest({ name });
  return { pk: 'MANIFESTS', sk: `team#${name}`, ...record, ...change };
};

/** A store whose index names all of these, whatever the table says of them by now. */
function storeOf(items: readonly Record<string, unknown>[]) {
  const dynamo = mockClient(DynamoDBDocumentClient);
  onTestFinished(() => dynamo.restore());
  const keys = items.map(({ pk, sk }) => ({ pk, sk }));
  dynamo.on(QueryCommand).resolvesOnce({ Items: keys }).resolves({ Items: [] });
  dynamo.on(BatchGetCommand).resolves({ Responses: { table: [...items] } });
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({ region: 'eu-central-1' }));
  return new DynamoManifests(new DynamoTable(client, 'table'), new LargeDocuments(new InMemoryArtifacts()));
}

it('a run that is no longer due, as it has just failed, is not listed', async () => {
  const store = storeOf([
    item('failed', { status: 'Failed' }),
    item('prolonged', { dueAt: '2026-11-20T12:30:00.000Z' }),
    item('waits', { dueAt: earlier }),
  ]);
  expect((await store.due(now, 9)).map(({ name }) => name)).toEqual(['waits']);
});

it('an unreadable record is reported and the others are returned, or it throws without a handler', async () => {
  const broken = item('broken', { dueAt: earlier, generation: 'x' });
  const items = [broken, item('waits', { dueAt: earlier })];
  const reported: Error[] = [];
  expect((await storeOf(items).due(now, 9, (fault) => reported.push(fault))).map(({ name }) => name)).toEqual([
    'waits',
  ]);
  expect(reported.map(({ message }) => message)).toEqual([expect.stringContaining('team/broken cannot be read')]);
  await expect(storeOf(items).due(now, 9)).rejects.toThrow();
});
