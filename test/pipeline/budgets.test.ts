/** Budgets of a namespace and of the installation: what goes beyond them waits for an approval, and runs once it is given. */
import { describe, expect, it } from 'vitest';
import type { ManifestRecord } from '#contracts/records.ts';
import { PipelineError } from '#domain/errors.ts';
import { type Answer, as, bindRoles, callApi } from '#test/api/api-under-test.ts';
import { aManifest } from '#test/api/documents.ts';
import { manifestOf } from './harness/manifests.ts';
import { Pipeline } from './harness/pipeline.ts';

const operator = as('olga');
const approver = as('anna');

/** Machines of the simulation cost $5 a month where they are `small`; there is one more for the control plane. */
const workers = (count: number) => manifestOf([{ compute: { work: count } }]);

async function withBudgets(budgets: string, environment: Readonly<Record<string, string>> = {}): Promise<Pipeline> {
  const pipeline = new Pipeline({ KUBELOOM_ADMINS: 'user:root', KUBELOOM_BUDGETS: budgets, ...environment });
  await bindRoles(pipeline.deps, 'team', { operator: 'olga', approver: 'anna' });
  return pipeline;
}

const put = (pipeline: Pipeline, body: unknown, headers = {}): Promise<Answer> =>
  pipeline.call('', { method: 'PUT', body, headers, ...operator });
const planned = async (pipeline: Pipeline, body?: unknown): Promise<Record<string, unknown>> =>
  (await pipeline.call('/plan', { ...(body !== undefined && { body }), ...operator })).json;
const refused = { status: 409, json: { code: 'ApprovalRequired' } } as const;

/** Another manifest whose 3 machines exist. */
async function another(pipeline: Pipeline, namespace: string, name: string): Promise<void> {
  const body = aManifest({ namespace, name });
  const answer = await callApi(pipeline.deps, 'PUT', `/v1/manifests/${namespace}/${name}`, { body, ...as('root') });
  expect(answer.status).toBe(202);
  await pipeline.settle();
}

describe('a plan beyond the budget of its namespace', () => {
  it('a plan beyond the budget waits as proposed with nothing started, and runs once an approver approves it', async () => {
    const pipeline = await withBudgets('team=20USD');
    expect(await put(pipeline, workers(3))).toMatchObject({ status: 202 });
    await pipeline.settle();
    const answer = await put(pipeline, workers(4));
    expect(answer).toMatchObject(refused);
    expect(answer.json.detail).toContain('budget of namespace team: $25.00 a month, $5.00 beyond $20.00');
    await pipeline.settle();
    expect(await pipeline.nodes()).toHaveLength(4);
    const { plan } = answer.json.details as { readonly plan: string };
    expect(await pipeline.call('/approve', { body: { plan }, ...operator })).toMatchObject({ status: 403 });
    expect(await pipeline.call('/approve', { body: { plan }, ...approver })).toMatchObject({ status: 202 });
    await pipeline.settle();
    expect(await pipeline.nodes()).toHaveLength(5);
    expect(await pipeline.manifest()).toMatchObject({ status: 'Done', generation: 2 });
  });

  it('a plan beyond the budget changes nothing without an approval, and a plan within the budget is carried out', async () => {
    const pipeline = await withBudgets('team=20USD');
    await put(pipeline, workers(2));
    await pipeline.settle();
    expect(await put(pipeline, workers(9))).toMatchObject(refused);
    expect(await pipeline.manifest()).toMatchObject({ generation: 1, status: 'Done' });
    expect(await put(pipeline, workers(3))).toMatchObject({ status: 202 });
    await pipeline.settle();
    expect(await pipeline.nodes()).toHaveLength(4);
  });

  it('a plan shows its budget before anyone applies it, also when its id is applied', async () => {
    const pipeline = await withBudgets('team=20USD,other=1USD');
    expect(await planned(pipeline, workers(3))).toMatchObject({
      needsApproval: false,
      budgets: [
        {
          of: 'team',
          needsApproval: false,
          notKnown: { before: 0, after: 0 },
          amounts: [{ currency: 'USD', amount: 20, before: 0, after: 20 }],
        },
      ],
    });
    const beyond = await planned(pipeline, workers(4));
    expect(beyond).toMatchObject({ needsApproval: true, budgets: [{ needsApproval: true }] });
    expect(await put(pipeline, workers(4), { 'kubeloom-plan': String(beyond.id) })).toMatchObject(refused);
  });

  it('a deletion and a smaller cluster need no approval, however far beyond the budget all is', async () => {
    const pipeline = await withBudgets('team=1USD');
    await pipeline.apply(workers(4));
    expect(await put(pipeline, workers(3))).toMatchObject({ status: 202 });
    await pipeline.settle();
    expect(await put(pipeline, workers(4))).toMatchObject(refused);
    expect(await pipeline.call('', { method: 'DELETE', ...operator })).toMatchObject({ status: 202 });
  });
});

describe('what counts', () => {
  it('machines of the other manifests of the namespace count, those of other namespaces do not', async () => {
    const pipeline = await withBudgets('team=30USD');
    await another(pipeline, 'team', 'first');
    await another(pipeline, 'elsewhere', 'second');
    expect(await planned(pipeline, workers(2))).toMatchObject({
      budgets: [{ amounts: [{ before: 15, after: 30 }], needsApproval: false }],
    });
    expect(await put(pipeline, workers(3))).toMatchObject(refused);
  });

  it('machines of all namespaces count for the budget of the installation', async () => {
    const pipeline = await withBudgets('team=100USD,*=40USD');
    await another(pipeline, 'team', 'first');
    await another(pipeline, 'elsewhere', 'second');
    const { budgets } = await planned(pipeline, workers(2));
    expect(budgets).toMatchObject([
      { of: 'team', amounts: [{ before: 15, after: 30 }], needsApproval: false },
      { of: '*', amounts: [{ before: 30, after: 45 }], needsApproval: true },
    ]);
    expect(await put(pipeline, workers(2))).toMatchObject(refused);
  });

  it('a waypoint in progress of another manifest counts as reached', async () => {
    const pipeline = await withBudgets('team=30USD');
    const body = aManifest({ namespace: 'team', name: 'first' });
    await callApi(pipeline.deps, 'PUT', '/v1/manifests/team/first', { body, ...as('root') });
    let seen: unknown;
    pipeline.before.set('commit-waypoint', async () => {
      seen ??= (await planned(pipeline, workers(2))).budgets;
    });
    await pipeline.settle();
    expect(seen).toMatchObject([{ amounts: [{ before: 15, after: 30 }] }]);
  });

  it('a machine without a known price needs an approval when a plan adds it, and is named in the plan', async () => {
    const pipeline = await withBudgets('team=100USD');
    const document = workers(2);
    const [first, ...others] = document.spec.nodePools.dynamic;
    const odd = { ...first, serverType: 'enormous' };
    const { spec } = document;
    const changed = { ...document, spec: { ...spec, nodePools: { ...spec.nodePools, dynamic: [odd, ...others] } } };
    expect(await put(pipeline, changed)).toMatchObject(refused);
    expect(await planned(pipeline, changed)).toMatchObject({
      budgets: [{ notKnown: { before: 0, after: 1 }, needsApproval: true, text: expect.stringContaining('at least') }],
    });
  });

  it('a manifest that cannot be read is counted as not known, and hides no budget', async () => {
    const pipeline = await withBudgets('team=100USD');
    await another(pipeline, 'team', 'first');
    // As an older release stored it: its head does not say what it costs.
    const { manifests } = pipeline.deps;
    const { acceptedCost: _, ...first } = (await manifests.get({ namespace: 'team', name: 'first' })) as ManifestRecord;
    await manifests.replace(first, first);
    const list = pipeline.deps.clusters.list.bind(pipeline.deps.clusters);
    pipeline.deps.clusters.list = async (key) => {
      if (key.name === 'first') throw new PipelineError('Unreadable', 'the record of the cluster cannot be read');
      return list(key);
    };
    expect(await planned(pipeline, workers(2))).toMatchObject({
      budgets: [{ amounts: [{ before: 0, after: 15 }], notKnown: { before: 1, after: 1 }, needsApproval: false }],
    });
  });
});
