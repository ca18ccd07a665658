/** Certificates that end while no check renews them: manifests whose checks are off, and paused ones, are warned of without a visit. */
import { describe, expect, it } from 'vitest';
import type { ClusterRecord } from '#contracts/records.ts';
import type { Expiry } from '#domain/expiry.ts';
import type { InputManifest } from '#domain/manifest/schema/input-manifest.ts';
import { manifestOf } from './harness/manifests.ts';
import { Pipeline } from './harness/pipeline.ts';

const small = manifestOf([{ balanced: true, compute: { work: 1 } }]);
const checked = (interval: string): InputManifest => ({
  ...small,
  spec: { ...small.spec, driftChecks: { interval, onDrift: 'report' } },
});
/** The clock begins in November 2026: a warning from September 2027 on. */
const kubeconfig: Expiry = { what: 'kubeconfig', from: '2026-11-20T00:00:00.000Z', until: '2027-11-20T00:00:00.000Z' };

/** A manifest that is done, and whose kubeconfig ends then. */
async function done(interval: string) {
  const pipeline = new Pipeline();
  pipeline.runner.kubeconfigExpiries = [kubeconfig];
  await pipeline.apply(checked(interval));
  pipeline.runner.ran.length = 0;
  return pipeline;
}
async function tickAfter(pipeline: Pipeline, days: number): Promise<void> {
  pipeline.deps.clock.advance(days * 24 * 3600);
  await pipeline.invoke('tick', {});
  await pipeline.settle();
}
const reminders = async (pipeline: Pipeline) =>
  (await pipeline.events()).filter(({ kind }) => kind === 'CertificatesEnd');
const row = async (pipeline: Pipeline) => (await pipeline.call('', { method: 'GET' })).json as unknown as Row;
interface Row {
  readonly state: string;
  readonly clusters: readonly {
    readonly certificates?: { readonly warnings: readonly string[]; readonly renewedFrom?: string };
  }[];
}

describe('certificates that no check renews', () => {
  it('a manifest whose checks are off is due when the warning begins, and reminded every week after it', async () => {
    const pipeline = await done('off');
    expect((await pipeline.manifest()).dueAt).toBe('2027-08-22T00:00:00.000Z');
    await tickAfter(pipeline, 200);
    expect(await reminders(pipeline)).toEqual([]);
    await tickAfter(pipeline, 80);
    expect(await reminders(pipeline)).toHaveLength(1);
    await tickAfter(pipeline, 3);
    expect(await reminders(pipeline)).toHaveLength(1);
    await tickAfter(pipeline, 5);
    const found = await reminders(pipeline);
    expect(found).toHaveLength(2);
    expect(found[0]).toMatchObject({ level: 'error', cluster: 'web' });
    expect(found[0]?.message).toContain('certificates of the cluster end on 2027-11-20');
    expect(pipeline.runner.ran).toEqual([]);
    expect(await pipeline.manifest()).toMatchObject({ status: 'Done', attempt: 1 });
  });

  it('a paused manifest is reminded, not checked, and one that is resumed is checked again', async () => {
    const pipeline = await done('6h');
    await pipeline.call('/pause');
    await tickAfter(pipeline, 1);
    expect(await reminders(pipeline)).toEqual([]);
    await tickAfter(pipeline, 280);
    await tickAfter(pipeline, 1);
    expect(await reminders(pipeline)).toHaveLength(1);
    expect(pipeline.runner.ran).toEqual([]);
    await pipeline.call('/resume');
    await pipeline.settle();
    await tickAfter(pipeline, 1);
    expect(pipeline.runner.ran).toContain('drift');
  });

  it('what ends too soon needs attention and is described with what to do, whatever the manifest says', async () => {
    const pipeline = await done('off');
    expect(await row(pipeline)).toMatchObject({
      state: 'as-desired',
      clusters: [{ certificates: { next: { what: 'kubeconfig', until: kubeconfig.until }, warnings: [] } }],
    });
    pipeline.deps.clock.advance(300 * 24 * 3600);
    const { state, clusters } = await row(pipeline);
    expect(state).toBe('attention');
    expect(clusters[0]?.certificates?.renewedFrom).toBeUndefined();
    expect(clusters[0]?.certificates?.warnings).toEqual([expect.stringContaining('kubeloom drift NAME --repair')]);
    await pipeline.call('/pause');
    expect((await row(pipeline)).state).toBe('attention');
    const list = (await pipeline.deps.manifests.get({ namespace: 'team', name: 'shop' }))?.paused;
    expect(list).toBe(true);
  });

  it('a description of a manifest with checks says when they renew, and what the last one found counts', async () => {
    const pipeline = await done('6h');
    const node = (await pipeline.nodes())[0] ?? '';
    const earlier = {
      ...kubeconfig,
      what: '/etc/kubernetes/pki/apiserver.crt' as const,
      node,
      until: '2027-06-01T00:00:00.000Z',
    };
    pipeline.runner.expiries = [earlier];
    await tickAfter(pipeline, 1);
    expect(await row(pipeline)).toMatchObject({
      clusters: [
        { certificates: { next: { node, until: earlier.until }, renewedFrom: expect.stringMatching(/^2027-0[23]/) } },
      ],
    });
  });

  it('a cluster of an older version, of which nothing is known, says so where no check will find out', async () => {
    const pipeline = new Pipeline();
    await pipeline.apply(checked('off'));
    const forget = ({ facts: { kubeconfigExpiries: _, ...facts }, ...record }: ClusterRecord) => ({ ...record, facts });
    await pipeline.deps.clusters.put({
      ...forget(await pipeline.cluster()),
      version: (await pipeline.cluster()).version + 1,
    });
    expect((await row(pipeline)).clusters[0]?.certificates?.warnings).toEqual([
      expect.stringContaining('it is not known when'),
    ]);
  });
});
