/** What every `WaitingPlanStore` promises. */
import { describe, expect, it } from 'vitest';
import type { WaitingPlanRecord } from '#contracts/waiting-plans.ts';
import type { WaitingPlanStore } from '#functions/ports.ts';
import { minute } from './builders.ts';

const aPlan = (change: Partial<WaitingPlanRecord> = {}): WaitingPlanRecord => ({
  namespace: 'team',
  name: 'shop',
  id: 'a'.repeat(40),
  at: minute(0),
  by: 'olga',
  reason: 'changed',
  summary: '2 nodes added',
  difference: [{ currency: 'EUR', amount: 11.98 }],
  version: 'abcde-g1-a1',
  ...change,
});

export function waitingPlanStoreContract(name: string, make: () => WaitingPlanStore): void {
  describe(`WaitingPlanStore: ${name}`, () => {
    it('plans that wait are listed of all, of a namespace and of a manifest, the newest first', async () => {
      const store = make();
      const others = [
        aPlan({ id: 'b'.repeat(40), at: minute(2) }),
        aPlan({ name: 'shop2', at: minute(1) }),
        aPlan({ namespace: 'team2', at: minute(3), version: null }),
      ];
      for (const plan of [aPlan(), ...others]) await store.put(plan);
      const names = (found: readonly WaitingPlanRecord[]) =>
        found.map((one) => `${one.namespace}/${one.name} ${one.id[0]}`);
      expect(names(await store.list())).toEqual(['team2/shop a', 'team/shop b', 'team/shop2 a', 'team/shop a']);
      expect(names(await store.list({ namespace: 'team' }))).toEqual(['team/shop b', 'team/shop2 a', 'team/shop a']);
      expect(await store.list({ namespace: 'team', name: 'shop' })).toEqual([others[0], aPlan()]);
    });

    it('a plan that ended is in no list until it is proposed again', async () => {
      const store = make();
      await store.put(aPlan());
      await store.put(aPlan({ ended: true }));
      expect(await store.list()).toEqual([]);
      expect(await store.list({ namespace: 'team', name: 'shop' })).toEqual([]);
      await store.put(aPlan());
      expect(await store.list()).toEqual([aPlan()]);
    });

    it('a plan that is stored again replaces the one before, and one that is removed is gone, however often', async () => {
      const store = make();
      await store.put(aPlan());
      await store.put(aPlan({ by: 'anna' }));
      expect(await store.list()).toEqual([aPlan({ by: 'anna' })]);
      await store.remove(aPlan());
      await store.remove(aPlan());
      expect(await store.list()).toEqual([]);
    });
  });
}
