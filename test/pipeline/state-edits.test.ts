/** An edit of a Terraform state is a run of its own: planned, approved where approvals are on, refused next to another run, and never in the way of what follows. */
import { describe, expect, it } from 'vitest';
import type { StateChange } from '#domain/state-edit.ts';
import { as, bindRoles } from '#test/api/api-under-test.ts';
import { manifestOf } from './harness/manifests.ts';
import { key, Pipeline } from './harness/pipeline.ts';
import { eventsOf, pass } from './harness/time.ts';

const small = manifestOf([{ compute: { work: 2 } }]);
const large = manifestOf([{ compute: { work: 3 } }]);
const approved = { ...small, spec: { ...small.spec, requireApproval: true } };
const workspace = 'machines-sim-1';
const removal: StateChange = { kind: 'rm', addresses: ['module.pool_x.hcloud_server.node["web-01"]'] };

async function existing(document: unknown = small): Promise<Pipeline> {
  const pipeline = new Pipeline();
  await pipeline.apply(document);
  return calm(pipeline);
}

function calm(pipeline: Pipeline): Pipeline {
  pipeline.runner.ran.length = 0;
  pipeline.runner.documents.length = 0;
  return pipeline;
}

const edit = (pipeline: Pipeline, change: StateChange = removal, more: object = {}) =>
  pipeline.call('/clusters/web/state-edits', { body: { workspace, serial: 7, change }, ...more });
const editOf = async (pipeline: Pipeline) => {
  const work = pipeline.runner.documents[0]?.stages[0]?.work;
  const key = work && 'stateEdit' in work ? (work.stateEdit ?? '') : '';
  expect(key.startsWith(pipeline.runner.prefixes.at(-1) ?? '-')).toBe(true);
  return JSON.parse((await pipeline.deps.artifacts.getText(key)) ?? 'null').edit;
};

describe('an edit of a Terraform state', () => {
  it('an edit is one stage of a run of its own, and the cluster is as before', async () => {
    const pipeline = await existing();
    const before = await pipeline.cluster();
    expect((await edit(pipeline)).status).toBe(202);
    expect(await pipeline.settle()).toEqual([{ status: 'SUCCEEDED' }]);
    expect(pipeline.runner.ran).toEqual(['infrastructure']);
    const stateEdit = { workspace, serial: 7, change: removal, by: expect.stringMatching(/ from /) };
    expect(pipeline.runner.documents[0]?.stages).toHaveLength(1);
    expect(await editOf(pipeline)).toEqual(stateEdit);
    const { current, attempted, facts } = before;
    expect(await pipeline.cluster()).toMatchObject({ current, attempted, facts, status: 'Converged', failure: null });
    expect(await pipeline.manifest()).toMatchObject({ status: 'Done', generation: 1, attempt: 1, lease: null });
    const [run] = await pipeline.runs();
    expect(run).toMatchObject({
      status: 'Succeeded',
      reason: `edit of the Terraform state ${workspace}: 1 resource removed`,
    });
    expect(await eventsOf(pipeline, 'StateEditRequested')).toEqual([
      expect.stringContaining(`edit of the Terraform state ${workspace}: 1 resource removed of web requested by `),
    ]);
    const explained = await eventsOf(pipeline, 'PlanExplained');
    expect(explained).toContainEqual(
      expect.stringContaining(`no longer manages ${removal.kind === 'rm' ? removal.addresses[0] : ''}`),
    );
    expect(await eventsOf(pipeline, 'RunSucceeded')).toContain('the Terraform state is edited');
  });

  it('two edits are two edits, and a change afterwards is planned as ever', async () => {
    const pipeline = await existing();
    for (let round = 0; round < 2; round += 1) {
      expect((await edit(pipeline)).status).toBe(202);
      await pipeline.settle();
    }
    expect(pipeline.runner.ran).toEqual(['infrastructure', 'infrastructure']);
    await pipeline.call('/drift', { body: { repair: false } });
    await pipeline.settle();
    expect(pipeline.runner.ran.slice(2)).toEqual(['drift']);
    expect(await pipeline.apply(large)).toMatchObject({ status: 'SUCCEEDED' });
    expect(await pipeline.cluster()).toMatchObject({ status: 'Converged' });
  });

  it('an edit is refused while a run is at work or waits, while it is paused, and of a state that there is not', async () => {
    const pipeline = await existing();
    await pipeline.submit(large);
    const busy = await edit(pipeline);
    expect([busy.status, busy.text]).toEqual([409, expect.stringContaining('a run is in progress')]);
    await pipeline.settle();
    await pipeline.call('/pause');
    expect((await edit(pipeline)).text).toContain('it is paused');
    await pipeline.call('/resume');
    const unknown = await edit(pipeline, removal, {
      body: { workspace: 'machines-sim-2', serial: 7, change: removal },
    });
    expect([unknown.status, unknown.text]).toEqual([400, expect.stringContaining(`did you mean ${workspace}?`)]);
    expect(
      (await pipeline.call('/clusters/other/state-edits', { body: { workspace, serial: 7, change: removal } })).status,
    ).toBe(404);
  });

  it('no run starts next to an edit: what is requested meanwhile follows it', async () => {
    const pipeline = await existing();
    await edit(pipeline);
    const both = [await edit(pipeline), await pipeline.call('/drift', { body: { repair: false } })];
    expect(both.map(({ status }) => status)).toEqual([409, 409]);
    pipeline.runner.trouble('infrastructure', () => pipeline.submit(large).then(() => undefined));
    await pipeline.settle();
    expect(pipeline.runner.documents.map(({ direction }) => direction)[0]).toBe('edit');
    expect(await pipeline.cluster()).toMatchObject({ status: 'Converged' });
    expect(await pipeline.manifest()).toMatchObject({ status: 'Done', generation: 2 });
  });

  it('one of two edits at the same moment is refused', async () => {
    const pipeline = await existing();
    const answers = await Promise.all([edit(pipeline), edit(pipeline)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 409]);
  });

  it('an edit that the runner refuses fails its run, and the cluster and its manifest are as before', async () => {
    const pipeline = await existing();
    pipeline.runner.trouble('infrastructure', 'user');
    await edit(pipeline);
    await pipeline.settle();
    expect((await pipeline.runs())[0]).toMatchObject({ status: 'Failed' });
    expect(await pipeline.cluster()).toMatchObject({ status: 'Converged', failure: { class: 'user' } });
    expect((await eventsOf(pipeline, 'ClusterFailed')).join()).toMatch(/^(?!.*undone)infrastructure of web failed/);
    expect(await pipeline.manifest()).toMatchObject({ status: 'Done', lease: null });
    await edit(pipeline);
    await pipeline.settle();
    expect((await pipeline.runs())[0]).toMatchObject({ status: 'Succeeded' });
    expect(await pipeline.cluster()).toMatchObject({ status: 'Converged', failure: null });
  });

  it('a container that is killed is retried in place, and a run that is killed leaves no lease', async () => {
    const pipeline = await existing();
    pipeline.runner.trouble('infrastructure', 'kill');
    await edit(pipeline);
    await pipeline.settle();
    expect(pipeline.runner.ran).toEqual(['infrastructure', 'infrastructure']);
    expect((await pipeline.runs())[0]).toMatchObject({ status: 'Succeeded' });

    const { current } = await pipeline.cluster();
    calm(pipeline).runner.trouble('infrastructure', () => pipeline.machines.abortAll());
    await edit(pipeline);
    expect((await pipeline.settle()).map(({ status }) => status)).toEqual(['ABORTED', 'SUCCEEDED']);
    expect(await pipeline.manifest()).toMatchObject({ status: 'Done', lease: null });
    expect(await pipeline.cluster()).toMatchObject({ status: 'Converged', current });
    expect(pipeline.runner.ran).toEqual(['infrastructure']);
    expect(await eventsOf(pipeline, 'RunCutOff')).toEqual([
      expect.stringContaining('it was an edit of a Terraform state'),
    ]);
  });

  it('an edit of a manifest that failed leaves it as it was, and its retry continues', async () => {
    const pipeline = await existing();
    pipeline.runner.trouble('infrastructure', 'user');
    await pipeline.apply(large);
    const before = await pipeline.cluster();
    expect(await pipeline.manifest()).toMatchObject({ status: 'Failed' });
    calm(pipeline);
    expect((await edit(pipeline)).status).toBe(202);
    await pipeline.settle();
    const { status, failure, current, attempted } = before;
    expect(await pipeline.cluster()).toMatchObject({ status, failure, current, attempted });
    expect(await pipeline.cluster()).not.toHaveProperty('unreached');
    expect(await pipeline.manifest()).toMatchObject({ status: 'Failed', generation: 2, attempt: 1 });
    expect((await pipeline.runs())[0]).toMatchObject({ status: 'Succeeded' });
    expect((await pipeline.call('/retry')).status).toBe(202);
    expect(await pipeline.settle()).toEqual([{ status: 'SUCCEEDED' }]);
  });

  it('a waypoint that stopped half-way is continued after an edit, with all of its stages', async () => {
    const pipeline = await existing(large);
    pipeline.runner.trouble('infrastructure', 'user');
    await pipeline.apply(small);
    const before = await pipeline.cluster();
    expect(before).toMatchObject({ status: 'NeedsAttention', attempted: expect.anything() });
    calm(pipeline);
    pipeline.runner.trouble('infrastructure', 'user');
    await edit(pipeline);
    await pipeline.settle();
    expect((await pipeline.runs())[0]).toMatchObject({ status: 'Failed' });
    await edit(pipeline);
    await pipeline.settle();
    const { status, failure, current, attempted } = before;
    expect(await pipeline.cluster()).toMatchObject({ status, failure, current, attempted });
    calm(pipeline);
    await pipeline.call('/retry');
    expect(await pipeline.settle()).toEqual([{ status: 'SUCCEEDED' }]);
    expect(pipeline.runner.ran).toContain('nodes');
    expect(await pipeline.nodes()).toHaveLength(3);
  });

  it('a plan that a run is bound to is continued after an edit', async () => {
    const pipeline = await existing();
    const plan = String((await pipeline.call('/plan', { body: large })).json.id);
    pipeline.runner.trouble('infrastructure', 'user');
    await pipeline.call('', { method: 'PUT', body: large, headers: { 'kubeloom-plan': plan } });
    await pipeline.settle();
    await edit(pipeline);
    await pipeline.settle();
    expect((await pipeline.call('/retry')).status).toBe(202);
    expect(await pipeline.settle()).toEqual([{ status: 'SUCCEEDED' }]);
    expect(await pipeline.nodes()).toHaveLength(4);
  });

  it('a deletion that failed is continued after an edit', async () => {
    const pipeline = await existing();
    pipeline.runner.trouble('infrastructure', 'user');
    await pipeline.call('', { method: 'DELETE' });
    await pipeline.settle();
    expect(await pipeline.manifest()).toMatchObject({ status: 'Failed', deleting: true });
    calm(pipeline);
    expect((await edit(pipeline)).status).toBe(202);
    await pipeline.settle();
    expect(pipeline.runner.documents.map(({ direction }) => direction)).toEqual(['edit']);
    expect(await pipeline.manifest()).toMatchObject({ status: 'Failed', deleting: true });
    await pipeline.call('', { method: 'DELETE' });
    await pipeline.settle();
    expect(await pipeline.deps.manifests.get(key)).toBeUndefined();
  });

  it('an edit that is cancelled before it starts is not made', async () => {
    const pipeline = await existing();
    await edit(pipeline);
    expect((await pipeline.call('/cancel')).status).toBe(202);
    await pipeline.settle();
    expect(pipeline.runner.ran).toEqual([]);
    expect(await pipeline.manifest()).toMatchObject({ lease: null });
    expect((await pipeline.runs())[0]).toMatchObject({ status: 'Aborted' });
  });

  it('a check at its interval follows an edit', async () => {
    const pipeline = await existing({ ...small, spec: { ...small.spec, driftChecks: { interval: '30m' } } });
    await edit(pipeline);
    await pipeline.settle();
    calm(pipeline);
    await pass(pipeline, 40);
    expect(pipeline.runner.ran).toEqual(['drift']);
  });
});

describe('an edit where approvals are on', () => {
  const operator = as('olga');
  const approver = as('anna');
  async function guarded(): Promise<Pipeline> {
    const pipeline = new Pipeline({ KUBELOOM_ADMINS: 'user:root' });
    await bindRoles(pipeline.deps, 'team', { operator: 'olga', approver: 'anna', viewer: 'vera' });
    await pipeline.apply(approved);
    return calm(pipeline);
  }

  it('an edit is kept as proposed, shown to who approves it, and made once with the names of both', async () => {
    const pipeline = await guarded();
    const proposed = await edit(pipeline, removal, operator);
    expect([proposed.status, proposed.json.code]).toEqual([409, 'ApprovalRequired']);
    const plan = /plan ([0-9a-f]{40})/.exec(proposed.text)?.[1];
    await pipeline.settle();
    expect(pipeline.runner.ran).toEqual([]);
    const report = await pipeline.call(`/plans/${plan}`, { method: 'GET', ...approver });
    expect(report.json).toMatchObject({ id: plan, hasWork: true });
    expect(JSON.stringify(report.json)).toContain(`the Terraform state ${workspace}: 1 resource removed`);
    expect((await pipeline.call(`/plans/${plan}/diff`, { method: 'GET', ...approver })).json).toEqual({
      changes: [],
      diff: '',
    });
    const { json } = await pipeline.call('/plans', { method: 'GET', ...approver });
    expect(json.items).toMatchObject([{ id: plan, state: 'Proposed', by: 'olga' }]);
    expect((await pipeline.call('/approve', { body: { plan }, ...operator })).status).toBe(403);
    expect((await pipeline.call('/approve', { body: { plan }, ...approver })).status).toBe(202);
    expect(await pipeline.settle()).toEqual([{ status: 'SUCCEEDED' }]);
    expect(await editOf(pipeline)).toMatchObject({ by: expect.stringMatching(/^anna from .*, proposed by olga$/) });
    const again = await pipeline.call('/approve', { body: { plan }, ...approver });
    expect([again.status, again.text]).toEqual([409, expect.stringContaining('was approved by anna')]);
  });

  it('an edit whose cluster has changed since it was proposed is not approved', async () => {
    const pipeline = await guarded();
    const { text } = await edit(pipeline, removal, operator);
    const plan = /plan ([0-9a-f]{40})/.exec(text)?.[1];
    await pipeline.retry();
    await pipeline.settle();
    const answer = await pipeline.call('/approve', { body: { plan }, ...approver });
    expect(answer.json).toMatchObject({ code: 'PlanMoved' });
    expect((await edit(pipeline, removal, as('vera'))).status).toBe(403);
  });
});
