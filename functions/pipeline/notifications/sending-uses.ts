/** What sending notifications calls: it reads events and its own Secrets, and changes nothing but Notifications. */
import type { PortUse, Using } from '../../ports.ts';

export const sendingUses = [
  'feed.read',
  'mail.ready',
  'mail.remove',
  'mail.send',
  'notifications.get',
  'notifications.list',
  'notifications.put',
  'roleBindings.list',
  'secrets.get',
] as const satisfies readonly PortUse[];
export type SendingPorts = Using<(typeof sendingUses)[number] | 'clock' | 'config' | 'receivers'>;
