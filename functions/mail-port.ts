/** The interface to e-mail: a Notification has one recipient, who confirms before anything is sent. */
import type { NotificationKey } from '#contracts/notifications.ts';
import type { RecipientState } from '#domain/notifications/delivery-causes.ts';
import type { MailMessage } from '#domain/notifications/messages.ts';
import type { DeliveryOutcome } from '#domain/notifications/next-status.ts';

export interface MailRecipient extends NotificationKey {
  readonly address: string;
}

/** Whether the recipient confirmed, or why that is not known. */
export type Readiness =
  | { readonly recipient: RecipientState }
  | { readonly failure: Extract<DeliveryOutcome, { accepted: false }> };

export interface Mail {
  /**
   * Addresses that the Notification had before get nothing any more. A recipient whom no one asked is asked to confirm; with `again`
   * also one who did not confirm, or unsubscribed. Never throws.
   */
  ready(recipient: MailRecipient, again: boolean): Promise<Readiness>;
  /** One attempt, to those who confirmed. Never throws. */
  send(key: NotificationKey, message: MailMessage): Promise<DeliveryOutcome>;
  /** Nothing is left of its recipient; it may be gone already. */
  remove(key: NotificationKey): Promise<void>;
}
