/** What every `ManifestStore` promises of leases: who holds one, what its fence refuses, and what settling or releasing leaves. */
import { describe, expect, it } from 'vitest';
import type { ManifestStore } from '#functions/manifest-store.ts';
import { aManifest, key, minute, term } from './builders.ts';

export function manifestLeasesContract(name: string, make: () => ManifestStore): void {
  describe(`leases of ManifestStore: ${name}`, () => {
    it('the lease is given to one of many', async () => {
      const store = make();
      await store.create(aManifest());
      const owners = ['a', 'b', 'c', 'd', 'e'];
      const taken = await Promise.all(owners.map((owner) => store.takeLease(key, owner, term(0))));
      expect(taken.filter(Boolean)).toHaveLength(1);
      expect(taken.find(Boolean)).toMatchObject({ lease: { fence: 1, expiresAt: minute(60) }, record: { fence: 1 } });
    });

    it('the lease is given again to its owner and, once expired, to another; the fence grows', async () => {
      const store = make();
      await store.create(aManifest());
      await store.takeLease(key, 'a', term(0));
      expect((await store.takeLease(key, 'a', term(1)))?.lease.fence).toBe(2);
      expect(await store.takeLease(key, 'b', term(60))).toBeUndefined();
      expect((await store.takeLease(key, 'b', term(62)))?.lease).toMatchObject({ owner: 'b', fence: 3 });
    });

    it('a manifest that does not exist has no lease', async () => {
      await expect(make().takeLease(key, 'a', term(0))).rejects.toMatchObject({ name: 'NotFound' });
    });

    it('a manifest is due at the time of its lease term, until the lease is renewed', async () => {
      const store = make();
      await store.create(aManifest());
      await store.takeLease(key, 'a', term(0));
      expect(await store.due(minute(29), 10)).toEqual([]);
      expect((await store.due(minute(30), 10)).map((record) => record.name)).toEqual(['shop']);
      await store.renewLease(key, 1, term(30));
      expect(await store.due(minute(30), 10)).toEqual([]);
      expect((await store.get(key))?.lease?.expiresAt).toBe(minute(90));
    });

    it('manifests that are at work are counted, up to a limit; those that are done or due are not', async () => {
      const store = make();
      for (const name of ['one', 'two', 'three', 'done']) {
        const made = aManifest({ name });
        await store.create(made);
        await store.takeLease({ namespace: made.namespace, name }, 'a', term(0));
      }
      const done = { namespace: aManifest().namespace, name: 'done' };
      await store.settle(done, 1, { generation: 1, attempt: 1 }, 'Done', minute(1), { dueAt: minute(300) });
      expect(await store.atWork(minute(29), 10)).toBe(3);
      expect(await store.atWork(minute(29), 2)).toBe(2);
      expect(await store.atWork(minute(30), 10)).toBe(0);
    });

    it('a fence that no longer holds the lease changes nothing', async () => {
      const store = make();
      await store.create(aManifest({ deleting: true }));
      await store.takeLease(key, 'a', term(0));
      await store.takeLease(key, 'b', term(61));
      const lost = { name: 'LeaseLost' };
      await expect(store.renewLease(key, 1, term(62))).rejects.toMatchObject(lost);
      await expect(store.begin(key, 1, minute(62))).rejects.toMatchObject(lost);
      const settled = store.settle(key, 1, { generation: 1, attempt: 1 }, 'Done', minute(62));
      await expect(settled).rejects.toMatchObject(lost);
      await expect(store.remove(key, 1, 1)).rejects.toMatchObject(lost);
      expect(await store.get(key)).toMatchObject({ status: 'Pending', lease: { owner: 'b', fence: 2 } });
    });

    it('what is accepted to cost is kept when a manifest settles, unless that says what it costs', async () => {
      const acceptedCost = { amounts: [{ currency: 'USD', amount: 10 }], notKnown: 1 };
      const less = { amounts: [{ currency: 'USD', amount: 5 }], notKnown: 0 };
      const seen = { generation: 1, attempt: 1 };
      const store = make();
      await store.create(aManifest({ acceptedCost }));
      await store.takeLease(key, 'a', term(0));
      await store.settle(key, 1, seen, 'Failed', minute(2));
      expect((await store.head(key))?.acceptedCost).toEqual(acceptedCost);
      await store.takeLease(key, 'a', term(3));
      await store.settle(key, 2, seen, 'Done', minute(4), { acceptedCost: less });
      expect((await store.head(key))?.acceptedCost).toEqual(less);
    });

    it('the lease says what its holder leads to, whatever is accepted meanwhile, until it begins again or ends', async () => {
      const cost = (amount: number) => ({ amounts: [{ currency: 'USD', amount }], notKnown: 0 });
      const store = make();
      await store.create(aManifest({ acceptedCost: cost(20) }));
      await store.takeLease(key, 'a', term(0));
      expect((await store.begin(key, 1, minute(1))).lease?.cost).toEqual(cost(20));
      await store.replace(aManifest({ generation: 2, acceptedCost: cost(5) }), { generation: 1, attempt: 1 });
      await store.renewLease(key, 1, term(2));
      expect(await store.head(key)).toMatchObject({ acceptedCost: cost(5), lease: { cost: cost(20) } });
      expect((await store.begin(key, 1, minute(2))).lease?.cost).toEqual(cost(5));
      await store.releaseLease(key, 'a');
      await store.takeLease(key, 'b', term(3));
      expect((await store.head(key))?.lease).not.toHaveProperty('cost');
    });

    it('a settled manifest has no lease and is no longer due', async () => {
      const store = make();
      await store.create(aManifest());
      await store.takeLease(key, 'a', term(0));
      expect(await store.begin(key, 1, minute(1))).toMatchObject({ status: 'Running', fence: 1 });
      expect(await store.settle(key, 1, { generation: 1, attempt: 1 }, 'Done', minute(2))).toBe('settled');
      expect(await store.get(key)).toMatchObject({ status: 'Done', updatedAt: minute(2), lease: null, fence: 1 });
      expect(await store.due(minute(999), 10)).toEqual([]);
    });

    it('a settled manifest is due again when asked for, and a replacement keeps the count of checks', async () => {
      const store = make();
      await store.create(aManifest());
      await store.takeLease(key, 'a', term(0));
      const seen = { generation: 1, attempt: 1 };
      expect(await store.settle(key, 1, seen, 'Done', minute(2), { dueAt: minute(300) })).toBe('settled');
      expect(await store.due(minute(299), 10)).toEqual([]);
      expect(await store.due(minute(300), 10)).toMatchObject([{ status: 'Done', dueAt: minute(300) }]);
      await store.replace(aManifest({ check: 'repair', checks: 4 }), seen);
      expect(await store.get(key)).toMatchObject({ check: 'repair', checks: 4 });
      await store.replace(aManifest({ attempt: 2 }), seen);
      expect(await store.get(key)).toMatchObject({ attempt: 2, checks: 4 });
      expect(await store.get(key)).not.toHaveProperty('check');
    });

    it('a failed manifest keeps its count of retries and is due after all others; a manifest that is done has no count', async () => {
      const store = make();
      const seen = { generation: 1, attempt: 1 };
      await store.create(aManifest({ name: 'waits', dueAt: minute(300) }));
      await store.create(aManifest({ retries: 2 }));
      await store.takeLease(key, 'a', term(0));
      await store.settle(key, 1, seen, 'Failed', minute(2), { dueAt: minute(299), failed: { retryAt: minute(299) } });
      expect((await store.due(minute(300), 1)).map(({ name }) => name)).toEqual(['waits']);
      const due = await store.due(minute(300), 10);
      expect(due).toMatchObject([
        { name: 'waits' },
        { status: 'Failed', retries: 2, dueAt: minute(299), failed: { retryAt: minute(299) } },
      ]);
      await store.takeLease(key, 'b', term(301));
      await store.settle(key, 2, seen, 'Done', minute(302));
      expect(await store.get(key)).not.toHaveProperty('retries');
      expect(await store.get(key)).not.toHaveProperty('failed');
    });

    it('a deletion starts with status Deleting', async () => {
      const store = make();
      await store.create(aManifest({ deleting: true, status: 'Failed' }));
      await store.takeLease(key, 'a', term(0));
      expect(await store.begin(key, 1, minute(1))).toMatchObject({ status: 'Deleting', updatedAt: minute(1) });
    });

    it('the lease is kept when there is something newer to settle', async () => {
      const store = make();
      await store.create(aManifest());
      await store.takeLease(key, 'a', term(0));
      await store.replace(aManifest({ attempt: 2 }), { generation: 1, attempt: 1 });
      expect(await store.settle(key, 1, { generation: 1, attempt: 1 }, 'Done', minute(2))).toBe('newer');
      expect(await store.get(key)).toMatchObject({ status: 'Pending', lease: { owner: 'a' } });
    });

    it('the lease is released for its named owner and for no one else', async () => {
      const store = make();
      await store.create(aManifest());
      await store.takeLease(key, 'a', term(0));
      expect((await store.releaseLease(key, 'b'))?.lease?.owner).toBe('a');
      expect((await store.releaseLease(key, 'a'))?.lease).toBeNull();
      expect((await store.releaseLease(key, 'a'))?.lease).toBeNull();
      expect((await store.due(minute(30), 10)).map(({ name }) => name)).toEqual(['shop']);
      expect(await store.releaseLease({ ...key, name: 'other' }, 'a')).toBeUndefined();
    });

    it('a manifest in deletion is removed, unless it was submitted again', async () => {
      const store = make();
      await store.create(aManifest({ deleting: true }));
      await store.takeLease(key, 'a', term(0));
      await store.replace(aManifest({ generation: 2, deleting: false }), { generation: 1, attempt: 1 });
      expect(await store.remove(key, 1, 1)).toBe('newer');
      await store.replace(aManifest({ generation: 3, deleting: true }), { generation: 2, attempt: 1 });
      expect(await store.remove(key, 1, 3)).toBe('settled');
      expect(await store.get(key)).toBeUndefined();
    });
  });
}
