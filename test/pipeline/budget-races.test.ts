/** Budgets under race: what was accepted counts at once, however many ask at the same moment and whatever has started. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { type LocalDynamoDb, startDynamoDb } from 'aws-on-loopback/dynamodb/start-dynamodb.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DynamoBudgets } from '#adapters/dynamo-budgets.ts';
import { DynamoClusters } from '#adapters/dynamo-clusters.ts';
import { DynamoManifests } from '#adapters/dynamo-manifests.ts';
import { DynamoRollOuts } from '#adapters/dynamo-roll-outs.ts';
import { DynamoTable } from '#adapters/dynamo-table.ts';
import { LargeDocuments } from '#adapters/large-documents.ts';
import { tableSchema } from '#adapters/table-keys.ts';
import { PipelineError } from '#domain/errors.ts';
import { budgetOf } from '#domain/prices/budget-setting.ts';
import { ensureTable } from '#local/ensure-table.ts';
import { type Answer, apiUnderTest, as, bindRoles, type Call, callApi } from '#test/api/api-under-test.ts';
import type { FakeDeps } from '#test/fakes/fake-deps.ts';
import { at } from '#test/local/clients.ts';
import { groupsWith, leaf } from '#test/machine-groups/groups.ts';
import { manifestOf } from './harness/manifests.ts';
import { Pipeline } from './harness/pipeline.ts';

const operator = as('olga');
const approver = as('anna');
const settings = (budgets: string) => ({ KUBELOOM_ADMINS: 'user:root', KUBELOOM_BUDGETS: budgets });

/** $5 a month each, and one more for the control plane. */
const workers = (name: string, count: number | { min: number; max: number }, namespace = 'team') => {
  const document = manifestOf([{ compute: { work: count } }]);
  return { ...document, metadata: { ...document.metadata, name, namespace } };
};

const call = (deps: FakeDeps, name: string, verb = '', request: Call & { readonly method?: string } = {}) =>
  callApi(deps, request.method ?? 'POST', `/v1/manifests/team/${name}${verb}`, { ...operator, ...request });
const put = (deps: FakeDeps, name: string, count: Parameters<typeof workers>[1], who: Call = operator) =>
  call(deps, name, '', { method: 'PUT', body: workers(name, count), ...who });

/** What all others cost by now, of the namespace: what a budget counts before a new manifest. */
async function counted(deps: FakeDeps): Promise<number> {
  const { json } = await call(deps, 'not-stored', '/plan', { body: workers('not-stored', 1) });
  const [{ amounts }] = json.budgets as [{ amounts: [{ before: number }] }];
  return amounts[0].before;
}

const tally = (answers: readonly Answer[]) => {
  const statuses = answers.map(({ status }) => status);
  return { accepted: statuses.filter((one) => one === 202).length, of: statuses.length };
};
const refused = { status: 409, json: { code: 'ApprovalRequired' } } as const;

async function world(budgets = 'team=30USD'): Promise<Pipeline> {
  const pipeline = new Pipeline(settings(budgets));
  await bindRoles(pipeline.deps, 'team', { operator: 'olga', approver: 'anna' });
  return pipeline;
}

describe('many at once', () => {
  let dynamo: LocalDynamoDb;
  let client: DynamoDBDocumentClient;
  beforeAll(async () => {
    dynamo = await startDynamoDb({ directory: undefined, port: 0 });
    await ensureTable(dynamo.url, 'races', tableSchema);
    client = DynamoDBDocumentClient.from(new DynamoDBClient(at(dynamo.url)), {
      marshallOptions: { removeUndefinedValues: true },
    });
  });
  afterAll(async () => {
    client.destroy();
    await dynamo.close();
  });

  const stores = {
    'in memory': () => ({}),
    'in DynamoDB': (): Partial<FakeDeps> => {
      const table = new DynamoTable(client, 'races');
      const { artifacts } = apiUnderTest().deps;
      const large = new LargeDocuments(artifacts);
      const manifests = new DynamoManifests(table, large);
      const budgets = new DynamoBudgets(table, manifests);
      const [clusters, rollOuts] = [new DynamoClusters(table, large), new DynamoRollOuts(table)];
      return { artifacts, manifests, budgets, clusters, rollOuts };
    },
  };

  it.each(['in memory', 'in DynamoDB'] as const)(
    'three of 20 equal manifests are accepted within three times their cost, all others wait for an approval, %s',
    async (kind) => {
      const { deps } = apiUnderTest(settings('team=30USD'), stores[kind]());
      await bindRoles(deps, 'team', { operator: 'olga' });
      const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => put(deps, `m${n}`, 1)));
      expect(tally(answers)).toEqual({ accepted: 3, of: 20 });
      for (const one of answers) if (one.status !== 202) expect(one).toMatchObject(refused);
      expect(await counted(deps)).toBe(30);
    },
  );

  it('manifests of several namespaces share the budget of the installation', async () => {
    const { deps } = apiUnderTest(settings('*=30USD'));
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) => {
        const body = workers('shop', 1, `team-${n}`);
        return callApi(deps, 'PUT', `/v1/manifests/team-${n}/shop`, { body, ...as('root') });
      }),
    );
    expect(tally(answers)).toEqual({ accepted: 3, of: 8 });
  });

  it('one of two rollbacks is carried out where both together are beyond the budget', async () => {
    const pipeline = await world('team=100USD');
    const { deps } = pipeline;
    for (const count of [4, 1])
      for (const name of ['a', 'b']) {
        await put(deps, name, count);
        await pipeline.settle();
      }
    Object.assign(deps.config, { KUBELOOM_BUDGETS: [budgetOf('team=40USD')] });
    const answers = await Promise.all(['a', 'b'].map((name) => call(deps, name, '/rollback', { body: {} })));
    expect(tally(answers)).toEqual({ accepted: 1, of: 2 });
    expect(await counted(deps)).toBe(35);
  });

  it('one of two machine groups is scaled where both together are beyond the budget', async () => {
    const pipeline = await world('team=40USD');
    const { deps } = pipeline;
    const names = ['a', 'b'];
    for (const name of names) {
      const body = groupsWith({ batch: { ...leaf, serverType: 'small' } }, {}, name);
      expect(await call(deps, name, '', { method: 'PUT', body })).toMatchObject({ status: 202 });
    }
    await pipeline.settle();
    expect(await counted(deps)).toBe(20);
    const scaled = names.map((name) => call(deps, name, '/scale', { body: { sizes: { batch: 5 } } }));
    expect(tally(await Promise.all(scaled))).toEqual({ accepted: 1, of: 2 });
    expect(await counted(deps)).toBe(35);
  });

  it('clusters that grow share what is left, and those that stay need nothing of it', async () => {
    const pipeline = await world();
    const { deps } = pipeline;
    for (const name of ['a', 'b']) await put(deps, name, 1);
    await pipeline.settle();
    const answers = await Promise.all([put(deps, 'a', 3), put(deps, 'b', 3), put(deps, 'b', 1)]);
    expect(answers.filter(({ status, json }) => status === 202 && json.generation === 2)).toHaveLength(1);
    expect(await counted(deps)).toBe(30);
  });

  it('the retry of one that stays beyond its tries says that nothing was changed, and what to do', async () => {
    const { deps } = await world();
    deps.budgets.acceptManifest = async () => {
      throw new PipelineError('BudgetMoved', 'others were accepted at the same moment; nothing was changed; retry');
    };
    const answer = await put(deps, 'a', 1);
    expect(answer).toMatchObject({ status: 409, json: { code: 'BudgetMoved' } });
    expect(await deps.manifests.get({ namespace: 'team', name: 'a' })).toBeUndefined();
  });
});

describe('what was accepted', () => {
  it('a manifest counts before its run has started, and once when it is done', async () => {
    const pipeline = await world();
    await put(pipeline.deps, 'a', 3);
    expect(await counted(pipeline.deps)).toBe(20);
    expect(await put(pipeline.deps, 'b', 2)).toMatchObject(refused);
    await pipeline.settle();
    expect(await counted(pipeline.deps)).toBe(20);
  });

  it('a run that failed counts as far as a retry leads, and the retry needs no approval', async () => {
    const pipeline = await world();
    const { deps } = pipeline;
    pipeline.runner.trouble('infrastructure', 'quota', { times: 9 });
    await put(deps, 'a', 3);
    await pipeline.settle();
    expect(await deps.manifests.head({ namespace: 'team', name: 'a' })).toMatchObject({ status: 'Failed' });
    expect(await counted(deps)).toBe(20);
    expect(await put(deps, 'b', 2)).toMatchObject(refused);
    expect(await call(deps, 'a', '/retry', { body: {} })).toMatchObject({ status: 202 });
    expect(await counted(deps)).toBe(20);
    // A smaller document leaves the rest to others.
    expect(await put(deps, 'c', 1)).toMatchObject({ status: 202 });
  });

  it('a smaller document counts as the larger one while a run is in progress that leads there', async () => {
    const pipeline = await world();
    const { deps } = pipeline;
    await put(deps, 'a', 4);
    const seen: unknown[] = [];
    pipeline.before.set('plan-cluster', async () => {
      pipeline.before.delete('plan-cluster');
      seen.push((await put(deps, 'a', 1)).status, await counted(deps), (await put(deps, 'b', 1)).status);
    });
    await pipeline.settle();
    expect(seen).toEqual([202, 25, 409]);
    expect(await counted(deps)).toBe(10);
    expect(await put(deps, 'b', 1)).toMatchObject({ status: 202 });
  });

  it('machines that are removed count until they are gone', async () => {
    const pipeline = await world();
    const { deps } = pipeline;
    await put(deps, 'a', 4);
    await pipeline.settle();
    await put(deps, 'a', 1);
    const seen: number[] = [];
    pipeline.before.set('commit-waypoint', async () => {
      seen.push(await counted(deps));
    });
    await pipeline.settle();
    expect(seen).toEqual([25]);
    expect(await counted(deps)).toBe(10);
  });

  it('a growth that relied on machines which are gone by now is counted again', async () => {
    const pipeline = await world();
    const { deps } = pipeline;
    await put(deps, 'a', 3);
    await pipeline.settle();
    await put(deps, 'a', 1);
    // Between count and store of the way back, the run removes machines, and another manifest gets what that leaves.
    const { acceptManifest } = deps.budgets;
    deps.budgets.acceptManifest = async (...given) => {
      deps.budgets.acceptManifest = acceptManifest;
      await pipeline.settle();
      expect(await put(deps, 'b', 3)).toMatchObject({ status: 202 });
      return acceptManifest.apply(deps.budgets, given);
    };
    const back = await put(deps, 'a', 3);
    expect(back.status).toBe(409);
    expect(await counted(deps)).toBeLessThanOrEqual(30);
  });

  it('a size that is requested counts at once, though it needs no approval', async () => {
    const pipeline = await world('team=40USD');
    const { deps } = pipeline;
    await put(deps, 'a', { min: 1, max: 5 });
    await pipeline.settle();
    expect(await counted(deps)).toBe(10);
    expect(await call(deps, 'a', '/scale', { body: { sizes: { 'web-work': 5 } } })).toMatchObject({ status: 202 });
    expect(await counted(deps)).toBe(30);
    expect(await put(deps, 'b', 2)).toMatchObject(refused);
    await pipeline.settle();
    await call(deps, 'a', '/scale', { body: { sizes: { 'web-work': 1 } } });
    expect(await counted(deps)).toBe(30);
    await pipeline.settle();
    expect(await counted(deps)).toBe(10);
  });

  it('a plan that waits counts once it is approved, and then at once', async () => {
    const { deps } = await world();
    const waiting = await put(deps, 'a', 9);
    expect(waiting).toMatchObject(refused);
    expect(await counted(deps)).toBe(0);
    const { plan } = waiting.json.details as { readonly plan: string };
    expect(await call(deps, 'a', '/approve', { body: { plan }, ...approver })).toMatchObject({ status: 202 });
    expect(await counted(deps)).toBe(50);
    expect(await put(deps, 'b', 1)).toMatchObject(refused);
  });

  it('a deletion counts until the machines are gone', async () => {
    const pipeline = await world();
    const { deps } = pipeline;
    await put(deps, 'a', 3);
    await pipeline.settle();
    await call(deps, 'a', '', { method: 'DELETE' });
    expect(await counted(deps)).toBe(20);
    await pipeline.settle();
    expect(await counted(deps)).toBe(0);
  });

  it('a smaller document, or a deletion, of what no run has started on counts as it is', async () => {
    const { deps } = await world();
    for (const name of ['a', 'b']) await put(deps, name, 2);
    await put(deps, 'a', 1);
    await call(deps, 'b', '', { method: 'DELETE' });
    expect(await counted(deps)).toBe(10);
  });

  it('a request that ends between count and store leaves nothing that counts', async () => {
    const { deps } = await world();
    const { acceptManifest } = deps.budgets;
    deps.budgets.acceptManifest = async () => {
      throw new Error('the process was killed');
    };
    expect((await put(deps, 'a', 3)).status).toBe(500);
    deps.budgets.acceptManifest = acceptManifest;
    expect(await counted(deps)).toBe(0);
    expect(await put(deps, 'b', 5)).toMatchObject({ status: 202 });
  });
});
