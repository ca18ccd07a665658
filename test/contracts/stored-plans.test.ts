/** Plans that earlier versions kept: those of manifests are as they were, those of inventories had another shape. */
import { describe, expect, it } from 'vitest';
import { StoredPlan } from '#contracts/stored-plans.ts';
import { apiUnderTest } from '#test/api/api-under-test.ts';

const at = '2026-11-01T08:00:00.000Z';
const id = 'a'.repeat(40);
const ofInventory = { schema: 1, stored: { 'InventoryLayer eu': 2 }, sent: {}, clusters: {} };
const ofManifest = {
  schema: 1,
  kubeloom: '0.1.0',
  settings: 's',
  manifest: null,
  goal: 'g',
  templates: {},
  clusters: {},
};
const change = { documents: [], clusters: ['shop'], settings: { soak: '0s' }, summary: '1 node added' };

describe('a plan that version 0.1 kept', () => {
  it('a plan of an inventory that was proposed has its proposer, its kind and its time', () => {
    const kept = {
      schema: 1,
      id,
      at: '2026-11-02T08:00:00.000Z',
      basis: ofInventory,
      proposal: { at, by: 'olga', ...change },
    };
    expect(StoredPlan.parse(kept)).toEqual({
      schema: 1,
      id,
      at,
      by: 'olga',
      basis: ofInventory,
      proposal: { kind: 'rollOut', reason: 'roll-out', ...change },
    });
  });

  it('a plan of an inventory that no one proposed says what it was made from', () => {
    const kept = { schema: 1, id, at, basis: ofInventory };
    expect(StoredPlan.parse(kept)).toEqual({ ...kept, by: '' });
  });

  it.each([
    { kind: 'apply', document: { kind: 'InputManifest' }, reason: 'changed', summary: '1 node added', rolledBackTo: 2 },
    { kind: 'apply', document: {}, planes: [{}], withoutPlanes: ['capi'], reason: 'changed', summary: 'none' },
    { kind: 'delete', document: null, orphans: ['node-1'], reason: 'deleted', summary: '1 node removed' },
  ])('a plan of a manifest is read as it is: $kind $reason', (proposal) => {
    const approved = { at, by: 'anna', runId: 'shop-1' };
    const kept = { schema: 1, id, at, by: 'olga', basis: ofManifest, proposal, approved };
    expect(StoredPlan.parse(kept)).toEqual(kept);
  });

  it('a proposed roll-out is shown with who proposed it, and is refused because what it was made from moved', async () => {
    const { deps, call } = apiUnderTest();
    const kept = { schema: 1, id, at, basis: ofInventory, proposal: { at, by: 'olga', ...change } };
    await deps.artifacts.putText(`plans/team/@inventory/${id}.json`, JSON.stringify(kept), 'application/json');
    const shown = await call('GET', `/v1/inventory/team/plans/${id}`);
    expect(shown).toMatchObject({ status: 200, json: { proposed: { by: 'olga', at, clusters: ['shop'] } } });
    const refused = await call('POST', '/v1/inventory/team/rollouts', { headers: { 'kubeloom-plan': id } });
    expect(refused).toMatchObject({ status: 409, json: { code: 'PlanMoved' } });
    expect(refused.json.detail).toContain(`plan ${id} is no longer valid: InventoryLayer eu was deleted`);
  });
});
