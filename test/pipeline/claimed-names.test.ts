/** One manifest of the installation has a DNS name: asked of the real API, done by the real state machines. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { type LocalDynamoDb, startDynamoDb } from 'aws-on-loopback/dynamodb/start-dynamodb.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DynamoBudgets } from '#adapters/dynamo-budgets.ts';
import { DynamoClusters } from '#adapters/dynamo-clusters.ts';
import { DynamoManifests } from '#adapters/dynamo-manifests.ts';
import { DynamoTable } from '#adapters/dynamo-table.ts';
import { LargeDocuments } from '#adapters/large-documents.ts';
import { tableSchema } from '#adapters/table-keys.ts';
import { ensureTable } from '#local/ensure-table.ts';
import { type Answer, apiUnderTest, as, bindRoles, type Call, callApi } from '#test/api/api-under-test.ts';
import type { FakeDeps } from '#test/fakes/fake-deps.ts';
import { at } from '#test/local/clients.ts';
import { groupsWith, leaf } from '#test/machine-groups/groups.ts';
import { manifestOf } from './harness/manifests.ts';
import { Pipeline } from './harness/pipeline.ts';

interface Names {
  readonly hostname?: string | undefined;
  readonly alternativeNames?: readonly string[];
  readonly dnsZone?: string;
}

/** A manifest whose load balancer has these names. */
function serving(name: string, names: Names = {}, namespace = 'team') {
  const document = manifestOf([{ compute: { work: 1 }, balanced: true }]);
  const [balancer] = document.spec.loadBalancers.clusters;
  const dns = { ...balancer?.dns, dnsZone: 'example.com', hostname: 'k8s', ...names };
  const loadBalancers = { ...document.spec.loadBalancers, clusters: [{ ...balancer, dns }] };
  return { ...document, metadata: { name, namespace }, spec: { ...document.spec, loadBalancers } };
}

/** Machine groups, the same. */
const groups = (name: string, names: Names) =>
  groupsWith(
    { batch: { ...leaf, serverType: 'small' }, front: { ...leaf, serverType: 'small' } },
    {
      loadBalancers: {
        roles: [{ name: 'web', protocol: 'tcp', port: 80, targetPort: 30080, targetPools: ['batch'] }],
        clusters: [
          {
            name: 'entry',
            roles: ['web'],
            dns: { dnsZone: 'example.com', provider: 'sim-1', ...names },
            pools: ['front'],
          },
        ],
      },
    },
    name,
  );

const put = (
  deps: FakeDeps,
  body: { readonly metadata: { readonly name: string } },
  who: Call = {},
  namespace = 'team',
) => callApi(deps, 'PUT', `/v1/manifests/${namespace}/${body.metadata.name}`, { body, ...who });

const hostname = 'spec.loadBalancers.clusters[0].dns.hostname';
const taken = (name: string, owner: string, path = hostname) => ({
  status: 422,
  json: {
    code: 'InvalidManifest',
    faults: [
      {
        path,
        reason: `"${name}" is a name of the manifest "${owner}"`,
        fix: 'use another host name, or remove it there first',
      },
    ],
  },
});

describe('a name of another manifest', () => {
  it.each([
    ['the same host name', { hostname: 'k8s' }, hostname],
    ['in capitals, with a dot at the end', { hostname: 'K8S', dnsZone: 'Example.COM.' }, hostname],
    ['a longer host name in a shorter zone', { hostname: 'k8s.example', dnsZone: 'com' }, hostname],
    [
      'as an alternative name',
      { hostname: 'x', alternativeNames: ['y', 'k8s'] },
      `${hostname.replace('hostname', 'alternativeNames')}[1]`,
    ],
  ])('%s is refused with who has it, and nothing is started', async (_, names, path) => {
    const pipeline = new Pipeline();
    const { deps } = pipeline;
    expect(await put(deps, serving('first'))).toMatchObject({ status: 202 });
    expect(await put(deps, serving('second', names))).toMatchObject(taken('k8s.example.com', 'team/first', path));
    expect(await put(deps, groups('third', names))).toMatchObject(taken('k8s.example.com', 'team/first', path));
    expect((await deps.manifests.list(undefined, 10)).items.map(({ name }) => name)).toEqual(['first']);
  });

  it('a name of machine groups is refused to manifests', async () => {
    const { deps } = new Pipeline();
    expect(await put(deps, groups('first', { hostname: 'shop', alternativeNames: ['www'] }))).toMatchObject({
      status: 202,
    });
    expect(await put(deps, serving('second', { hostname: 'www' }))).toMatchObject(
      taken('www.example.com', 'team/first'),
    );
  });

  it('plan, validate and a set of documents report it, too', async () => {
    const { deps } = new Pipeline();
    await put(deps, serving('first'));
    const [second, third] = [serving('second'), serving('third', { hostname: 'new' })];
    const { json: faults } = taken('k8s.example.com', 'team/first');
    const plan = await callApi(deps, 'POST', '/v1/manifests/team/second/plan', { body: second });
    expect(plan).toMatchObject({ status: 200, json: { faults: faults.faults } });
    const documents = [serving('first'), second, third, serving('fourth', { hostname: 'new' })];
    const { json } = await callApi(deps, 'POST', '/v1/validate', {
      body: documents.map((one) => JSON.stringify(one)).join('\n---\n'),
    });
    const reasons = (json.documents as { faults: { reason: string }[] }[]).map((one) =>
      one.faults.map(({ reason }) => reason),
    );
    expect(reasons).toEqual([
      [],
      ['"k8s.example.com" is a name of the manifest "team/first"'],
      [],
      ['"new.example.com" is a name of the manifest "team/third"'],
    ]);
  });

  it('a caller who may not see the other manifest does not learn which one has it', async () => {
    const { deps } = apiUnderTest({ KUBELOOM_ADMINS: 'user:root' });
    await bindRoles(deps, 'team', { operator: 'olga' });
    expect(await put(deps, serving('secret', {}, 'others'), as('root'), 'others')).toMatchObject({ status: 202 });
    expect(await put(deps, serving('mine'), as('olga'))).toMatchObject(
      taken('k8s.example.com', 'one that you may not see'),
    );
  });

  it('a proposal that waited is refused when another manifest took its name meanwhile', async () => {
    const pipeline = new Pipeline({ KUBELOOM_ADMINS: 'user:root', KUBELOOM_BUDGETS: 'team=1USD' });
    const { deps } = pipeline;
    await bindRoles(deps, 'team', { operator: 'olga', approver: 'anna' });
    const proposed = await put(deps, serving('waits'), as('olga'));
    expect(proposed).toMatchObject({ status: 409, json: { code: 'ApprovalRequired' } });
    expect(await put(deps, serving('faster', {}, 'free'), as('root'), 'free')).toMatchObject({ status: 202 });
    const [waiting] = await deps.waitingPlans.list({ namespace: 'team' });
    const path = '/v1/manifests/team/waits/approve';
    const approved = await callApi(deps, 'POST', path, { body: { plan: waiting?.id }, ...as('anna') });
    expect(approved).toMatchObject(taken('k8s.example.com', 'one that you may not see'));
    expect(await deps.manifests.get({ namespace: 'team', name: 'waits' })).toBeUndefined();
  });
});

describe('a name that becomes free', () => {
  it('a manifest that was deleted, or that has another name by now, leaves its name to others', async () => {
    const pipeline = new Pipeline();
    const { deps } = pipeline;
    await put(deps, serving('first', { alternativeNames: ['www'] }));
    await pipeline.settle();
    await put(deps, serving('first'));
    expect(await put(deps, serving('second', { hostname: 'www' }))).toMatchObject(
      taken('www.example.com', 'team/first'),
    );
    await pipeline.settle();
    expect(await put(deps, serving('second', { hostname: 'www' }))).toMatchObject({ status: 202 });
    await callApi(deps, 'DELETE', '/v1/manifests/team/first', {});
    expect(await put(deps, serving('third'))).toMatchObject(taken('k8s.example.com', 'team/first'));
    await pipeline.settle();
    expect(await put(deps, serving('third'))).toMatchObject({ status: 202 });
  });

  it('a name that the document no longer says, and the load balancer keeps, stays with its manifest', async () => {
    const pipeline = new Pipeline();
    const { deps } = pipeline;
    await put(deps, serving('first'));
    await pipeline.settle();
    await put(deps, serving('first', { hostname: undefined }));
    await pipeline.settle();
    const [record] = await deps.clusters.list({ namespace: 'team', name: 'first' });
    expect(record?.current?.loadBalancers[0]?.dns.hostname).toBe('k8s');
    expect(await put(deps, serving('second'))).toMatchObject(taken('k8s.example.com', 'team/first'));
    await put(deps, serving('first', { hostname: 'new' }));
    await pipeline.settle();
    expect(await put(deps, serving('second'))).toMatchObject({ status: 202 });
  });

  it('a rollback to a name that another manifest took meanwhile is refused until that is deleted', async () => {
    const pipeline = new Pipeline();
    const { deps } = pipeline;
    await put(deps, serving('first'));
    await pipeline.settle();
    await put(deps, serving('first', { hostname: 'new' }));
    await pipeline.settle();
    await put(deps, serving('second'));
    await pipeline.settle();
    const rollback = () => callApi(deps, 'POST', '/v1/manifests/team/first/rollback', { body: {} });
    const refused = taken('k8s.example.com', 'team/second');
    expect(await rollback()).toMatchObject(refused);
    await callApi(deps, 'DELETE', '/v1/manifests/team/second', {});
    expect(await rollback()).toMatchObject(refused);
    expect(await deps.manifests.head({ namespace: 'team', name: 'first' })).toMatchObject({
      generation: 2,
      status: 'Done',
    });
    await pipeline.settle();
    expect(await rollback()).toMatchObject({ status: 202 });
  });

  it('a change that failed keeps both names, and its retry needs neither again', async () => {
    const pipeline = new Pipeline();
    const { deps } = pipeline;
    await put(deps, serving('first'));
    await pipeline.settle();
    pipeline.runner.trouble('infrastructure', 'quota', { times: 100 });
    await put(deps, serving('first', { hostname: 'new' }));
    await pipeline.settle();
    for (const name of ['k8s', 'new'])
      expect(await put(deps, serving('second', { hostname: name }))).toMatchObject(
        taken(`${name}.example.com`, 'team/first'),
      );
    expect(await callApi(deps, 'POST', '/v1/manifests/team/first/retry', { body: {} })).toMatchObject({ status: 202 });
    await pipeline.settle();
    expect(await put(deps, serving('first'))).toMatchObject({ status: 202 });
  });
});

describe('many names', () => {
  let dynamo: LocalDynamoDb;
  let client: DynamoDBDocumentClient;
  beforeAll(async () => {
    dynamo = await startDynamoDb({ directory: undefined, port: 0 });
    await ensureTable(dynamo.url, 'names', tableSchema);
    const options = { marshallOptions: { removeUndefinedValues: true } };
    client = DynamoDBDocumentClient.from(new DynamoDBClient(at(dynamo.url)), options);
  });
  afterAll(async () => {
    client.destroy();
    await dynamo.close();
  });

  const stores = {
    'in memory': () => ({}),
    'in DynamoDB': (): Partial<FakeDeps> => {
      const table = new DynamoTable(client, 'names');
      const { artifacts } = apiUnderTest().deps;
      const large = new LargeDocuments(artifacts);
      const manifests = new DynamoManifests(table, large);
      return {
        artifacts,
        manifests,
        clusters: new DynamoClusters(table, large),
        budgets: new DynamoBudgets(table, manifests),
      };
    },
  };

  it.each(['in memory', 'in DynamoDB'] as const)(
    'a document has at most 90 of them, also one that replaces 90 others, and a longer one is refused with the number, %s',
    async (kind) => {
      const { deps } = apiUnderTest({ KUBELOOM_BUDGETS: '*=900USD,team=900USD' }, stores[kind]());
      const many = (count: number, prefix: string) =>
        serving('many', {
          hostname: 'many',
          alternativeNames: Array.from({ length: count - 1 }, (_, n) => `${prefix}${n}`),
        });
      const refused = {
        status: 422,
        json: {
          faults: [
            {
              path: 'spec.loadBalancers.clusters',
              reason: 'the load balancers have 91 DNS names together, at most 90 are possible in one manifest',
            },
          ],
        },
      };
      expect(await put(deps, many(91, 'a'))).toMatchObject(refused);
      expect(await put(deps, many(90, 'a'))).toMatchObject({ status: 202 });
      // The twelfth generation also removes the document of the first.
      for (let generation = 2; generation <= 12; generation += 1)
        expect(await put(deps, many(90, `b${generation}-`))).toMatchObject({ status: 202 });
      expect(await put(deps, many(91, 'c'))).toMatchObject(refused);
      expect(await deps.manifests.head({ namespace: 'team', name: 'many' })).toMatchObject({ generation: 12 });
    },
  );

  it.each(['in memory', 'in DynamoDB'] as const)(
    'one of a hundred manifests that claim a name at once has it, and all others are refused with its owner, %s',
    async (kind) => {
      const { deps } = apiUnderTest({}, stores[kind]());
      const bodies = Array.from({ length: 100 }, (_, n) => serving(`m${n}`, n % 2 ? {} : { hostname: 'K8s' }));
      const answers: Answer[] = await Promise.all(bodies.map((body) => put(deps, body)));
      const winners = bodies.filter((_, n) => answers[n]?.status === 202);
      expect(winners).toHaveLength(1);
      const owner = `team/${winners[0]?.metadata.name}`;
      for (const one of answers) if (one.status !== 202) expect(one).toMatchObject(taken('k8s.example.com', owner));
    },
  );
});
