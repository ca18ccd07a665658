/** What every `DemandStore` promises. */
import { describe, expect, it } from 'vitest';
import type { DemandStore } from '#functions/cluster-stores.ts';
import { aDemand, key, noon } from './builders.ts';

const size = (count: number) => ({ sizes: { work: { count, at: noon, by: 'ann' } } });

export function demandStoreContract(name: string, make: () => DemandStore): void {
  describe(`DemandStore: ${name}`, () => {
    it('the demand of a cluster is returned as it was stored, and an unknown one is undefined', async () => {
      const store = make();
      const stored = aDemand({
        ...size(3),
        replace: [{ node: 'work-1', because: 'it hangs', at: noon, by: 'healing' }],
        failures: { other: { count: 4, at: noon, class: 'capacity', code: 'OutOfStock', message: 'none left' } },
      });
      await store.put(stored);
      expect(await store.get(key, 'web-1234567')).toEqual(stored);
      expect(await store.get(key, 'other-1234567')).toBeUndefined();
    });

    it('one of many writers of the same version of a demand succeeds', async () => {
      const store = make();
      await store.put(aDemand());
      const writers = [1, 2, 3].map((count) => store.put(aDemand({ version: 2, ...size(count) })));
      const outcomes = await Promise.allSettled(writers);
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      await expect(store.put(aDemand({ version: 2 }))).rejects.toMatchObject({ name: 'VersionConflict' });
      await expect(store.put(aDemand({ version: 1 }))).rejects.toMatchObject({ name: 'VersionConflict' });
      await expect(store.put(aDemand({ version: 4 }))).rejects.toMatchObject({ name: 'VersionConflict' });
    });

    it('the demands of one manifest are listed by cluster, and discarded without those of another', async () => {
      const store = make();
      for (const cluster of ['b-1234567', 'a-1234567']) await store.put(aDemand({ cluster }));
      await store.put(aDemand({ manifest: 'shop2', cluster: 'c-1234567' }));
      expect((await store.list(key)).map(({ cluster }) => cluster)).toEqual(['a-1234567', 'b-1234567']);
      await store.discard(key);
      expect(await store.list(key)).toEqual([]);
      expect(await store.list({ ...key, name: 'shop2' })).toHaveLength(1);
    });

    it('a demand that is removed starts again with its first version; removing it again is no error', async () => {
      const store = make();
      await store.put(aDemand());
      await store.remove(key, 'web-1234567');
      await store.remove(key, 'web-1234567');
      await store.put(aDemand());
      expect(await store.list(key)).toHaveLength(1);
    });
  });
}
