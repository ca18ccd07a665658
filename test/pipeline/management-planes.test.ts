/** A management plane through the state machines: a run whose components are held continues, and a component that is gone comes back. */
import { expect, it } from 'vitest';
import type { DriftItem } from '#domain/drift.ts';
import type { InputManifest } from '#domain/manifest/schema/input-manifest.ts';
import { callApi } from '#test/api/api-under-test.ts';
import { aComponent, aPlane } from '#test/planes/planes.ts';
import { manifestOf } from './harness/manifests.ts';
import { Pipeline } from './harness/pipeline.ts';

const small = manifestOf();
const manifest: InputManifest = {
  ...small,
  spec: { ...small.spec, driftChecks: { interval: '6h', onDrift: 'repair' } },
};
const docker = 'capi.infrastructure-docker';
const plane = aPlane([aComponent(), aComponent({ kind: 'infrastructure', name: 'docker' })]);

/** An existing cluster and a stored plane; its run waits. */
async function withPlane(): Promise<Pipeline> {
  const pipeline = new Pipeline();
  await pipeline.apply(manifest);
  const body = { ...plane, spec: { ...plane.spec, cluster: { manifest: 'shop', name: 'web' } } };
  const stored = await callApi(pipeline.deps, 'PUT', '/v1/inventory/team/documents/ManagementPlane/capi', { body });
  expect(stored.json).toMatchObject({ accepted: { generation: 1, attempt: 2 } });
  pipeline.runner.ran.length = 0;
  return pipeline;
}

const kinds = async (pipeline: Pipeline) => (await pipeline.events()).map(({ kind }) => kind);
const lastNodesWork = ({ runner }: Pipeline) =>
  runner.documents.at(-1)?.stages.flatMap((plan) => (plan.stage === 'nodes' ? [plan.work.documents] : []));

it('CO-1: a run whose components are held pauses and continues, and nothing of the cluster is undone', async () => {
  const pipeline = await withPlane();
  const error = { class: 'transient', code: 'ComponentsHeld', message: 'm', hint: 'h', retryable: false } as const;
  pipeline.runner.trouble('nodes', { error }, { times: 3 });
  await pipeline.settle();
  expect(pipeline.runner.ran).toEqual(Array(4).fill('nodes'));
  expect((await kinds(pipeline)).filter((kind) => kind === 'BackedOff')).toHaveLength(3);
  expect(await pipeline.manifest()).toMatchObject({ status: 'Done', attempt: 2 });
  expect(await pipeline.cluster()).toMatchObject({ status: 'Converged', failure: null });
});

it('a run whose component never works ends after its pauses, and drift checks continue', async () => {
  const pipeline = await withPlane();
  const error = { class: 'transient', code: 'ComponentsHeld', message: 'm', hint: 'h', retryable: false } as const;
  const pauses = pipeline.deps.config.KUBELOOM_MAX_BACK_OFFS;
  pipeline.runner.trouble('nodes', { error }, { times: pauses });
  await pipeline.settle();
  const ended = pipeline.runner.documents.map(({ reachedWithHeld }) => reachedWithHeld);
  expect(ended.slice(-1 - pauses)).toEqual([...Array(pauses).fill(undefined), true]);
  expect(await pipeline.manifest()).toMatchObject({ status: 'Done' });
  expect(await pipeline.cluster()).toMatchObject({ status: 'Converged', attempted: null, failure: null });
});

it('CO-13: a component that is gone is reported by a check for drift, and it alone is applied again', async () => {
  const pipeline = await withPlane();
  await pipeline.settle();
  const message = `the documents ${docker} are no longer in the cluster`;
  const gone: DriftItem = { kind: 'document', where: { name: docker }, message, repairable: true };
  pipeline.runner.drift = [gone];
  pipeline.runner.ran.length = 0;
  pipeline.deps.clock.advance(7 * 3600);
  await pipeline.invoke('tick', {});
  await pipeline.settle();
  expect(pipeline.runner.ran).toEqual(['drift', 'nodes', 'drift']);
  expect(pipeline.runner.documents.at(-1)).toMatchObject({ direction: 'repair' });
  expect(lastNodesWork(pipeline)).toEqual([[{ name: docker, version: 'component@v1.11.1' }]]);
  expect(await kinds(pipeline)).toEqual(expect.arrayContaining(['DriftFound', 'DriftRepaired']));
  const repair = { state: 'helped', items: [gone] };
  expect(await pipeline.cluster()).toMatchObject({ status: 'Converged', drift: { items: [], repair } });
});
