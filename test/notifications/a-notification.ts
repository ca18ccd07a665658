/** A Notification in the store, and its document. */
import type { NotificationRecord } from '#contracts/notifications.ts';
import { Notification } from '#domain/manifest/schema/notification.ts';

const noon = '2026-06-01T12:00:00.000Z';

export const aNotificationDocument = (spec: object = {}, { namespace = 'team', name = 'alerts' } = {}) => ({
  apiVersion: 'kubeloom.dev/v1',
  kind: 'Notification',
  metadata: { name, namespace },
  spec: { to: 'webhook', secretRef: { name: 'notification-hook' }, events: ['failures'], ...spec },
});

export function aNotification({
  namespace = 'team',
  name = 'alerts',
  version = 1,
  spec = {},
} = {}): NotificationRecord {
  return {
    namespace,
    name,
    version,
    document: Notification.parse(aNotificationDocument(spec, { namespace, name })),
    maker: { kind: 'token', name: 'local:olga', claims: { sub: ['local:olga'] } },
    at: noon,
    notBefore: noon,
    status: { state: 'Waiting', delivered: 0, dropped: 0, attempts: 0 },
  };
}
