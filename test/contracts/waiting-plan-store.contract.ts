/** What every `WaitingPlanStore` promises. */
import { describe, expect, it } from 'vitest';
import type { WaitingPlanRecord } from '#contracts/waiting-plans.ts';
import type { WaitingPlanStore } from '#functions/waiting-plan-store.ts';
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

    it('a plan that an older release ended is in no list until it is proposed again', async () => {
      const store = make();
      await store.put(aPlan());
      await store.put(aPlan({ ended: true }));
      expect(await store.list()).toEqual([]);
      expect(await store.list({ namespace: 'team', name: 'shop' })).toEqual([]);
      await store.put(aPlan());
      expect(await store.list()).toEqual([aPlan()]);
    });

    it('a plan that is stored again replaces the one before, and one that is only kept does not', async () => {
      const store = make();
      await store.keep(aPlan());
      await store.keep(aPlan({ by: 'otto' }));
      expect(await store.list()).toEqual([aPlan()]);
      await store.put(aPlan({ by: 'anna' }));
      expect(await store.list()).toEqual([aPlan({ by: 'anna' })]);
    });

    it('a plan is decided once, and is in no list then, until it is proposed again', async () => {
      const store = make();
      await store.put(aPlan());
      const approved = { state: 'Approved' as const, by: 'anna', at: minute(1) };
      expect(await store.decide(aPlan(), approved)).toBeUndefined();
      expect(await store.decide(aPlan(), { state: 'Rejected', by: 'anton', at: minute(1) })).toEqual(approved);
      expect(await store.list()).toEqual([]);
      await store.keep(aPlan());
      expect(await store.list()).toEqual([]);
      await store.put(aPlan({ at: minute(2) }));
      expect(await store.list()).toEqual([aPlan({ at: minute(2) })]);
      // It was read before that.
      expect(await store.decide(aPlan(), { state: 'Rejected', by: 'anton', at: minute(3) })).toBeNull();
      expect(await store.list()).toHaveLength(1);
    });

    it('a plan whose decision is taken back waits again, with what was known of it; no other decision is taken back', async () => {
      const store = make();
      await store.put(aPlan());
      const { difference: _, ...read } = aPlan();
      const approved = { state: 'Approved' as const, by: 'anna', at: minute(1) };
      await store.decide(read, approved);
      await store.reopen(aPlan(), { ...approved, by: 'anton' });
      expect(await store.list()).toEqual([]);
      await store.reopen(aPlan(), approved);
      expect(await store.list()).toEqual([aPlan()]);
      await store.reopen(aPlan({ id: 'c'.repeat(40) }), approved);
      expect(await store.list()).toHaveLength(1);
    });

    it('a decision that was interrupted binds no one after five minutes, and a plan that is in no list is decided, too', async () => {
      const store = make();
      const rejected = (at: string, by = 'anna') => ({ state: 'Rejected' as const, by, at });
      expect(await store.decide(aPlan(), rejected(minute(1)))).toBeUndefined();
      expect(await store.decide(aPlan(), rejected(minute(6), 'anton'))).toEqual(rejected(minute(1)));
      expect(await store.decide(aPlan(), rejected(minute(7), 'anton'))).toBeUndefined();
      expect(await store.list()).toEqual([]);
    });

    it('exactly one of several that decide at the same moment does, and the others get its decision, a hundred times', async () => {
      const store = make();
      const states = ['Approved', 'Rejected', 'Withdrawn', 'Superseded'] as const;
      for (let round = 0; round < 100; round += 1) {
        const plan = aPlan({ id: String(round).padStart(40, '0') });
        await store.put(plan);
        const answers = await Promise.all(
          states.map((state) => store.decide(plan, { state, by: state.toLowerCase(), at: minute(1) })),
        );
        const winner = states[answers.indexOf(undefined)];
        const others = answers.filter((answer) => answer !== undefined);
        expect(others).toHaveLength(states.length - 1);
        for (const other of others) expect(other).toMatchObject({ state: winner });
      }
    });
  });
}
