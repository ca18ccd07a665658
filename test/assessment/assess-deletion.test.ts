/** The rules of a deletion: what protects a manifest, and what its deletion becomes. */
import { describe, expect, it } from 'vitest';
import type { ClusterRecord, ManifestRecord } from '#contracts/records.ts';
import { assessDeletion, protectionFaults } from '#functions/pipeline/assessment/assess-deletion.ts';
import { aClusterRecord, aState } from '#test/api/records.ts';
import { aManifest, settings, storedAs } from './known.ts';

const stored = (change: Partial<ManifestRecord> = {}, document: unknown = aManifest()) =>
  storedAs(document, { status: 'Done', ...change });
const converged = (protect?: true): ClusterRecord => {
  const { pools, ...state } = aState(['compute-00']);
  const kept = pools.map((pool) => (pool.name === 'compute' && protect ? { ...pool, protect } : pool));
  return aClusterRecord({ status: 'Converged', current: { ...state, pools: kept } });
};

describe('a deletion', () => {
  it.each([
    ['a manifest that is stored', stored(), { generation: 2, attempt: 1 }],
    ['a deletion that failed', stored({ deleting: true, status: 'Failed' }), { generation: 1, attempt: 2 }],
    [
      'a document that can no longer be read',
      stored({ document: { kind: 'InputManifest' } }),
      { generation: 2, attempt: 1 },
    ],
  ])('the deletion of %s is the generation or attempt that follows', (_, before, version) => {
    const { record, plans } = assessDeletion({ ...settings(), stored: before, clusters: [converged()] });
    expect(record).toMatchObject({ ...version, deleting: true, status: 'Deleting' });
    expect(plans).toMatchObject([{ cluster: 'web', refusals: [] }]);
    expect(plans[0]?.waypoints.at(-1)?.target).toBeNull();
  });

  it('a deletion ends the pause, and is bound to no plan of before', () => {
    const plan = { id: 'p', kubeloom: '1', clusters: {} };
    const { record } = assessDeletion({ ...settings(), stored: stored({ paused: true, plan }), clusters: [] });
    expect(record).not.toHaveProperty('paused');
    expect(record).not.toHaveProperty('plan');
    expect(record.dueAt).toBeDefined();
  });

  it('a deletion that is repeated without orphans keeps those that were asked for before', () => {
    const before = stored({ deleting: true, status: 'Failed', orphans: ['compute-00'] });
    const of = (orphans?: readonly string[]) =>
      assessDeletion({
        ...settings(),
        stored: before,
        clusters: [converged()],
        ...(orphans && { orphans: [...orphans] }),
      });
    expect(of().record.orphans).toEqual(['compute-00']);
    expect(of(['control-00']).record.orphans).toEqual(['control-00']);
  });
});

describe('what protects a manifest', () => {
  it.each([
    ['nothing', stored(), [converged()], []],
    ['its document', stored({}, aManifest({ deletionProtection: true })), [], ['spec.deletionProtection']],
    [
      'a pool that exists, whatever the document says now',
      stored(),
      [converged(true)],
      ['spec.nodePools.dynamic[1].protect'],
    ],
    [
      'nothing in a document that can no longer be read',
      stored({ document: { kind: 'InputManifest' } }),
      [converged()],
      [],
    ],
  ])('%s', (_, before, clusters, paths) => {
    const known = { ...settings(), stored: before, clusters };
    expect(protectionFaults(known, assessDeletion(known)).map(({ path }) => path)).toEqual(paths);
  });
});
