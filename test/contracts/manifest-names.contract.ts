/** What every `ManifestStore` promises of DNS names: one manifest of the installation has each. */
import { describe, expect, it } from 'vitest';
import { mostClaimedNames } from '#domain/manifest/values/claimed-names.ts';
import type { ManifestStore } from '#functions/manifest-store.ts';
import { aManifest, key, minute, term } from './builders.ts';

const serving = (hostname: string | undefined, alternativeNames: readonly string[] = [], dnsZone = 'example.com') => ({
  kind: 'InputManifest',
  spec: { loadBalancers: { clusters: [{ dns: { dnsZone, hostname, alternativeNames } }] } },
});
const other = { ...key, name: 'other' };
const others = (document: unknown, change = {}) => aManifest({ ...other, document, ...change });

/** A run that ends as this. */
async function settled(
  store: ManifestStore,
  generation: number,
  status: 'Done' | 'Failed',
  served: readonly string[] = [],
): Promise<void> {
  const taken = await store.takeLease(key, `run-${generation}`, term(generation));
  const seen = { generation, attempt: 1 };
  await store.settle(key, taken?.lease.fence ?? 0, seen, status, minute(9), { served });
}

export function manifestNamesContract(name: string, make: () => ManifestStore): void {
  describe(`ManifestStore, names: ${name}`, () => {
    it('one of a hundred manifests that claim a name at once, in capitals or with a dot, has it', async () => {
      const store = make();
      const forms = [serving('k8s'), serving('K8S'), serving('x', ['k8s']), serving('k8s', [], 'Example.COM.')];
      const records = Array.from({ length: 100 }, (_, index) =>
        aManifest({ name: `shop-${index}`, document: forms[index % forms.length] }),
      );
      const outcomes = await Promise.allSettled(records.map((record) => store.create(record)));
      const winners = records.filter((_, index) => outcomes[index]?.status === 'fulfilled');
      expect(winners).toHaveLength(1);
      for (const one of outcomes)
        if (one.status === 'rejected') expect(one.reason).toMatchObject({ name: 'NameTaken' });
      const owner = { namespace: key.namespace, name: winners[0]?.name };
      expect([...(await store.ownersOf(['k8s.example.com', 'free.example.com']))]).toEqual([
        ['k8s.example.com', owner],
      ]);
      expect((await store.listHeads(undefined, 200)).items.map((head) => head.name)).toEqual([owner.name]);
    });

    it('a manifest that is refused for one of its names claims none of them, and may have others', async () => {
      const store = make();
      await store.create(aManifest({ document: serving('k8s', ['www']) }));
      const refused = store.create(others(serving('shop', ['www', 'mine'])));
      await expect(refused).rejects.toMatchObject({ name: 'NameTaken' });
      expect([...(await store.ownersOf(['shop.example.com', 'mine.example.com'])).keys()]).toEqual([]);
      await store.create(others(serving('shop', ['mine'])));
      const moved = store.replace(others(serving('k8s'), { generation: 2 }), { generation: 1, attempt: 1 });
      await expect(moved).rejects.toMatchObject({ name: 'NameTaken' });
      expect(await store.get(other)).toEqual(others(serving('shop', ['mine'])));
    });

    it('a stale writer learns of the newer version, and not of names', async () => {
      const store = make();
      await store.create(aManifest({ document: serving('k8s') }));
      await store.create(others({}));
      await store.replace(others({}, { generation: 2 }), { generation: 1, attempt: 1 });
      const late = store.replace(others(serving('k8s'), { generation: 2 }), { generation: 1, attempt: 1 });
      await expect(late).rejects.toMatchObject({ name: 'VersionConflict' });
    });

    it('a name that the document no longer has is free once that is reached, not before', async () => {
      const store = make();
      await store.create(aManifest({ document: serving('k8s', ['www']) }));
      await settled(store, 1, 'Done');
      await store.replace(aManifest({ generation: 2, document: serving('k8s') }), { generation: 1, attempt: 1 });
      const wanted = others(serving('www'));
      await expect(store.create(wanted)).rejects.toMatchObject({ name: 'NameTaken' });
      await settled(store, 2, 'Failed');
      await expect(store.create(wanted)).rejects.toMatchObject({ name: 'NameTaken' });
      await settled(store, 2, 'Done');
      await store.create(wanted);
      expect([...(await store.ownersOf(['k8s.example.com', 'www.example.com'])).values()]).toEqual([key, other]);
    });

    it('a document without any name releases all of them', async () => {
      const store = make();
      await store.create(aManifest({ document: serving('k8s', ['www']) }));
      await store.replace(aManifest({ generation: 2, document: {} }), { generation: 1, attempt: 1 });
      await settled(store, 2, 'Done');
      await store.create(others(serving('www', ['k8s'])));
    });

    it('a name that comes back before it is released stays claimed', async () => {
      const store = make();
      await store.create(aManifest({ document: serving('k8s') }));
      await store.replace(aManifest({ generation: 2, document: {} }), { generation: 1, attempt: 1 });
      await store.replace(aManifest({ generation: 3, document: serving('k8s') }), { generation: 2, attempt: 1 });
      await settled(store, 3, 'Done');
      await expect(store.create(others(serving('k8s')))).rejects.toMatchObject({ name: 'NameTaken' });
    });

    it('a deletion releases names, and so does discarding', async () => {
      const store = make();
      await store.create(aManifest({ document: serving('k8s', ['www']) }));
      const deleting = aManifest({ generation: 2, deleting: true, document: serving('k8s', ['www']) });
      await store.replace(deleting, { generation: 1, attempt: 1 });
      await expect(store.create(others(serving('www')))).rejects.toMatchObject({ name: 'NameTaken' });
      const taken = await store.takeLease(key, 'run-2', term(0));
      expect(await store.remove(key, taken?.lease.fence ?? 0, 2)).toBe('settled');
      await store.create(others(serving('www', ['k8s'])));
      await store.discard(other);
      await store.create(aManifest({ document: serving('k8s', ['www']) }));
    });

    it('a name that is served is released with what serves it, whatever the document says', async () => {
      const store = make();
      await store.create(aManifest({ document: serving('k8s', ['www']) }));
      await store.replace(aManifest({ generation: 2, document: {} }), { generation: 1, attempt: 1 });
      await settled(store, 2, 'Done', ['k8s.example.com']);
      await expect(store.create(others(serving('k8s')))).rejects.toMatchObject({ name: 'NameTaken' });
      await store.create(others(serving('www')));
      await settled(store, 2, 'Done');
      await store.create(aManifest({ name: 'third', document: serving('k8s') }));
    });

    it('a document claims and releases as many names as it may have', async () => {
      const store = make();
      const names = Array.from({ length: mostClaimedNames }, (_, index) => `n${index}`);
      await store.create(aManifest({ document: serving(undefined, names) }));
      const next = names.map((each) => `${each}-b`);
      await store.replace(aManifest({ generation: 2, document: serving(undefined, next) }), {
        generation: 1,
        attempt: 1,
      });
      await store.replace(aManifest({ generation: 3, document: {} }), { generation: 2, attempt: 1 });
      await settled(store, 3, 'Done');
      expect((await store.ownersOf([...names, ...next].map((each) => `${each}.example.com`))).size).toBe(0);
    });
  });
}
