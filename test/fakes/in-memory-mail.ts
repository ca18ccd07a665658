/** `Mail` in memory, with recipients who confirm and unsubscribe. */
import type { NotificationKey } from '#contracts/notifications.ts';
import type { RecipientState } from '#domain/notifications/delivery-causes.ts';
import type { MailMessage } from '#domain/notifications/messages.ts';
import type { DeliveryOutcome } from '#domain/notifications/next-status.ts';
import type { Mail, MailRecipient, Readiness } from '#functions/mail-port.ts';

const idOf = ({ namespace, name }: NotificationKey): string => `${namespace}/${name}`;

export class InMemoryMail implements Mail {
  readonly #recipients = new Map<string, { readonly address: string; state: RecipientState }>();
  /** Addresses that were asked to confirm. */
  readonly asked: string[] = [];
  /** What arrived. */
  readonly sent: (MailMessage & { readonly to: string })[] = [];

  async ready({ address, ...key }: MailRecipient, again: boolean): Promise<Readiness> {
    const known = this.#recipients.get(idOf(key));
    const own = known?.address === address ? known : undefined;
    if (own && (own.state === 'confirmed' || !again)) return { recipient: own.state };
    this.#recipients.set(idOf(key), { address, state: 'unconfirmed' });
    this.asked.push(address);
    return { recipient: 'unconfirmed' };
  }

  async send(key: NotificationKey, message: MailMessage): Promise<DeliveryOutcome> {
    const known = this.#recipients.get(idOf(key));
    if (known === undefined) return { accepted: false, cause: 'refused', status: 404 };
    if (known.state === 'confirmed') this.sent.push({ to: known.address, ...message });
    return { accepted: true };
  }

  async remove(key: NotificationKey): Promise<void> {
    this.#recipients.delete(idOf(key));
  }

  confirm(address: string): void {
    this.#turn(address, 'unconfirmed', 'confirmed');
  }

  unsubscribe(address: string): void {
    this.#turn(address, 'confirmed', 'unsubscribed');
  }

  #turn(address: string, from: RecipientState, to: RecipientState): void {
    for (const known of this.#recipients.values())
      if (known.address === address && known.state === from) known.state = to;
  }
}
