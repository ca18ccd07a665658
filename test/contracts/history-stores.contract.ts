/** What every `RunStore` and every `EventStore` promises. */
import { describe, expect, it } from 'vitest';
import type { EventStore, RunStore } from '#functions/ports.ts';
import { anEvent, aRun, key, minute } from './builders.ts';

export function runStoreContract(name: string, make: () => RunStore): void {
  describe(`RunStore: ${name}`, () => {
    it('a run is returned as it was stored last', async () => {
      const store = make();
      await store.put(aRun());
      await store.put(aRun({ status: 'Running' }));
      expect(await store.get(key, aRun().runId)).toEqual(aRun({ status: 'Running' }));
      expect(await store.get(key, 'other')).toBeUndefined();
    });

    it('runs are listed newest first, page by page, also past generation 9', async () => {
      const store = make();
      for (const generation of [9, 10, 11, 8])
        await store.put(aRun({ runId: `shop-abcde-g${generation}-a1`, generation, queuedAt: minute(generation) }));
      await store.put(aRun({ manifest: 'other' }));
      const first = await store.list(key, 3);
      const second = await store.list(key, 3, first.next);
      expect([...first.items, ...second.items].map((run) => run.generation)).toEqual([11, 10, 9, 8]);
      expect(second.next).toBeUndefined();
    });
  });
}

export function eventStoreContract(name: string, make: () => EventStore): void {
  describe(`EventStore: ${name}`, () => {
    it('events are listed oldest first, and in the order of appending when their times are equal', async () => {
      const store = make();
      await store.append(key, [anEvent({ at: minute(2), message: 'last' })]);
      const batch = Array.from({ length: 30 }, (_, n) => anEvent({ at: minute(1), message: `step ${n}` }));
      await store.append(key, batch);
      const { items } = await store.list(key, 100);
      expect(items.map((event) => event.message)).toEqual([...batch.map((event) => event.message), 'last']);
    });

    it('an event that is appended twice is stored once', async () => {
      const store = make();
      await store.append(key, [anEvent()]);
      await store.append(key, [anEvent()]);
      expect((await store.list(key, 10)).items).toEqual([{ ...anEvent(), id: expect.any(String) }]);
    });

    it('an event with a mark is stored once for each mark and manifest, whenever it happened', async () => {
      const store = make();
      await store.appendOnce(key, '12#ann#run', anEvent());
      await store.appendOnce(key, '12#ann#run', anEvent({ at: minute(1) }));
      await store.appendOnce(key, '12#bob#run', anEvent({ at: minute(2) }));
      await store.appendOnce({ ...key, name: 'other' }, '12#ann#run', anEvent());
      expect((await store.list(key, 10)).items.map(({ at }) => at)).toEqual([anEvent().at, minute(2)]);
      expect((await store.list({ ...key, name: 'other' }, 10)).items).toHaveLength(1);
    });

    it('each event has an id of its own, also at the same time, and the same one whenever it is read', async () => {
      const store = make();
      await store.append(key, [anEvent({ message: 'one' }), anEvent({ message: 'two' })]);
      const first = (await store.list(key, 10)).items;
      await store.append(key, [anEvent({ at: minute(0), message: 'earlier' }), anEvent({ at: minute(3) })]);
      const later = (await store.list(key, 10)).items;
      expect(new Set(later.map(({ id }) => id)).size).toBe(4);
      for (const { id, message } of first) expect(later.find((event) => event.id === id)?.message).toBe(message);
    });

    it('a follower continues after the last page, also when there was nothing new', async () => {
      const store = make();
      expect(await store.list(key, 10)).toEqual({ items: [] });
      await store.append(key, [anEvent({ message: 'one' }), anEvent({ message: 'two' })]);
      const first = await store.list(key, 10);
      const quiet = await store.list(key, 10, first.next);
      expect(quiet).toEqual({ items: [], next: first.next });
      await store.append(key, [anEvent({ at: minute(1), message: 'three' })]);
      const later = await store.list(key, 10, quiet.next);
      expect(later.items.map((event) => event.message)).toEqual(['three']);
    });

    it('events from a time on begin with those of that very time, and the reader follows from there', async () => {
      const store = make();
      await store.append(
        key,
        [1, 2, 3].map((at) => anEvent({ at: minute(at), message: `minute ${at}` })),
      );
      const found = await store.list(key, 10, minute(2));
      expect(found.items.map((event) => event.message)).toEqual(['minute 2', 'minute 3']);
      expect((await store.list(key, 10, found.next)).items).toEqual([]);
      expect(await store.list(key, 10, minute(9))).toMatchObject({ items: [] });
    });
  });
}
