import { describe, expect, test } from 'vitest';
import { inventoryImpact } from '#domain/inventory/plan-inventory.ts';
import { allValues, cluster, inventory, layer, order, template } from './inventories.ts';

/** Forty clusters of an environment, three of which have a version of their own, and ten of another. */
const clusters = Array.from({ length: 50 }, (_, index) =>
  cluster(`c${index}`, { environment: index < 40 ? 'prod' : 'test' }, index < 3 ? { version: '1.34.0' } : {}),
);
const at = (version: string, more = {}) =>
  inventory({
    clusters,
    layers: [layer('prod', 'environment', { version, ...more }), layer('test', 'environment', { version: '1.36.0' })],
  });

describe('the plan of a change of the inventory', () => {
  test('CO-10: of 40 clusters that depend on a value, the 37 that do not override it change', () => {
    const plan = inventoryImpact(at('1.35.2'), at('1.36.0'));
    expect(plan).toMatchObject({ depend: 40, counts: { changes: 37, overrides: 3, same: 0, refused: 0, removed: 0 } });
    expect(plan.clusters.find(({ cluster }) => cluster === 'c3')).toMatchObject({
      impact: 'changes',
      changes: ['version 1.35.2 → 1.36.0'],
    });
    expect(plan.clusters.find(({ cluster }) => cluster === 'c0')).toMatchObject({ impact: 'overrides', changes: [] });
  });

  test('CO-10: storing the same again changes no cluster', () => {
    expect(inventoryImpact(at('1.35.2'), at('1.35.2'))).toMatchObject({
      depend: 0,
      counts: { changes: 0 },
      clusters: [],
    });
  });

  test('CO-9: another order of levels lists the clusters that it changes, with the values before and after', () => {
    const layers = [layer('acme', 'customer', { size: 1 }), layer('fra1', 'site', { size: 2 })];
    const both = [cluster('both', { customer: 'acme', site: 'fra1' }), cluster('one', { site: 'fra1' })];
    const levels = ['environment', 'site', 'customer', 'infraProvider', 'cluster'];
    const plan = inventoryImpact(
      inventory({ layers, clusters: both }),
      inventory({ layers, clusters: both, order: order({ levels }) }),
    );
    expect(plan.clusters.map(({ cluster, impact, changes }) => [cluster, impact, changes])).toEqual([
      ['both', 'changes', ['size 2 → 1']],
      ['one', 'same', []],
    ]);
  });

  test('a cluster that can no longer be resolved is refused, and the other clusters are still planned', () => {
    const next = at('1.36.0');
    const broken = {
      ...next,
      layers: [...next.layers, layer('fra1', 'site', {})],
      order: order({ paths: { version: ['environment', 'site'] } }),
    };
    const { counts, clusters: rows } = inventoryImpact(at('1.35.2'), broken);
    expect(counts).toMatchObject({ changes: 37, refused: 3 });
    expect(rows.find(({ cluster }) => cluster === 'c0')?.faults[0]?.reason).toBe(
      'level cluster sets version, but the order of version is environment, site',
    );
  });

  test('clusters that are new, removed, or take another version of their template are part of the plan', () => {
    const two = template('all@2', { spec: { old: '${values}' } });
    const [kept, gone] = [cluster('kept', {}, { a: 1 }), cluster('gone')];
    const before = inventory({ templates: [allValues, two], clusters: [kept, gone] });
    const after = { ...before, clusters: [cluster('kept', {}, { a: 1 }, 'all@2'), cluster('new')] };
    expect(
      inventoryImpact(before, after).clusters.map(({ cluster, impact, changes }) => [cluster, impact, changes]),
    ).toEqual([
      ['gone', 'removed', []],
      ['kept', 'changes', ['removed a', 'added old']],
      ['new', 'changes', ['created']],
    ]);
  });
});
