/** Certificates that are about to end: they are renewed without a change of the manifest, and whatever it says about drift. */
import { describe, expect, it } from 'vitest';
import { allNodes } from '#domain/cluster-state.ts';
import type { DriftItem } from '#domain/drift.ts';
import type { InputManifest } from '#domain/manifest/schema/input-manifest.ts';
import { manifestOf } from './harness/manifests.ts';
import { Pipeline } from './harness/pipeline.ts';

const small = manifestOf([{ balanced: true, compute: { work: 2 } }]);
type Checks = NonNullable<InputManifest['spec']['driftChecks']>;
const wanting = (driftChecks: Checks): InputManifest => ({ ...small, spec: { ...small.spec, driftChecks } });

/** A manifest that is done; from now on checks find what `find` says about its first control node. */
async function existing(checks: Partial<Checks>, find: (node: string) => readonly DriftItem[] = (node) => [due(node)]) {
  const pipeline = new Pipeline();
  await pipeline.apply(wanting({ interval: '6h', onDrift: 'report', ...checks }));
  pipeline.runner.ran.length = 0;
  const { current } = await pipeline.cluster();
  const control = current && allNodes(current).find(({ pool }) => pool.role === 'control');
  const node = control?.node.name ?? '';
  pipeline.runner.drift = find(node);
  return { pipeline, node };
}

const due = (node: string, more: Partial<DriftItem> = {}): DriftItem => ({
  kind: 'expiry',
  where: { node },
  message: `certificates of ${node} are due for renewal`,
  repairable: true,
  ...more,
});

async function nextTick(pipeline: Pipeline, days = 0.3): Promise<void> {
  pipeline.deps.clock.advance(days * 24 * 3600);
  await pipeline.invoke('tick', {});
  await pipeline.settle();
}

describe('certificates that are due', () => {
  it('certificates are renewed by the check that finds them, also when the manifest asks for reports only', async () => {
    const { pipeline, node } = await existing({});
    await nextTick(pipeline);
    expect(pipeline.runner.ran).toEqual(['drift', 'kubernetes', 'drift']);
    const [stage] = pipeline.runner.documents.at(-1)?.stages ?? [];
    expect(stage).toMatchObject({ stage: 'kubernetes', work: { action: 'renew', certificates: [node] } });
    expect((await pipeline.cluster()).drift).toMatchObject({ items: [], repair: { state: 'helped' } });
    expect(await pipeline.manifest()).toMatchObject({ status: 'Done', attempt: 1, generation: 1 });
  });

  it('other drift is not repaired with them when the manifest asks for reports only', async () => {
    const { pipeline } = await existing({}, (node) => [
      due(node),
      { kind: 'network', where: { provider: 'sim-1' }, message: 'a firewall differs', repairable: true },
    ]);
    await nextTick(pipeline);
    expect(pipeline.runner.ran).toEqual(['drift', 'kubernetes', 'drift']);
  });

  it('a kubeconfig that is due is fetched, and no node is touched', async () => {
    const { pipeline } = await existing({}, () => [{ ...due(''), where: { name: 'kubeconfig' } }]);
    await nextTick(pipeline);
    const [stage] = pipeline.runner.documents.at(-1)?.stages ?? [];
    expect(stage).toMatchObject({ work: { action: 'renew', certificates: [] } });
  });

  it('certificates are only reported when the manifest says so, or when a person asked for a report', async () => {
    const { pipeline } = await existing({ onExpiry: 'report' });
    await nextTick(pipeline);
    expect(pipeline.runner.ran).toEqual(['drift']);
    expect((await pipeline.cluster()).drift?.items).toHaveLength(1);
    const asked = await existing({});
    await asked.pipeline.call('/drift', { body: { repair: false } });
    await asked.pipeline.settle();
    expect(asked.pipeline.runner.ran).toEqual(['drift']);
  });

  it('a renewal waits while a control node is not ready, unless an end is near', async () => {
    const weak = (node: string): DriftItem => ({
      kind: 'node',
      where: { node },
      message: 'not ready',
      repairable: true,
    });
    const { pipeline } = await existing({}, (node) => [due(node), weak(node)]);
    await nextTick(pipeline);
    expect(pipeline.runner.ran).toEqual(['drift']);
    const urgent = await existing({}, (node) => [due(node, { urgent: true }), weak(node)]);
    await nextTick(urgent.pipeline);
    expect(urgent.pipeline.runner.ran).toEqual(['drift', 'kubernetes', 'drift']);
  });

  it('a compute node that is not ready holds no renewal up', async () => {
    const { pipeline } = await existing({}, (node) => [due(node)]);
    const { current } = await pipeline.cluster();
    const worker = current && allNodes(current).find(({ pool }) => pool.role === 'compute')?.node.name;
    const where = { node: worker ?? '' };
    pipeline.runner.drift = [...pipeline.runner.drift, { kind: 'node', where, message: 'not ready', repairable: true }];
    await nextTick(pipeline);
    expect(pipeline.runner.ran).toEqual(['drift', 'kubernetes', 'drift']);
  });
});
