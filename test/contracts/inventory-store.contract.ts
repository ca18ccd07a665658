/** What every `InventoryStore` promises. */
import { describe, expect, it } from 'vitest';
import type { InventoryRecord } from '#contracts/inventory.ts';
import type { InventoryStore } from '#functions/ports.ts';
import { noon } from './builders.ts';

const aLayer = (parts: Partial<InventoryRecord> = {}): InventoryRecord => ({
  namespace: 'team',
  kind: 'InventoryLayer',
  name: 'prod',
  generation: 1,
  at: noon,
  by: 'ann',
  document: { spec: { values: { b: 1, a: null, '': [] } } },
  ...parts,
});

export function inventoryStoreContract(name: string, make: () => InventoryStore): void {
  describe(`InventoryStore: ${name}`, () => {
    it('a document is returned as it was stored with its keys in order, and an unknown one is undefined', async () => {
      const store = make();
      await store.put(aLayer());
      expect(JSON.stringify((await store.get(aLayer()))?.document)).toBe(JSON.stringify(aLayer().document));
      expect(await store.get(aLayer({ kind: 'InventoryCluster' }))).toBeUndefined();
    });

    it('one of many writers of the same generation of a document succeeds', async () => {
      const store = make();
      await store.put(aLayer());
      const outcomes = await Promise.allSettled([1, 2, 3].map(() => store.put(aLayer({ generation: 2 }))));
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      for (const generation of [1, 2, 4]) {
        await expect(store.put(aLayer({ generation }))).rejects.toMatchObject({ name: 'VersionConflict' });
      }
    });

    it('the documents of one namespace are listed by kind and name, without those of another and the removed ones', async () => {
      const store = make();
      for (const name of ['b', 'a', 'c']) await store.put(aLayer({ name }));
      await store.put(aLayer({ kind: 'InventoryCluster', name: 'z' }));
      await store.put(aLayer({ namespace: 'team2', name: 'd' }));
      await store.remove(aLayer({ name: 'c' }));
      await store.remove(aLayer({ name: 'nothing' }));
      expect((await store.list('team')).map((one) => one.name)).toEqual(['z', 'a', 'b']);
      expect((await store.list('team', 'InventoryLayer')).map((one) => one.name)).toEqual(['a', 'b']);
    });
  });
}
