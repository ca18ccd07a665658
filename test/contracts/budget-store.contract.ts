/** What every `BudgetStore` promises, over the stores of what is accepted. */
import { describe, expect, it } from 'vitest';
import type { BudgetShare } from '#domain/prices/budget-share.ts';
import type { BudgetStore } from '#functions/budget-store.ts';
import type { ManifestStore } from '#functions/manifest-store.ts';
import type { RollOutStore } from '#functions/ports.ts';
import { aManifest, key } from './builders.ts';
import { aRollOut } from './roll-out-store.contract.ts';

export interface AcceptingStores {
  readonly budgets: BudgetStore;
  readonly manifests: ManifestStore;
  readonly rollOuts: RollOutStore;
}

/** Dollars in hundredths. */
const share = (hundredths: number, meterAtMost: number, of = 'team'): BudgetShare => ({
  of,
  takes: [{ currency: 'USD', hundredths, meterAtMost }],
});
const nothing = { accepted: {}, version: 0, rollOuts: [] };
const named = (name: string) => aManifest({ name });

export function budgetStoreContract(name: string, make: () => AcceptingStores): void {
  describe(`BudgetStore: ${name}`, () => {
    it('a budget of which nothing was taken has an empty meter and no roll-outs', async () => {
      expect(await make().budgets.get('*')).toEqual({ of: '*', ...nothing });
    });

    it('a manifest is stored together with what it takes of each budget, new or in place of a version', async () => {
      const { budgets, manifests } = make();
      await budgets.acceptManifest([share(1000, 0), share(1000, 0, '*')], { manifest: aManifest() });
      const next = aManifest({ generation: 2, document: { two: 2 }, checksum: 'c2' });
      await budgets.acceptManifest([share(500, 1000)], { manifest: next, expected: { generation: 1, attempt: 1 } });
      expect(await manifests.get(key)).toEqual(next);
      expect(await budgets.get('team')).toEqual({ of: 'team', ...nothing, accepted: { USD: 1500 } });
      expect(await budgets.get('*')).toEqual({ of: '*', ...nothing, accepted: { USD: 1000 } });
    });

    it('a manifest with a name of another one takes nothing of a budget', async () => {
      const { budgets, manifests } = make();
      const document = {
        spec: { loadBalancers: { clusters: [{ dns: { dnsZone: 'example.com', hostname: 'k8s' } }] } },
      };
      await manifests.create(aManifest({ document }));
      const late = budgets.acceptManifest([share(1000, 0)], { manifest: aManifest({ name: 'late', document }) });
      await expect(late).rejects.toMatchObject({ name: 'NameTaken' });
      expect((await budgets.get('team')).accepted).toEqual({});
    });

    it('another attempt of a generation takes its share, too', async () => {
      const { budgets, manifests } = make();
      await manifests.create(aManifest());
      await budgets.acceptManifest([share(500, 0)], {
        manifest: aManifest({ attempt: 2 }),
        expected: { generation: 1, attempt: 1 },
      });
      expect(await manifests.get(key)).toEqual(aManifest({ attempt: 2 }));
      expect((await budgets.get('team')).accepted).toEqual({ USD: 500 });
    });

    it('a large document is accepted, and the one that is too old is removed with it', async () => {
      const { budgets, manifests } = make();
      await manifests.create(aManifest());
      for (let generation = 2; generation <= 11; generation++)
        await manifests.replace(aManifest({ generation }), { generation: generation - 1, attempt: 1 });
      const document = { text: 'é'.repeat(150_000) };
      const next = aManifest({ generation: 12, document });
      await budgets.acceptManifest([share(1000, 0)], { manifest: next, expected: { generation: 11, attempt: 1 } });
      expect((await manifests.get(key))?.document).toEqual(document);
      expect((await manifests.generations(key)).map(({ generation }) => generation).at(-1)).toBe(2);
    });

    it('each of many at once is stored as long as it has room for those before it', async () => {
      const { budgets, manifests } = make();
      const names = ['a', 'b', 'c', 'd', 'e', 'f'];
      // Each has room for two others.
      const outcomes = await Promise.allSettled(
        names.map((one) => budgets.acceptManifest([share(1000, 2000)], { manifest: named(one) })),
      );
      const refused = outcomes.filter(({ status }) => status === 'rejected');
      expect(refused).toHaveLength(3);
      for (const one of refused) expect(one).toMatchObject({ reason: { name: 'BudgetMoved' } });
      expect((await manifests.list(undefined, 10)).items).toHaveLength(3);
      expect((await budgets.get('team')).accepted).toEqual({ USD: 3000 });
    });

    it('nothing is stored, and nothing is taken of any budget, when one of them bears it no more', async () => {
      const { budgets, manifests } = make();
      await budgets.acceptManifest([share(1000, 0, '*')], { manifest: named('first') });
      const late = budgets.acceptManifest([share(1000, 0), share(1000, 999, '*')], { manifest: aManifest() });
      await expect(late).rejects.toMatchObject({ name: 'BudgetMoved' });
      expect(await manifests.get(key)).toBeUndefined();
      expect((await budgets.get('team')).accepted).toEqual({});
    });

    it('nothing is taken when the manifest was changed by another', async () => {
      const { budgets, manifests } = make();
      await manifests.create(aManifest());
      const again = budgets.acceptManifest([share(1000, 0)], { manifest: aManifest() });
      await expect(again).rejects.toMatchObject({ name: 'VersionConflict', details: { generation: 1, attempt: 1 } });
      const old = { generation: 0, attempt: 1 };
      const late = budgets.acceptManifest([share(1000, 0)], { manifest: aManifest({ generation: 2 }), expected: old });
      await expect(late).rejects.toMatchObject({ name: 'VersionConflict' });
      expect(await budgets.get('team')).toEqual({ of: 'team', ...nothing });
    });

    it('the currencies of a budget have a meter each', async () => {
      const { budgets } = make();
      await budgets.acceptManifest([share(1000, 0)], { manifest: named('dollars') });
      const euros = { currency: 'EUR', hundredths: 700, meterAtMost: 0 };
      await budgets.acceptManifest([{ of: 'team', takes: [euros] }], { manifest: named('euros') });
      expect((await budgets.get('team')).accepted).toEqual({ USD: 1000, EUR: 700 });
    });

    it('a roll-out is stored with its share and the list that names it, one list after the other', async () => {
      const { budgets, rollOuts } = make();
      const { namespace, id } = aRollOut();
      const next = { version: 1, rollOuts: [{ namespace, id }] };
      await budgets.acceptRollOut([{ ...share(1000, 0), next }], aRollOut());
      expect(await rollOuts.get(aRollOut())).toEqual(aRollOut());
      expect(await budgets.get('team')).toEqual({ of: 'team', accepted: { USD: 1000 }, ...next });
      const late = budgets.acceptRollOut([{ ...share(1, 9999), next }], aRollOut({ id: '2' }));
      await expect(late).rejects.toMatchObject({ name: 'BudgetMoved' });
      expect(await rollOuts.get(aRollOut({ id: '2' }))).toBeUndefined();
      const after = { version: 2, rollOuts: [] };
      await budgets.acceptRollOut([{ of: 'team', takes: [], next: after }], aRollOut({ version: 2 }));
      expect(await budgets.get('team')).toEqual({ of: 'team', accepted: { USD: 1000 }, ...after });
    });

    it('what an approval leads beyond a budget is taken, however much others took', async () => {
      const { budgets } = make();
      await budgets.acceptManifest([share(1000, 0)], { manifest: named('first') });
      const takes = [{ currency: 'USD', hundredths: 9000 }];
      const next = { version: 1, rollOuts: [{ namespace: 'team', id: '1' }] };
      await budgets.acceptRollOut([{ of: 'team', takes, next }], aRollOut());
      expect((await budgets.get('team')).accepted).toEqual({ USD: 10_000 });
    });
  });
}
