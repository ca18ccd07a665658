/** Runs in which every tool does its work: create, change, delete, and how many state transitions that costs. */
import { describe, expect, it } from 'vitest';
import { WaypointDocument, waypointKeys } from '#contracts/stage.ts';
import { manifestOf } from './harness/manifests.ts';
import { key, Pipeline } from './harness/pipeline.ts';

describe('manifests whose stages all succeed', () => {
  it('a manifest is created stage by stage and ends Done', async () => {
    const pipeline = new Pipeline();
    const outcome = await pipeline.apply(manifestOf());
    expect(outcome).toEqual({ status: 'SUCCEEDED' });
    expect(pipeline.runner.ran).toEqual(['infrastructure', 'configuration', 'kubernetes', 'nodes']);
    expect(await pipeline.nodes()).toHaveLength(3);
    expect(await pipeline.manifest()).toMatchObject({ status: 'Done', lease: null });
    expect(await pipeline.cluster()).toMatchObject({
      status: 'Converged',
      attempted: null,
      failure: null,
      progress: { waypoint: 1, waypoints: 1, step: 4, steps: 4 },
    });
    const [run] = await pipeline.runs();
    expect(run).toMatchObject({ status: 'Succeeded', reason: 'submitted' });
    expect(Object.values(run?.clusters ?? {})).toEqual([{ status: 'Converged', message: 'in the desired state' }]);
  });

  it('the create of one cluster costs at most 45 state transitions over all executions', async () => {
    const pipeline = new Pipeline();
    await pipeline.apply(manifestOf());
    expect(pipeline.machines.entered.length).toBeLessThanOrEqual(45);
    const perStage = pipeline.machines.entered.filter((state) => state.startsWith('run-stage/'));
    // Four stages with work; the fifth is passed by its question in the parent.
    expect(perStage).toHaveLength(4 * 5);
    expect(pipeline.machines.entered).toContain('reconcile-cluster/Traffic To Direct?');
    expect(pipeline.machines.entered.filter((state) => state.startsWith('reconcile-cluster/'))).toHaveLength(15);
    expect(pipeline.machines.entered.filter((state) => state.startsWith('reconcile-manifest/'))).toHaveLength(9);
  });

  it('creating a cluster with a load balancer does not need more state transitions than the limit', async () => {
    const pipeline = new Pipeline();
    await pipeline.apply(manifestOf([{ balanced: true }]));
    expect((await pipeline.cluster()).status).toBe('Converged');
    expect(pipeline.machines.entered.length).toBeLessThanOrEqual(45);
  });

  it('the facts that runners report about nodes are kept', async () => {
    const pipeline = new Pipeline();
    await pipeline.apply(manifestOf());
    const { facts } = await pipeline.cluster();
    expect(Object.keys(facts.nodes).sort()).toEqual(await pipeline.nodes());
    expect(facts.kubeconfigKey).toMatch(/^kubeconfigs\/team\/shop\/web-/);
    expect(Object.values(facts.nodes).map(({ joined }) => joined)).toEqual([true, true, true]);
  });

  it('a manifest that did not change runs no tool and no cluster execution', async () => {
    const pipeline = new Pipeline();
    await pipeline.apply(manifestOf());
    const before = await pipeline.cluster();
    pipeline.machines.entered.length = 0;
    pipeline.runner.ran.length = 0;
    await pipeline.apply(manifestOf());
    expect(pipeline.runner.ran).toEqual([]);
    expect(pipeline.machines.entered).not.toContain('reconcile-manifest/Reconcile Clusters');
    expect(await pipeline.cluster()).toEqual(before);
    expect(await pipeline.manifest()).toMatchObject({ status: 'Done', generation: 2 });
  });

  it('a grow by a pool does not change existing nodes', async () => {
    const pipeline = new Pipeline();
    await pipeline.apply(manifestOf());
    const before = await pipeline.nodes();
    await pipeline.apply(manifestOf([{ compute: { work: 2, more: 3 } }]));
    const after = await pipeline.nodes();
    expect(after).toHaveLength(6);
    expect(after).toEqual(expect.arrayContaining([...before]));
    const { progress } = await pipeline.cluster();
    expect(progress?.nodes.filter(({ part }) => part === 'joins')).toHaveLength(3);
    expect(progress?.nodes.filter(({ part }) => part === 'stays')).toHaveLength(3);
  });

  it('a shrink visits traffic and nodes first, machines last, and forgets removed nodes', async () => {
    const pipeline = new Pipeline();
    await pipeline.apply(manifestOf([{ compute: { work: 3, more: 1 } }]));
    pipeline.runner.ran.length = 0;
    await pipeline.apply(manifestOf([{ compute: { work: 2 } }]));
    expect(pipeline.runner.ran[0]).toBe('nodes');
    expect(pipeline.runner.ran.at(-1)).toBe('infrastructure');
    const { facts, status } = await pipeline.cluster();
    expect(status).toBe('Converged');
    expect(Object.keys(facts.nodes).sort()).toEqual(await pipeline.nodes());
    expect(await pipeline.nodes()).toHaveLength(3);
  });

  it('a path of several waypoints is planned again from the current state at each one', async () => {
    const pipeline = new Pipeline();
    await pipeline.apply(manifestOf([{ compute: { work: 2 } }]));
    await pipeline.apply(manifestOf([{ compute: { other: 2 }, labels: { tier: 'b' } }]));
    const events = (await pipeline.events()).filter(({ runId }) => runId.endsWith('-g2-a1'));
    expect(events.filter(({ kind }) => kind === 'PlanMade')).toHaveLength(1);
    expect(events.filter(({ kind }) => kind === 'WaypointReached').length).toBeGreaterThanOrEqual(2);
    const { progress, status } = await pipeline.cluster();
    expect(status).toBe('Converged');
    expect(progress?.waypoint).toBe(progress?.waypoints);
    expect(progress?.step).toBe(progress?.steps);
  });

  it('a deleted manifest leaves no node, no record and no kubeconfig', async () => {
    const pipeline = new Pipeline();
    await pipeline.apply(manifestOf());
    await pipeline.submit((await pipeline.manifest()).document, true);
    const [outcome] = await pipeline.settle();
    expect(outcome).toEqual({ status: 'SUCCEEDED' });
    expect(await pipeline.nodes()).toEqual([]);
    expect(await pipeline.clusters()).toEqual([]);
    expect(await pipeline.deps.manifests.get(key)).toBeUndefined();
    expect(await pipeline.deps.artifacts.list('kubeconfigs/')).toEqual([]);
    expect((await pipeline.runs())[0]).toMatchObject({ status: 'Succeeded' });
  });

  it('a cluster that the manifest no longer has is deleted, and the others are kept', async () => {
    const pipeline = new Pipeline();
    await pipeline.apply(manifestOf([{ name: 'web' }, { name: 'data' }]));
    await pipeline.apply(manifestOf([{ name: 'web' }]));
    expect(await pipeline.nodes('data')).toEqual([]);
    expect((await pipeline.clusters()).map(({ status }) => status)).toEqual(['Converged']);
    expect(await pipeline.nodes('web')).toHaveLength(3);
  });

  it('each waypoint document has the state before and the target, and no prefix is reused', async () => {
    const pipeline = new Pipeline();
    await pipeline.apply(manifestOf());
    await pipeline.apply(manifestOf([{ compute: { other: 1 } }]));
    const keys = (await pipeline.deps.artifacts.list('runs/')).map((artifact) => artifact.key);
    const documents = keys.filter((path) => path.endsWith('/waypoint.json'));
    expect(new Set(documents).size).toBe(documents.length);
    const last = documents.filter((path) => path.includes('-g2-a1/')).sort();
    expect(last[0]).toMatch(/^runs\/team\/shop\/shop-a0001-g2-a1\/web-a\d+\/w00\/waypoint\.json$/);
    const text = await pipeline.deps.artifacts.getText(
      waypointKeys.document(String(last[0]).replace('/waypoint.json', '')),
    );
    expect(WaypointDocument.parse(JSON.parse(text ?? ''))).toMatchObject({
      index: 0,
      direction: 'grow',
      generation: 2,
    });
  });

  it('the payload between states is at most 8 KB and holds nothing of the manifest', async () => {
    const pipeline = new Pipeline();
    const sizes: number[] = [];
    const invoke = pipeline.invoke.bind(pipeline);
    pipeline.invoke = async (name, input) => {
      const output = await invoke(name, input);
      for (const value of [input, output]) sizes.push(JSON.stringify(value ?? null).length);
      expect(JSON.stringify(input)).not.toContain('serverType');
      return output;
    };
    await pipeline.apply(manifestOf([{ compute: { work: 50 } }]));
    expect(Math.max(...sizes)).toBeLessThan(8192);
    expect((await pipeline.cluster()).status).toBe('Converged');
  });
});
