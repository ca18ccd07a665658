/** How the messages of a Notification reach who they are for: over HTTPS with the values of its Secret, or by e-mail to who confirmed. */
import type { NotificationRecord } from '#contracts/notifications.ts';
import { secretFieldFaults } from '#domain/manifest/secrets/secret-field-faults.ts';
import { consoleLink } from '#domain/notifications/console-link.ts';
import type { RecipientState } from '#domain/notifications/delivery-causes.ts';
import { type MessageForm, mailMessage, notificationMessage, type Reportable } from '#domain/notifications/messages.ts';
import type { DeliveryOutcome } from '#domain/notifications/next-status.ts';
import { secretPath } from '../records/secret-path.ts';
import type { SendingPorts } from './sending-uses.ts';

export type Unplaced = Omit<Reportable, 'installation'>;

export interface Delivery {
  /** Whether who gets e-mail confirmed, as far as it is known. */
  readonly recipient?: RecipientState;
  /** Why nothing can be sent now. */
  readonly failure?: Extract<DeliveryOutcome, { accepted: false }>;
  /** One attempt. */
  send(event: Unplaced): Promise<DeliveryOutcome>;
}

/** Has a recipient of e-mail asked, if no one did. */
export async function deliveryOf(deps: SendingPorts, record: NotificationRecord): Promise<Delivery> {
  const { to, secretRef, address } = record.document.spec;
  if (to !== 'email') return { send: (event) => post(deps, record, { to, secret: secretRef?.name ?? '', event }) };
  const { namespace, name, status, testAt } = record;
  const isAsked = status.recipient !== undefined && testAt === undefined;
  const found = await deps.mail.ready({ namespace, name, address: address ?? '' }, !isAsked);
  if ('failure' in found) return { failure: found.failure, send: async () => found.failure };
  if (found.recipient !== 'confirmed')
    return { recipient: found.recipient, send: async () => ({ accepted: false, cause: 'not-confirmed' }) };
  return {
    recipient: found.recipient,
    send: (event) => deps.mail.send({ namespace, name }, mailMessage(placed(deps, event))),
  };
}

interface Posted {
  readonly to: MessageForm;
  readonly secret: string;
  readonly event: Unplaced;
}

async function post(
  deps: SendingPorts,
  { namespace }: Pick<NotificationRecord, 'namespace'>,
  { to, secret, event }: Posted,
): Promise<DeliveryOutcome> {
  const values = await deps.secrets.get(secretPath(namespace, secret));
  if (values === undefined) return { accepted: false, cause: 'secret-missing' };
  const { url, signingkey: signingKey } = values;
  // It may have been stored before anything was known of its use.
  const isUsable = secretFieldFaults(values, to === 'webhook' ? 'webhook' : 'chat').every(
    ({ severity }) => severity !== 'error',
  );
  if (!isUsable || url === undefined) return { accepted: false, cause: 'secret-incomplete' };
  return deps.receivers.send({
    url,
    ...(to === 'webhook' && { signingKey }),
    // Id and time are parts of what is signed, with points between them.
    id: event.id.replaceAll('.', '-'),
    sentAt: deps.clock.now().toISOString(),
    message: notificationMessage(to, placed(deps, event)),
  });
}

function placed({ config }: Pick<SendingPorts, 'config'>, event: Unplaced): Reportable {
  return {
    ...event,
    installation: config.KUBELOOM_INSTALLATION,
    link: consoleLink(config.KUBELOOM_CONSOLE_URL, event),
  };
}
