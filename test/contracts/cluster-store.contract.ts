/** What every `ClusterStore` promises. */
import { describe, expect, it } from 'vitest';
import type { ClusterRecord } from '#contracts/records.ts';
import type { ClusterStore } from '#functions/cluster-stores.ts';
import { aCluster, key } from './builders.ts';

export function clusterStoreContract(name: string, make: () => ClusterStore): void {
  describe(`ClusterStore: ${name}`, () => {
    it('a cluster is returned as it was stored, and an unknown one is undefined', async () => {
      const store = make();
      await store.put(aCluster());
      expect(await store.get(key, 'web-1234567')).toEqual(aCluster());
      expect(await store.get(key, 'other-1234567')).toBeUndefined();
    });

    it('one of many writers of the same version succeeds', async () => {
      const store = make();
      await store.put(aCluster());
      const desiredById = [1, 2, 3].map((backOffs) => store.put(aCluster({ version: 2, backOffs })));
      const outcomes = await Promise.allSettled(desiredById);
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      await expect(store.put(aCluster({ version: 2, backOffs: 9 }))).rejects.toMatchObject({ name: 'VersionConflict' });
    });

    it('the same record can be stored twice, as by a repeated call', async () => {
      const store = make();
      await store.put(aCluster());
      await store.put(aCluster({ version: 2, backOffs: 1 }));
      await store.put(aCluster({ version: 2, backOffs: 1 }));
      expect(await store.get(key, 'web-1234567')).toEqual(aCluster({ version: 2, backOffs: 1 }));
    });

    it('a first version is refused if one exists, and a later version if none exists', async () => {
      const store = make();
      await expect(store.put(aCluster({ version: 2 }))).rejects.toMatchObject({ name: 'VersionConflict' });
      await store.put(aCluster());
      await expect(store.put(aCluster({ backOffs: 1 }))).rejects.toMatchObject({ name: 'VersionConflict' });
    });

    it('a writer with an older fence than the last one is refused', async () => {
      const store = make();
      await store.put(aCluster({ fence: 5 }));
      await expect(store.put(aCluster({ version: 2, fence: 4 }))).rejects.toMatchObject({ name: 'LeaseLost' });
      await expect(store.remove(aCluster({ fence: 4 }))).rejects.toMatchObject({ name: 'LeaseLost' });
      expect(await store.get(key, 'web-1234567')).toEqual(aCluster({ fence: 5 }));
    });

    it('a cluster is removed in the version that was read; removing it again is no error', async () => {
      const store = make();
      await store.put(aCluster());
      await expect(store.remove(aCluster({ version: 7 }))).rejects.toMatchObject({ name: 'VersionConflict' });
      await store.remove(aCluster());
      await store.remove(aCluster());
      expect(await store.list(key)).toEqual([]);
    });

    it('the clusters of one manifest are listed by name', async () => {
      const store = make();
      for (const cluster of ['b-1234567', 'a-1234567']) await store.put(aCluster({ cluster }));
      await store.put(aCluster({ manifest: 'shop2', cluster: 'c-1234567' }));
      expect((await store.list(key)).map(({ cluster }) => cluster)).toEqual(['a-1234567', 'b-1234567']);
    });

    it('each cluster of one manifest is given once, by name, also while it is written', async () => {
      const store = make();
      const names = Array.from({ length: 20 }, (_, number) => `${String.fromCharCode(97 + number)}-1234567`);
      for (const cluster of names.toReversed()) await store.put(aCluster({ cluster }));
      await store.put(aCluster({ manifest: 'shop2', cluster: 'c-1234567' }));
      const given: ClusterRecord[] = [];
      for await (const record of store.each(key)) {
        given.push(record);
        await store.put({ ...record, version: 2, backOffs: 1 });
      }
      expect(given.map(({ cluster }) => cluster)).toEqual(names);
      expect(new Set((await store.list(key)).map(({ backOffs }) => backOffs))).toEqual(new Set([1]));
    });
  });
}
