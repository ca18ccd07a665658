/** Runs that time out, writers that come too late, changes that come in between; on stores that speak AWS's protocol. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { type LocalDynamoDb, startDynamoDb } from 'aws-on-loopback/dynamodb/start-dynamodb.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DynamoClusters } from '#adapters/dynamo-clusters.ts';
import { DynamoManifests } from '#adapters/dynamo-manifests.ts';
import { DynamoTable } from '#adapters/dynamo-table.ts';
import { LargeDocuments } from '#adapters/large-documents.ts';
import { tableSchema } from '#adapters/table-keys.ts';
import { useDeps } from '#functions/wire.ts';
import { ensureTable } from '#local/ensure-table.ts';
import { executionArn } from '#test/fakes/fake-deps.ts';
import { manifestOf } from './harness/manifests.ts';
import { key, Pipeline } from './harness/pipeline.ts';

const small = manifestOf([{ compute: { work: 2 } }]);
const large = manifestOf([{ compute: { work: 2, more: 2 } }]);
const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
let dynamo: LocalDynamoDb;
let client: DynamoDBDocumentClient;
let count = 0;

beforeAll(async () => {
  dynamo = await startDynamoDb({ directory: undefined, port: 0 });
  client = DynamoDBDocumentClient.from(
    new DynamoDBClient({ endpoint: dynamo.url, region: 'eu-central-1', credentials }),
    {
      marshallOptions: { removeUndefinedValues: true },
    },
  );
});

afterAll(async () => {
  client.destroy();
  await dynamo.close();
});

/** A pipeline whose manifests and clusters are in DynamoDB. */
async function onRealStores(): Promise<Pipeline> {
  const pipeline = new Pipeline();
  const name = `table-${count++}`;
  await ensureTable(dynamo.url, name, tableSchema);
  const table = new DynamoTable(client, name);
  const documents = new LargeDocuments(pipeline.deps.artifacts);
  const stores = { manifests: new DynamoManifests(table, documents), clusters: new DynamoClusters(table, documents) };
  useDeps(Object.assign(pipeline.deps, stores));
  return pipeline;
}

/** Another run has taken the lease over, as if this one had been asleep for longer than it holds. */
async function takenOver(pipeline: Pipeline): Promise<number> {
  const later = {
    now: '2030-01-01T00:00:00.000Z',
    dueAt: '2030-01-01T00:30:00.000Z',
    expiresAt: '2030-01-01T01:00:00.000Z',
  };
  const taken = await pipeline.deps.manifests.takeLease(key, executionArn('the-next-one'), later);
  const fence = taken?.lease.fence ?? 0;
  await pipeline.invoke('plan-manifest', { ...key, fence });
  return fence;
}

describe('runs that lost their lease', () => {
  const stages = ['collect-result', 'commit-waypoint', 'assess-failure', 'record-rollback'] as const;

  for (const name of stages) {
    it(`a run with an old fence is refused at ${name}`, async () => {
      const pipeline = await onRealStores();
      await pipeline.apply(small);
      if (name === 'assess-failure') pipeline.runner.trouble('configuration', 'user');
      if (name === 'record-rollback') pipeline.runner.trouble('kubernetes', 'user');
      let newer = 0;
      let existed: unknown;
      let keys: readonly string[] = [];
      pipeline.before.set(name, async () => {
        pipeline.before.delete(name);
        newer = await takenOver(pipeline);
        existed = await pipeline.cluster();
        keys = await pipeline.deps.secrets.list('ssh');
      });
      await pipeline.submit(large);
      const [outcome] = await pipeline.settle();
      expect(outcome).toMatchObject({ status: 'FAILED', error: 'LeaseLost' });
      expect(newer).toBe(3);
      expect(await pipeline.cluster()).toEqual(existed);
      expect((await pipeline.cluster()).fence).toBe(newer);
      expect(keys).not.toHaveLength(0);
      expect(await pipeline.deps.secrets.list('ssh')).toEqual(keys);
      expect(await pipeline.manifest()).toMatchObject({ status: 'Running', lease: { fence: newer } });
    });
  }

  it('a run with an old fence is refused when it settles, and the newer run continues', async () => {
    const pipeline = await onRealStores();
    await pipeline.submit(small);
    let fence = 0;
    pipeline.before.set('settle-manifest', async () => {
      pipeline.before.delete('settle-manifest');
      fence = await takenOver(pipeline);
    });
    expect(await pipeline.settle()).toMatchObject([{ status: 'FAILED', error: 'LeaseLost' }]);
    const { runId, generation, attempt } = await pipeline.manifest();
    const settled = await pipeline.invoke('settle-manifest', { ...key, fence, runId, generation, attempt });
    expect(settled).toMatchObject({ outcome: 'done' });
    expect(await pipeline.manifest()).toMatchObject({ status: 'Done', lease: null });
  });

  it('a run with an old fence may neither remove nor write what the newer run has', async () => {
    const pipeline = await onRealStores();
    await pipeline.apply(small);
    const record = await pipeline.cluster();
    await pipeline.submit(large);
    await takenOver(pipeline);
    await expect(pipeline.deps.clusters.remove(record)).rejects.toMatchObject({ name: 'LeaseLost' });
    await expect(pipeline.deps.clusters.put({ ...record, version: record.version + 1 })).rejects.toMatchObject({
      name: 'LeaseLost',
    });
  });
});

describe('executions that end without a report', () => {
  for (const status of ['TIMED_OUT', 'ABORTED'] as const) {
    it(`an execution that ends ${status} frees the lease, and the next attempt continues`, async () => {
      const pipeline = await onRealStores();
      pipeline.runner.trouble('kubernetes', () => pipeline.machines.abortAll());
      const { runId } = await pipeline.submit(small);
      const outcome = await pipeline.machines.run('reconcile-manifest', key, runId);
      expect(outcome.status).toBe('ABORTED');
      expect((await pipeline.manifest()).lease?.owner).toBe(executionArn(runId));
      const made = await pipeline.nodes();

      await pipeline.finish(runId, status, key);
      expect(await pipeline.manifest()).toMatchObject({ lease: null, attempt: 2 });
      const runs = (await pipeline.runs()).map((run) => run.status);
      expect(runs).toEqual(['Queued', 'Aborted']);
      await pipeline.execute(String((await pipeline.manifest()).runId), key);
      expect(await pipeline.manifest()).toMatchObject({ status: 'Done', lease: null });
      expect(await pipeline.nodes()).toEqual(made);
    });
  }

  it('an execution whose end was not reported is found by the scheduler', async () => {
    const pipeline = await onRealStores();
    pipeline.runner.trouble('kubernetes', () => pipeline.machines.abortAll());
    const { runId } = await pipeline.submit(small);
    await pipeline.machines.run('reconcile-manifest', key, runId);
    pipeline.deps.workflows.started.length = 0;
    pipeline.deps.workflows.statuses.set(executionArn(runId), 'TIMED_OUT');
    pipeline.deps.clock.advance(3600);
    expect(await pipeline.invoke('tick', {})).toMatchObject({ due: 1, care: ['startedAgain'] });
    await pipeline.execute(String((await pipeline.manifest()).runId), key);
    expect(await pipeline.manifest()).toMatchObject({ status: 'Done', attempt: 2 });
  });
});

describe('manifests that change during a run', () => {
  it('a newer manifest is applied after the current waypoint, not after the whole plan', async () => {
    const pipeline = new Pipeline();
    await pipeline.apply(large);
    pipeline.runner.documents.length = 0;
    const back = manifestOf([{ compute: { work: 2, more: 2, fresh: 1 } }]);
    pipeline.runner.trouble('kubernetes', () => pipeline.submit(back));
    await pipeline.submit(manifestOf([{ compute: { work: 2, fresh: 1 } }]));
    await pipeline.settle();
    expect([...new Set(pipeline.runner.documents.map(({ direction }) => direction))]).toEqual(['grow']);
    expect(await pipeline.nodes()).toHaveLength(6);
    expect(await pipeline.manifest()).toMatchObject({ status: 'Done', generation: 3 });
  });

  it('a newer manifest replaces a failed one at once', async () => {
    const pipeline = new Pipeline();
    await pipeline.apply(small);
    pipeline.runner.trouble('kubernetes', 'user');
    await pipeline.apply(large);
    expect((await pipeline.call('', { method: 'PUT', body: small })).status).toBe(202);
    await pipeline.settle();
    expect(await pipeline.cluster()).toMatchObject({ status: 'Converged', failure: null });
  });
});
