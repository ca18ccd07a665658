/** Machine groups in the pipeline: from a check that finds an unhealthy or lost machine to its replacement, or to the reason why not. */
import { describe, expect, it, vi } from 'vitest';
import { readObjects } from '#documents/read-objects.ts';
import type { NodeObservation } from '#domain/drift.ts';
import { validateMachineGroups } from '#domain/manifest/groups/validate-machine-groups.ts';
import { startRun, storeNext } from '#functions/pipeline/manifests/next-generation.ts';
import { makingNow, nextRecord } from '#functions/pipeline/records/next-record.ts';
import { aTemplateReference } from '#test/api/documents.ts';
import { groupsWith, leaf } from '#test/machine-groups/groups.ts';
import { key, Pipeline } from './harness/pipeline.ts';
import { eventsOf, pass } from './harness/time.ts';

const health = [{ http: { port: 80 } }];
const repair = { onUnhealthy: 'replace', after: '10m', startAfter: '20m' };
const driftChecks = { interval: '30m' };

function documentOf(web: object, spec: object = { driftChecks }): unknown {
  const document = groupsWith({ web: { ...leaf, size: 6, health, ...web } }, spec, 'web');
  const verdict = validateMachineGroups(
    { ...document, metadata: { name: 'shop', namespace: 'team' } },
    { readObjects },
  );
  if (verdict.document === undefined) throw new Error(JSON.stringify(verdict.faults));
  return verdict.document;
}

async function existing(web: object = { repair }): Promise<Pipeline> {
  const pipeline = new Pipeline();
  await pipeline.apply(documentOf(web));
  expect(await pipeline.manifest()).toMatchObject({ status: 'Done' });
  return pipeline;
}

async function set(pipeline: Pipeline, count: number, state: NodeObservation['health']): Promise<readonly string[]> {
  const some = (await pipeline.nodes('shop')).slice(0, count);
  for (const name of some) pipeline.runner.health.set(name, state);
  return some;
}

describe('machines of a group', () => {
  it.each([
    ['KA-9: one whose health check fails', 'unhealthy', 'unhealthy for'],
    ['KA-10: one that is gone', 'gone', 'its machine is gone'],
  ] as const)('%s is replaced once, and the group keeps its size', async (_what, state, because) => {
    const pipeline = await existing();
    const [bad = ''] = await set(pipeline, 1, state);
    await pass(pipeline, 35);
    expect(await pipeline.nodes('shop')).toContain(bad);
    await pass(pipeline, 15);
    const after = await pipeline.nodes('shop');
    expect(after).toHaveLength(6);
    expect(after).not.toContain(bad);
    expect(await eventsOf(pipeline, 'NodeReplaced')).toEqual([
      expect.stringContaining(`${bad} is replaced: ${because}`),
    ]);
    await pass(pipeline, 120);
    expect(await pipeline.nodes('shop')).toEqual(after);
  });

  it('KA-9, hazard 5: machines whose health is unknown are never replaced', async () => {
    const pipeline = await existing();
    const before = await pipeline.nodes('shop');
    await set(pipeline, 6, 'unknown');
    await pass(pipeline, 4 * 60);
    expect(await pipeline.nodes('shop')).toEqual(before);
    expect(await eventsOf(pipeline, 'NodeReplaced')).toEqual([]);
  });

  it('hazard 5: a region whose machines fail all at once is an outage: it is named, and nothing is replaced', async () => {
    const pipeline = await existing();
    const before = await pipeline.nodes('shop');
    await set(pipeline, 6, 'unhealthy');
    await pass(pipeline, 180);
    expect(await pipeline.nodes('shop')).toEqual(before);
    expect(await eventsOf(pipeline, 'OutageSuspected')).toEqual([
      '6 of 6 nodes of sim-1 in r are down at once: that is an outage, and new machines would not help; nothing is replaced',
    ]);
  });

  it('hazard 1: a run that is interrupted after machines were created makes none of them twice, and removes none', async () => {
    const pipeline = new Pipeline();
    pipeline.runner.trouble('configuration', () => pipeline.machines.abortAll());
    await pipeline.submit(documentOf({ repair }));
    expect((await pipeline.settle()).map(({ status }) => status)).toEqual(['ABORTED', 'SUCCEEDED']);
    await pass(pipeline, 120);
    const ever = pipeline.runner.documents.flatMap(({ target }) =>
      (target?.pools ?? []).flatMap(({ nodes }) => nodes.map(({ name }) => name)),
    );
    expect([...new Set(ever)].sort()).toEqual(await pipeline.nodes('shop'));
    expect(new Set(ever).size).toBe(6);
  });

  it.each(['nothing', 'a fault'])(
    'hazard 2: while the store of clusters answers with %s, no machine is removed',
    async (answer) => {
      const pipeline = await existing();
      const before = await pipeline.nodes('shop');
      const { clusters } = pipeline.deps;
      const none = async () => {
        if (answer === 'a fault') throw new Error('the table is throttled');
        return [];
      };
      const spies = [
        vi.spyOn(clusters, 'list').mockImplementation(none),
        vi.spyOn(clusters, 'each').mockImplementation(async function* () {
          yield* await none();
        }),
      ];
      await pipeline.submit(documentOf({ repair, size: 7 }));
      await pipeline.settle();
      // A tick that cannot read the clusters of a run that broke fails, and does nothing about it.
      for (let ticks = 0; ticks < 12; ticks++) await pass(pipeline, 5).catch(() => undefined);
      for (const spy of spies) spy.mockRestore();
      await pass(pipeline, 120);
      expect(await pipeline.nodes('shop')).toEqual(expect.arrayContaining([...before]));
      expect(pipeline.runner.documents.map(({ direction }) => direction)).not.toContain('shrink');
      expect(pipeline.runner.documents.map(({ direction }) => direction)).not.toContain('destroy');
    },
  );

  it('hazard 3: a new machine that the first check does not see is not made a second time', async () => {
    const pipeline = await existing({ repair: { ...repair, startAfter: '5m' } });
    const before = await pipeline.nodes('shop');
    await set(pipeline, 1, 'gone');
    await pass(pipeline, 35);
    pipeline.runner.health.clear();
    await pass(pipeline, 120);
    expect(await pipeline.nodes('shop')).toEqual(before);
    expect(await eventsOf(pipeline, 'NodeReplaced')).toEqual([]);
  });

  it('hazard 4: a failed check is reported, and never creates or removes a machine', async () => {
    const pipeline = await existing();
    const before = await pipeline.nodes('shop');
    await set(pipeline, 1, 'gone');
    pipeline.runner.trouble('drift', 'kill', { times: 100 });
    await pass(pipeline, 180);
    expect(await pipeline.nodes('shop')).toEqual(before);
    expect(await eventsOf(pipeline, 'NodeReplaced')).toEqual([]);
    expect(await eventsOf(pipeline, 'DriftCheckFailed')).not.toEqual([]);
  });

  it('hazard 6: of a group that gets smaller the unhealthy machine leaves, and not the last one', async () => {
    const pipeline = await existing({});
    const [bad = '', ...others] = await pipeline.nodes('shop');
    await set(pipeline, 1, 'unhealthy');
    await pass(pipeline, 35);
    await pipeline.apply(documentOf({ size: 5 }));
    expect(await pipeline.nodes('shop')).toEqual(others);
    await pipeline.apply(documentOf({ size: 4 }));
    expect(await pipeline.nodes('shop')).toEqual(others.slice(0, 4));
    expect(others).not.toContain(bad);
  });

  it('hazard 6: a plan that makes a group smaller is refused when other machines are unhealthy than when it was shown', async () => {
    const pipeline = await existing({});
    const [, second = ''] = await pipeline.nodes('shop');
    const before = await pipeline.nodes('shop');
    await set(pipeline, 1, 'unhealthy');
    await pass(pipeline, 35);
    const plan = async (size: number): Promise<string> =>
      String((await pipeline.call('/plan', { body: documentOf({ size }) })).json.id);
    const apply = (id: string, size: number) =>
      pipeline.call('', { method: 'PUT', body: documentOf({ size }), headers: { 'kubeloom-plan': id } });
    const [smaller, larger] = [await plan(5), await plan(7)];
    pipeline.runner.health.clear();
    pipeline.runner.health.set(second, 'unhealthy');
    await pass(pipeline, 35);
    expect(await apply(smaller, 5)).toMatchObject({
      status: 409,
      json: { code: 'PlanMoved', detail: expect.stringContaining('other machines are unhealthy') },
    });
    expect(await pipeline.nodes('shop')).toEqual(before);
    // A group that grows removes nothing.
    expect(await apply(larger, 7)).toMatchObject({ status: 202 });
  });

  it('hazard 7: of two executions for one document the second changes nothing', async () => {
    const pipeline = await existing();
    const before = await pipeline.nodes('shop');
    const term = {
      now: '2026-11-20T12:00:00.000Z',
      dueAt: '2026-11-20T12:30:00.000Z',
      expiresAt: '2026-11-20T13:00:00.000Z',
    };
    const owner = { namespace: 'team', name: 'shop' };
    await pipeline.submit(documentOf({ repair, size: 9 }));
    await pipeline.deps.manifests.takeLease(owner, 'someone', term);
    await pipeline.settle();
    expect(pipeline.machines.entered.at(-1)).toBe('reconcile-manifest/Left To The Running Run');
    expect(await pipeline.nodes('shop')).toEqual(before);
  });

  it('hazard 9: a branch of templates that moves between two checks changes no machine, and a replacement has the commit that was pinned', async () => {
    const version = (commit: string): string => `git:github.com/team/templates@${commit.repeat(40)}#templates`;
    const pipeline = new Pipeline();
    await pipeline.deps.templateReferences.put('team', 'own', aTemplateReference('own'));
    Object.assign(pipeline.deps, { templateSources: { resolve: async () => ({ commit: 'b'.repeat(40) }) } });
    const providers = [{ name: 'sim-1', providerType: 'sim', templatesRef: { name: 'own' } }];
    const stored = nextRecord(makingNow(pipeline.deps), key, undefined, {
      document: documentOf({ repair }, { driftChecks, providers }),
      deleting: false,
      again: false,
      templates: { templates: { 'sim-1': version('a') } },
    });
    await storeNext(pipeline.deps, undefined, stored);
    await startRun(pipeline.deps, stored, 'submitted');
    await pipeline.settle();
    const before = await pipeline.nodes('shop');
    await pass(pipeline, 60);
    expect(await pipeline.nodes('shop')).toEqual(before);
    expect(await eventsOf(pipeline, 'TemplatesMoved')).toHaveLength(1);
    await set(pipeline, 1, 'gone');
    await pass(pipeline, 60);
    expect(await pipeline.nodes('shop')).not.toEqual(before);
    const used = pipeline.runner.documents.flatMap(({ target }) =>
      (target?.pools ?? []).map(({ source }) => (source.kind === 'dynamic' ? source.provider.templates : '')),
    );
    expect(new Set(used)).toEqual(new Set([version('a')]));
  });

  it('an unhealthy machine of a group without repair is reported with what fails, and kept', async () => {
    const pipeline = await existing({});
    const before = await pipeline.nodes('shop');
    const [bad = ''] = await set(pipeline, 1, 'unhealthy');
    await pass(pipeline, 120);
    expect(await pipeline.nodes('shop')).toEqual(before);
    expect(await eventsOf(pipeline, 'RepairRefused')).toEqual([
      `${bad} is not replaced: the manifest says to report only`,
    ]);
    const { json } = await pipeline.call('', { method: 'GET' });
    const rows = (json.clusters as { nodes: { name: string; status: string; health?: { state: string } }[] }[])[0]
      ?.nodes;
    expect(rows?.find(({ name }) => name === bad)).toMatchObject({
      status: 'Unhealthy',
      health: { state: 'unhealthy' },
    });
    expect(rows?.filter(({ status }) => status === 'Ready').map((row) => row.health?.state)).toEqual(
      Array.from({ length: 5 }, () => 'healthy'),
    );
  });

  it.each([
    ['surge', 1],
    ['surge', 3],
    ['replace', 1],
    ['replace', 3],
  ])('a changed image with update: %s replaces the machines of a group of %i', async (update, size) => {
    const pipeline = await existing({ update, size });
    const before = await pipeline.nodes('shop');
    await pipeline.apply(documentOf({ update, size, image: 'other' }));
    expect(await pipeline.manifest()).toMatchObject({ status: 'Done' });
    const after = await pipeline.nodes('shop');
    expect(after).toHaveLength(size);
    expect(after.filter((name) => before.includes(name))).toEqual([]);
  });

  it('a changed server type with update: inPlace keeps the machines, and each round is a waypoint of the run', async () => {
    const update = { update: 'inPlace', maxUnavailable: 2, size: 5 };
    const pipeline = await existing(update);
    const before = await pipeline.nodes('shop');
    await pipeline.apply(documentOf({ ...update, serverType: 'u' }));
    expect(await pipeline.manifest()).toMatchObject({ status: 'Done' });
    expect(await pipeline.nodes('shop')).toEqual(before);
    expect((await eventsOf(pipeline, 'WaypointReached')).length).toBeGreaterThanOrEqual(3);
  });

  it.each([
    ['10m', 33.7, 9.07],
    ['6h', 0.94, 0.25],
    ['off', 0, 0],
  ])('a plan says what health checks every %s cost a month in AWS', async (interval, container, lambda) => {
    const pipeline = new Pipeline();
    const { json } = await pipeline.call('/plan', { body: documentOf({}, { driftChecks: { interval } }) });
    expect(json.healthChecks).toEqual({ interval, machines: 6, dollarsOfMonth: { container, lambda } });
  });

  it('a plan says what the machines cost a month before and after it, a deletion what it saves, and one that is refused nothing', async () => {
    const pipeline = await existing({ serverType: 'small' });
    const grown = documentOf({ serverType: 'small', size: 8 });
    const costOf = async (query: string, call = {}) => (await pipeline.call(`/plan${query}`, call)).json.costOfMonth;
    const dollars = (amount: number) => [{ currency: 'USD', amount }];
    const lists = [expect.objectContaining({ provider: 'sim', source: 'simulated' })];
    expect(await costOf('', { body: grown })).toMatchObject({
      before: dollars(30),
      after: dollars(40),
      difference: dollars(10),
      lists,
      machines: [{ cluster: 'shop', pool: 'web', serverType: 'small', before: 6, after: 8 }],
    });
    expect(await costOf('?delete=true')).toMatchObject({ before: dollars(30), after: dollars(0) });
    expect(await costOf('?delete=true&orphan=all')).toMatchObject({ after: dollars(30) });
    const other = documentOf({ serverType: 'large', update: 'refuse' });
    expect(await costOf('', { body: other })).toBeUndefined();
    const [node = ''] = await pipeline.nodes('shop');
    expect(await costOf(`?delete=true&orphan=${node}`)).toMatchObject({ after: dollars(5) });
  });
});
