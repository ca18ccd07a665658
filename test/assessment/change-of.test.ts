/** When a document starts a run, why, and what is proposed of it. */
import { describe, expect, it } from 'vitest';
import type { ManifestRecord } from '#contracts/records.ts';
import { assess } from '#functions/pipeline/assessment/assess.ts';
import { changeOf, type ManifestChange, type SubmittedDocument } from '#functions/pipeline/assessment/change-of.ts';
import { aPlane } from '#test/planes/planes.ts';
import { aManifest, knownOf, nextOf, noPlanes, reached, storedAs } from './known.ts';

const caller = { name: 'user:olga' };
const isStored = (change: Partial<ManifestRecord> = {}) => storedAs(aManifest(), change);
function changed(wanted: Partial<SubmittedDocument> & { readonly stored: ManifestRecord | undefined }, known = {}) {
  const document = wanted.document ?? aManifest();
  const assessment = assess(knownOf(document, { stored: wanted.stored, ...known }));
  return changeOf(nextOf(assessment), assessment, { document, caller, ...wanted });
}

function changeIn(answer: ReturnType<typeof changed>): ManifestChange {
  if ('kept' in answer) throw new Error('it is kept');
  return answer;
}

describe('a document that is stored already', () => {
  it.each([
    ['its run is in progress', isStored({ status: 'Running' })],
    ['it is done, and nothing is left to do', isStored({ status: 'Done' })],
  ])('the same document is kept when %s', (_, stored) => {
    expect(changed({ stored }, { clusters: reached() })).toEqual({ kept: stored });
  });

  it.each([
    ['it failed', isStored({ status: 'Failed' }), 'applied again after a failed run'],
    ['the check of what failed is done', isStored({ status: 'Done', failed: {} }), 'applied again after a failed run'],
    ['it is done and its plan has work', isStored({ status: 'Done' }), 'applied again after its templates changed'],
  ])('the same document is started once more when %s, with the origin of before', (_, stored, reason) => {
    const change = changeIn(changed({ stored }));
    expect(change).toMatchObject({ reason, record: { generation: 1, attempt: 2 }, proposal: { reason } });
    expect(change.origin).toBeUndefined();
  });

  it('the same document with another plane is started once more', () => {
    const planes = {
      ...noPlanes,
      sent: [aPlane()],
      wanted: [{ ...aPlane(), spec: { ...aPlane().spec, cluster: { manifest: 'shop', name: 'web' } } }],
    };
    const change = changeIn(changed({ stored: isStored({ status: 'Running' }) }, { planes }));
    expect(change.record).toMatchObject({ attempt: 2, planes: { web: [{ name: 'capi.cluster-api' }] } });
  });
});

describe('a document that is new or changed', () => {
  it.each([
    ['created', undefined, {}],
    ['changed', isStored(), { document: aManifest({ compute: 3 }) }],
    [
      'rolled back to generation 1',
      isStored(),
      { document: aManifest({ compute: 3 }), reason: 'rolled back to generation 1', rolledBackTo: 1 },
    ],
  ])('its reason is "%s", in its origin and in what is proposed', (reason, stored, wanted) => {
    const change = changeIn(changed({ stored, ...wanted }));
    const back = 'rolledBackTo' in wanted ? { rolledBackTo: 1 } : {};
    expect(change.origin).toEqual({ at: change.record.updatedAt, by: caller.name, reason, ...back });
    expect(change.proposal).toEqual({
      kind: 'apply',
      document: 'document' in wanted ? wanted.document : aManifest(),
      reason,
      summary: expect.stringContaining('node'),
      ...back,
    });
    expect(change.record.plan).toBeUndefined();
  });

  it('a proposal keeps the planes that come with the document, and never a Secret', () => {
    const secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 's', namespace: 'team' },
      stringData: { a: 'hidden' },
    };
    const change = changeIn(changed({ stored: undefined, accompanying: [secret, aPlane()], withoutPlanes: ['old'] }));
    expect(change.proposal).toMatchObject({ planes: [aPlane()], withoutPlanes: ['old'] });
    expect(JSON.stringify(change)).not.toContain('hidden');
  });
});
