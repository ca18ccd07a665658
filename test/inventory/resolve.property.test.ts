import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Inventory, indexInventory } from '#domain/inventory/inventory-index.ts';
import { inventoryImpact } from '#domain/inventory/plan-inventory.ts';
import { originAt, type Resolution, resolveCluster } from '#domain/inventory/resolve-cluster.ts';
import { valueAt } from '#domain/inventory/value-at.ts';
import { covers, parseValuePath } from '#domain/inventory/value-path.ts';
import { isMap } from '#domain/json.ts';
import { documentChanges } from '#domain/manifest/document-changes.ts';
import { propertyRuns } from '#test/property-runs.ts';
import { allValues, cluster, layer, order } from './inventories.ts';

const levels = ['environment', 'customer', 'site', 'infraProvider'] as const;
const numRuns = propertyRuns(600);

const leaf = fc.oneof(
  fc.integer({ min: 0, max: 3 }),
  fc.constantFrom('a', 'b'),
  fc.constant(null),
  fc.array(fc.integer({ min: 0, max: 2 }), { maxLength: 2 }),
);
const { values } = fc.letrec<{ values: Record<string, unknown>; value: unknown }>((tie) => ({
  values: fc.dictionary(fc.constantFrom('p', 'q', 'r'), tie('value'), { maxKeys: 3, noNullPrototype: true }),
  value: fc.oneof({ depthSize: 'small', maxDepth: 2 }, leaf, tie('values')),
}));
/** Items of a list that is merged by name. */
const pools = fc.uniqueArray(
  fc.record(
    { name: fc.constantFrom('web', 'db', 'gpu'), count: fc.nat(3), type: fc.constantFrom('s', 'l') },
    { requiredKeys: ['name'] },
  ),
  { selector: ({ name }) => name, maxLength: 3 },
);
const layerValues = fc
  .tuple(values, fc.option(pools, { nil: undefined }))
  .map(([tree, list]) => ({ ...tree, ...(list && { pools: list }) }));

/** Two layers at each level, and clusters that have one or none of each. */
const inventories = fc
  .record({
    layers: fc.array(layerValues, { minLength: 8, maxLength: 8 }),
    clusters: fc.array(fc.tuple(fc.array(fc.nat(2), { minLength: 4, maxLength: 4 }), layerValues), {
      minLength: 1,
      maxLength: 4,
    }),
    locked: fc.option(fc.constantFrom('p', 'q.r', 'pools.*.type'), { nil: undefined }),
    special: fc.option(fc.constantFrom('q', 'p.q'), { nil: undefined }),
  })
  .map(
    ({ layers, clusters, locked, special }): Inventory => ({
      layers: layers.map((one, index) =>
        layer(`${levels[index >> 1]?.toLowerCase()}-${index % 2}`, levels[index >> 1] ?? '', one),
      ),
      order: order({
        byName: ['pools'],
        ...(locked !== undefined && { locked: [{ path: locked, level: 'customer' }] }),
        ...(special !== undefined && {
          paths: { [special]: ['customer', 'environment', 'site', 'infraProvider', 'cluster'] },
        }),
      }),
      templates: [allValues],
      clusters: clusters.map(([picks, own], index) => {
        const chosen = levels.flatMap((level, place) =>
          picks[place] === 2 ? [] : [[level, `${level.toLowerCase()}-${picks[place]}`] as const],
        );
        return cluster(`c${index}`, Object.fromEntries(chosen), own);
      }),
    }),
  );

const resolveAll = (inventory: Inventory): readonly Resolution[] => {
  const index = indexInventory(inventory);
  return index.clusters.map((one) => resolveCluster(one, index));
};
const byName = (all: readonly Resolution[]) => all.toSorted((one, other) => (one.name < other.name ? -1 : 1));

describe('random inventories', { timeout: 600_000 }, () => {
  test('CO-8: a cluster resolves to the same, however the documents and levels are ordered', () => {
    const shuffled = inventories.chain((inventory) =>
      fc.record({
        inventory: fc.constant(inventory),
        layers: fc.shuffledSubarray([...inventory.layers], { minLength: inventory.layers.length }),
        clusters: fc.shuffledSubarray([...inventory.clusters], { minLength: inventory.clusters.length }),
      }),
    );
    const property = fc.property(shuffled, ({ inventory, layers, clusters }) => {
      const turned = clusters.map((one) => {
        const named = Object.fromEntries(Object.entries(one.document.spec.layers).reverse());
        return { ...one, document: { ...one.document, spec: { ...one.document.spec, layers: named } } };
      });
      const shown = (all: readonly Resolution[]) =>
        byName(all).map(({ document, origin, faults }) => ({
          text: JSON.stringify(document),
          origin: JSON.stringify([...origin].sort()),
          faults: faults.map(({ reason }) => reason).sort(),
        }));
      const once = shown(resolveAll(inventory));
      expect(shown(resolveAll(inventory))).toEqual(once);
      expect(shown(resolveAll({ ...inventory, layers, clusters: turned }))).toEqual(once);
    });
    fc.assert(property, { numRuns });
  });

  test('CO-8: the layer that explain names for a value gives that value when it is applied alone', () => {
    const property = fc.property(inventories, (inventory) => {
      for (const resolution of resolveAll(inventory).filter(({ document }) => document !== undefined)) {
        for (const [path, { kind, name, level }] of resolution.origin) {
          const parts = parseValuePath(path) ?? [];
          const of = kind === 'InventoryLayer' ? inventory.layers : inventory.clusters;
          const only = of.find(({ document }) => document.metadata.name === name)?.document.spec.values ?? {};
          const [alone] = resolveAll({
            ...inventory,
            layers: [layer('alone', level, only)],
            clusters: [
              cluster(
                'c',
                kind === 'InventoryLayer' ? { [level]: 'alone' } : {},
                kind === 'InventoryLayer' ? {} : only,
              ),
            ],
          });
          const given = alone && valueAt(alone.values, parts, alone.isByName)?.value;
          const is = valueAt(resolution.values, parts, resolution.isByName)?.value;
          // The layer of a map that is now empty may have had more values.
          if (!(isMap(is) && Object.keys(is).length === 0)) expect(given).toEqual(is);
        }
      }
    });
    fc.assert(property, { numRuns });
  });

  test('CO-8: a value is that of the last level that sets it', () => {
    const property = fc.property(inventories, (inventory) => {
      const { order: _, ...plain } = inventory;
      for (const resolution of resolveAll(plain)) {
        const own = inventory.clusters.find(({ document }) => document.metadata.name === resolution.name)?.document;
        const last = [...levels]
          .reverse()
          .map(
            (level) =>
              inventory.layers.find(({ document }) => document.metadata.name === own?.spec.layers[level])?.document.spec
                .values,
          );
        for (const [path] of resolution.origin) {
          const parts = parseValuePath(path) ?? [];
          const says = [own?.spec.values, ...last].find((one) => valueAt(one, parts, () => false) !== undefined);
          const is = valueAt(resolution.values, parts, () => false)?.value;
          if (!isMap(is)) expect(is).toEqual(valueAt(says, parts, () => false)?.value);
        }
      }
    });
    fc.assert(property, { numRuns });
  });

  test('CO-10: a change of a layer changes exactly the clusters that its plan names', () => {
    const change = fc.record({ before: inventories, which: fc.nat(7), next: layerValues });
    const property = fc.property(change, ({ before, which, next }) => {
      const layers = before.layers.map((one, index) =>
        index === which ? layer(one.document.metadata.name, one.document.spec.level, next, { generation: 2 }) : one,
      );
      const after = { ...before, layers };
      const { clusters, counts, depend } = inventoryImpact(before, after);
      const impacts = new Map(clusters.map((one) => [one.cluster, one.impact]));
      const [old, now] = [resolveAll(before), resolveAll(after)];
      for (const [index, resolution] of now.entries()) {
        const differs = JSON.stringify(old[index]?.document) !== JSON.stringify(resolution.document);
        const impact = impacts.get(resolution.name) ?? 'same';
        if (resolution.document === undefined) {
          expect(differs && impact === 'same').toBe(false);
        } else if (impact === 'changes') expect(differs).toBe(true);
        else expect(documentChanges(old[index]?.document, resolution.document)).toEqual([]);
      }
      expect(Object.values(counts).reduce((sum, count) => sum + count)).toBe(depend);
    });
    fc.assert(property, { numRuns });
  });

  test('CO-9: a locked value never changes below its level', () => {
    const property = fc.property(inventories, (inventory) => {
      const locked = inventory.order?.document.spec.locked[0];
      const path = locked && parseValuePath(locked.path);
      if (path === undefined) return;
      for (const resolution of resolveAll(inventory)) {
        if (resolution.document === undefined) continue;
        const own = inventory.clusters.find(({ document }) => document.metadata.name === resolution.name);
        const { environment, customer } = own?.document.spec.layers ?? {};
        const above = { ...(environment && { environment }), ...(customer && { customer }) };
        const [upper] = resolveAll({ ...inventory, clusters: [cluster('c', above)] });
        const rows = (one: Resolution) =>
          [...one.origin.keys()].filter((key) => covers(path, parseValuePath(key) ?? [])).sort();
        if (upper === undefined) continue;
        // An item of a list may be removed as a whole or come back; its locked field is then no later one's either.
        for (const key of rows(resolution)) {
          const parts = parseValuePath(key) ?? [];
          expect(['environment', 'customer']).toContain(originAt(resolution.origin, parts)?.level);
          expect(valueAt(resolution.values, parts, resolution.isByName)?.value).toEqual(
            valueAt(upper.values, parts, upper.isByName)?.value,
          );
        }
        expect(rows(resolution)).toEqual(rows(upper));
      }
    });
    fc.assert(property, { numRuns });
  });
});
