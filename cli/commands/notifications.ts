/** `kubeloom notifications`: where events are reported; Notifications are stored with `kubeloom apply`. */
import type { Command } from 'commander';
import type { NotificationDescription, NotificationSummary } from '#contracts/notifications.ts';
import { deliveryHints } from '#domain/notifications/delivery-causes.ts';
import { cliClient } from '../connection/api-client.ts';
import { addDocumentCommands } from '../document-commands.ts';
import { exitCodes } from '../exit-codes.ts';
import { parseManifestName } from '../manifest-name.ts';
import { jsonOption, namespaceOf } from '../options.ts';
import { note, paint, print, printJson } from '../print/output.ts';

export function registerNotifications(program: Command): void {
  const notifications = program
    .command('notifications')
    .description('Notifications: where events are reported; store them with `kubeloom apply`');
  addDocumentCommands(notifications, {
    kind: 'Notification',
    within: 'namespaces',
    list: {
      description: 'list the Notifications; exit 1 when messages of one are not accepted',
      rows: async (api, namespace) => {
        const { items } = await api.listNotifications({ namespace });
        const fails = ({ status }: NotificationSummary): boolean => ['Retrying', 'Refused'].includes(status.state);
        if (items.some(fails)) process.exitCode = exitCodes.fault;
        return items;
      },
      titles: ['NAMESPACE', 'NAME', 'STATE', 'TO', 'EVENTS', 'LAST SUCCESS', 'DROPPED'],
      cells: rowOf,
    },
    describe: {
      description: 'what it reports, the last success and the last failure with its cause',
      read: (api, key) => api.getNotification(key),
      print: describe,
    },
    document: async (api, key) => (await api.getNotification(key)).document,
    remove: {
      description: 'delete a Notification; nothing more is sent',
      act: (api, key) => api.deleteNotification(key),
    },
  });
  notifications
    .command('test <name>')
    .description('have a test message sent; `describe` shows whether it was accepted')
    .addOption(namespaceOf())
    .addOption(jsonOption())
    .action(async (name: string, { namespace, json }: { readonly namespace: string; readonly json?: boolean }) => {
      const found = await cliClient().testNotification(parseManifestName(name, namespace, 'a Notification'));
      if (json) return printJson(found);
      const command = `kubeloom notifications describe ${found.namespace}/${found.name}`;
      print(`a test message is sent within a minute on one machine and 5 minutes in AWS; \`${command}\` shows it`);
    });
}

function rowOf({ namespace, name, status, to, events }: NotificationSummary): string[] {
  return [namespace, name, status.state, to, events.join(','), status.lastSuccess ?? '', String(status.dropped)];
}

function describe({ namespace, name, to, address, events, namespaces, status, by }: NotificationDescription): void {
  const { state, recipient, lastSuccess = 'never', lastFailure, delivered, dropped, attempts } = status;
  print(
    `${paint('bold', `${namespace}/${name}`)}  ${to}${address === undefined ? '' : ` to ${address}`}, applied by ${by}`,
  );
  print(`${events.join(', ')} of ${namespaces.includes('*') ? 'all namespaces' : namespaces.join(', ')}`);
  const tries = attempts === 0 ? '' : `, ${attempts} attempts of the next message`;
  print(`${paint('bold', state)}  ${delivered} delivered, ${dropped} dropped${tries}, last success ${lastSuccess}`);
  if (to === 'email' && recipient !== 'confirmed') note(recipientHints[recipient ?? 'new'](`${namespace}/${name}`));
  if (lastFailure === undefined) return;
  const { at, cause, status: answered } = lastFailure;
  note(`${paint('red', cause)} ${at}${answered === undefined ? '' : ` (HTTP ${answered})`}: ${deliveryHints[cause]}`);
}

const recipientHints = {
  new: () => 'the recipient is asked to confirm within 5 minutes; nothing is sent before',
  unconfirmed: (name: string) =>
    `the recipient has not confirmed yet: the link is in a mail of AWS, also look under spam; \`kubeloom notifications test ${name}\` has another one sent`,
  unsubscribed: (name: string) =>
    `the recipient unsubscribed or did not confirm in time, and gets nothing; \`kubeloom notifications test ${name}\` has AWS ask them once more`,
} as const;
