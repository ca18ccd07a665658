/** Notifications in the store and on the wire: the document, who made it, what was sent last, and what failed. */
import { z } from 'zod';
import { Notification } from '#domain/manifest/schema/notification.ts';
import { deliveryCauses, recipientStates } from '#domain/notifications/delivery-causes.ts';
import { ManifestPath } from './http-parameters.ts';
import { maybeText } from './moved-templates.ts';

const count = z.number().int();

const Failure = z.object({
  at: z.string(),
  cause: z.enum(deliveryCauses),
  status: count.optional().describe('HTTP status of the answer, if there was one'),
});

export const NotificationStatus = z
  .object({
    state: z
      .enum(['Waiting', 'Delivering', 'Retrying', 'Refused', 'Suspended'])
      .describe(
        'Waiting: nothing was sent yet; Delivering: the last message was accepted; Retrying: the last one was not; Refused: the person who applied it no longer has the role operator',
      ),
    recipient: z
      .enum(recipientStates)
      .optional()
      .describe(
        'Of `email`. unconfirmed: asked, and has not confirmed yet; confirmed: gets what is sent; unsubscribed: gets nothing until asked once more. Absent: not asked yet',
      ),
    lastSuccess: maybeText.describe('when a message was accepted last'),
    lastFailure: Failure.optional().describe(
      'when the last message that was not accepted was sent, and why it was not',
    ),
    delivered: count.describe('messages that were accepted'),
    dropped: count.describe('messages that were given up: too many attempts, or too old'),
    attempts: count.describe('of the message that is sent next, so far'),
  })
  .meta({ id: 'NotificationStatus' });
export type NotificationStatus = z.infer<typeof NotificationStatus>;

export const NotificationRecord = z.strictObject({
  namespace: z.string(),
  name: z.string(),
  /** Optimistic lock: every write is one more than what it read. */
  version: count,
  document: Notification,
  /** Whose rights it has: checked whenever something is sent, never answered but for its name. */
  maker: z.strictObject({
    kind: z.enum(['iam', 'token', 'unknown']),
    name: z.string(),
    claims: z.record(z.string(), z.array(z.string())),
  }),
  /** When the document was stored, ISO 8601: earlier events are not sent. */
  at: z.string(),
  /** Nothing is sent before. */
  notBefore: z.string(),
  /** Id of the last event in the feed that is done with; absent: none yet. */
  cursor: maybeText,
  /** A test message was requested at that time. */
  testAt: maybeText,
  status: NotificationStatus,
});
export type NotificationRecord = z.infer<typeof NotificationRecord>;
export type NotificationKey = Pick<NotificationRecord, 'namespace' | 'name'>;

export const NotificationPath = ManifestPath;

export const NotificationSummary = z
  .object({
    namespace: z.string(),
    name: z.string(),
    by: z.string().describe('who applied it; it reports what they may see'),
    at: z.string(),
    to: Notification.shape.spec.shape.to,
    address: maybeText.describe('recipient of `email`'),
    events: z.array(z.string()),
    namespaces: z.array(z.string()),
    status: NotificationStatus,
  })
  .meta({ id: 'NotificationSummary' });
export type NotificationSummary = z.infer<typeof NotificationSummary>;

export const NotificationList = z.object({ items: z.array(NotificationSummary) }).meta({ id: 'NotificationList' });

export const NotificationDescription = NotificationSummary.extend({
  document: z.unknown().describe('as it can be applied again'),
}).meta({ id: 'NotificationDescription' });
export type NotificationDescription = z.infer<typeof NotificationDescription>;
