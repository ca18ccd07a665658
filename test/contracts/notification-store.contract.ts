/** What every `NotificationStore` promises. */
import { describe, expect, it } from 'vitest';
import type { NotificationRecord } from '#contracts/notifications.ts';
import type { NotificationStore } from '#functions/ports.ts';
import { aNotification } from '#test/notifications/a-notification.ts';

export function notificationStoreContract(name: string, make: () => NotificationStore): void {
  describe(`NotificationStore: ${name}`, () => {
    it('a Notification is returned as it was stored, an unknown one is undefined, and a removed one is gone', async () => {
      const store = make();
      await store.put(aNotification());
      expect(await store.get(aNotification())).toEqual(aNotification());
      expect(await store.get(aNotification({ name: 'other' }))).toBeUndefined();
      await store.remove(aNotification());
      await store.remove(aNotification());
      expect(await store.get(aNotification())).toBeUndefined();
    });

    it('one of many writers of the same version of a Notification succeeds', async () => {
      const store = make();
      await store.put(aNotification());
      const outcomes = await Promise.allSettled([1, 2, 3].map(() => store.put(aNotification({ version: 2 }))));
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      for (const version of [1, 2, 4])
        await expect(store.put(aNotification({ version }))).rejects.toMatchObject({ name: 'VersionConflict' });
    });

    it('the Notifications of a namespace, or all, are listed by name', async () => {
      const store = make();
      for (const [namespace, name] of [
        ['team', 'b'],
        ['team2', 'c'],
        ['team', 'a'],
      ] as const)
        await store.put(aNotification({ namespace, name }));
      const names = (found: readonly NotificationRecord[]) => found.map((one) => one.name);
      expect(names(await store.list('team'))).toEqual(['a', 'b']);
      expect(names(await store.list())).toEqual(['a', 'b', 'c']);
    });
  });
}
