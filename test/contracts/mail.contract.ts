/** What every `Mail` promises. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { MailMessage } from '#domain/notifications/messages.ts';
import type { Mail } from '#functions/mail-port.ts';

export interface MailUnderTest {
  readonly mail: Mail;
  /** Addresses that were asked to confirm. */
  readonly asked: readonly string[];
  readonly sent: readonly (MailMessage & { readonly to: string })[];
  /** The recipient opens the link of every request that has not ended. */
  confirm(address: string): void;
  unsubscribe(address: string): void;
}

const key = { namespace: 'team', name: 'alerts' };
const anns = { ...key, address: 'ann@example.com' };
const bobs = { ...key, address: 'bob@example.com' };
const message = { subject: 'RunFailed: team/shop', text: 'what happened' };

export function mailContract(name: string, make: () => MailUnderTest): void {
  describe(`Mail: ${name}`, () => {
    let on: MailUnderTest;
    beforeEach(() => {
      on = make();
    });

    it('a recipient is asked once, and gets only what is sent after the confirmation', async () => {
      expect(await on.mail.ready(anns, false)).toEqual({ recipient: 'unconfirmed' });
      expect(await on.mail.ready(anns, false)).toEqual({ recipient: 'unconfirmed' });
      expect(on.asked).toEqual([anns.address]);
      await on.mail.send(key, message);
      expect(on.sent).toEqual([]);
      on.confirm(anns.address);
      expect(await on.mail.ready(anns, true)).toEqual({ recipient: 'confirmed' });
      expect(await on.mail.send(key, message)).toEqual({ accepted: true });
      expect(on.sent).toEqual([{ to: anns.address, ...message }]);
      expect(on.asked).toEqual([anns.address]);
    });

    it('one who did not confirm, or unsubscribed, is asked once more only where that is wanted', async () => {
      await on.mail.ready(anns, false);
      await on.mail.ready(anns, true);
      expect(on.asked).toHaveLength(2);
      on.confirm(anns.address);
      on.unsubscribe(anns.address);
      expect(await on.mail.ready(anns, false)).toEqual({ recipient: 'unsubscribed' });
      expect(on.asked).toHaveLength(2);
      expect(await on.mail.ready(anns, true)).toEqual({ recipient: 'unconfirmed' });
      expect(on.asked).toHaveLength(3);
    });

    it.each([true, false])('another address gets what the one before it got (confirmed: %s)', async (isConfirmed) => {
      await on.mail.ready(anns, false);
      if (isConfirmed) on.confirm(anns.address);
      expect(await on.mail.ready(bobs, false)).toEqual({ recipient: 'unconfirmed' });
      on.confirm(anns.address);
      on.confirm(bobs.address);
      expect(await on.mail.ready(bobs, false)).toEqual({ recipient: 'confirmed' });
      await on.mail.send(key, message);
      expect(on.sent.map(({ to }) => to)).toEqual([bobs.address]);
    });

    it('Notifications have recipients of their own, and a removed one has none', async () => {
      const other = { namespace: 'team', name: `${'n'.repeat(60)}`, address: bobs.address };
      await on.mail.ready(anns, false);
      await on.mail.ready(other, false);
      on.confirm(anns.address);
      on.confirm(bobs.address);
      await on.mail.remove(key);
      await on.mail.remove(key);
      expect(await on.mail.send(key, message)).toEqual({ accepted: false, cause: 'refused', status: 404 });
      expect(await on.mail.send(other, message)).toEqual({ accepted: true });
      expect(on.sent.map(({ to }) => to)).toEqual([bobs.address]);
      expect(await on.mail.ready(anns, false)).toEqual({ recipient: 'unconfirmed' });
    });
  });
}
