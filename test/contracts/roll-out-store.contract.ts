/** What every `RollOutStore` promises. */
import { describe, expect, it } from 'vitest';
import type { RollOutRecord } from '#contracts/roll-outs.ts';
import { defaultRollOut } from '#domain/roll-out/roll-out-settings.ts';
import type { RollOutStore } from '#functions/ports.ts';
import { minute, noon } from './builders.ts';

export const aRollOut = (parts: Partial<RollOutRecord> = {}): RollOutRecord => ({
  namespace: 'team',
  id: '1',
  version: 1,
  execution: 1,
  direction: 'forward',
  status: 'Running',
  settings: defaultRollOut,
  documents: [],
  startedBy: 'ann',
  startedAt: noon,
  updatedAt: noon,
  clusters: [{ name: 'web', wave: 0, state: 'waiting', before: null, goal: 'x' }],
  ...parts,
});

export function rollOutStoreContract(name: string, make: () => RollOutStore): void {
  describe(`RollOutStore: ${name}`, () => {
    it('a roll-out is returned as it was stored, and an unknown one is undefined', async () => {
      const store = make();
      await store.put(aRollOut());
      expect(await store.get(aRollOut())).toEqual(aRollOut());
      expect(await store.get({ namespace: 'team', id: '2' })).toBeUndefined();
    });

    it('one of many writers of the same version of a roll-out succeeds', async () => {
      const store = make();
      await store.put(aRollOut());
      const outcomes = await Promise.allSettled([1, 2, 3].map(() => store.put(aRollOut({ version: 2 }))));
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      for (const version of [1, 2, 4])
        await expect(store.put(aRollOut({ version }))).rejects.toMatchObject({ name: 'VersionConflict' });
    });

    it('the roll-outs of one namespace are listed, newest first', async () => {
      const store = make();
      for (const id of ['2', '1', '3']) await store.put(aRollOut({ id }));
      await store.put(aRollOut({ namespace: 'other', id: '4' }));
      await store.putClaims({ namespace: 'team', version: 1, claims: [] });
      expect((await store.list('team', 2)).map(({ id }) => id)).toEqual(['3', '2']);
    });

    it('roll-outs that run and were not written for a while are found, the oldest first', async () => {
      const store = make();
      const at = (id: string, minutes: number, parts: Partial<RollOutRecord> = {}) =>
        store.put(aRollOut({ id, updatedAt: minute(minutes), ...parts }));
      await at('late', 9);
      await at('second', 2);
      await at('first', 1, { namespace: 'other' });
      await at('halted', 1, { status: 'Halted' });
      await at('ended', 1);
      await at('ended', 2, { version: 2, status: 'RolledOut' });
      await at('written', 1);
      await at('written', 8, { version: 2 });
      const found = async (limit: number) => (await store.quiet(minute(5), limit)).map(({ id }) => id);
      expect(await found(9)).toEqual(['first', 'second']);
      expect(await found(1)).toEqual(['first']);
    });

    it('roll-outs that halted are found in all namespaces, the last one first, until they are resumed', async () => {
      const store = make();
      const at = (id: string, minutes: number, parts: Partial<RollOutRecord> = {}) =>
        store.put(aRollOut({ id, updatedAt: minute(minutes), ...parts }));
      await at('running', 1);
      await at('first', 2, { status: 'Halted' });
      await at('last', 3, { status: 'Halted', namespace: 'other' });
      await at('resumed', 4, { status: 'Halted' });
      await at('resumed', 5, { version: 2 });
      await at('undone', 4, { status: 'Halted' });
      await at('undone', 6, { version: 2, status: 'Undone' });
      const found = async (limit: number) => (await store.halted(limit)).map(({ id }) => id);
      expect(await found(9)).toEqual(['last', 'first']);
      expect(await found(1)).toEqual(['last']);
    });

    it('one of several that claim clusters of a namespace at the same time succeeds', async () => {
      const store = make();
      expect(await store.claims('team')).toEqual({ namespace: 'team', version: 0, claims: [] });
      const claim = { namespace: 'team', version: 1, claims: [{ id: '1', at: noon, clusters: ['web'] }] };
      const outcomes = await Promise.allSettled([store.putClaims(claim), store.putClaims(claim)]);
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect(await store.claims('team')).toEqual(claim);
    });
  });
}
