/** Notifications: stored, listed with the state of their delivery, tested, deleted. What sends them: `pipeline/notifications/`. */
import type { NotificationDescription, NotificationRecord, NotificationSummary } from '#contracts/notifications.ts';
import { operations } from '#contracts/operations/operations.ts';
import { pathFaults, refuseFaults, storageFaults, wireFaults } from '#documents/wire-faults.ts';
import { PipelineError } from '#domain/errors.ts';
import { error, type Fault } from '#domain/manifest/faults/fault.ts';
import type { Notification } from '#domain/manifest/schema/notification.ts';
import { validateNotification } from '#domain/manifest/validate-notification.ts';
import type { AdmittedCaller } from '../caller.ts';
import { recordChange } from '../pipeline/records/audit-event.ts';
import { validationContextOf } from '../pipeline/submission/validation-context.ts';
import type { ApiPorts } from '../rights/api-uses.ts';
import { makerOf } from './git-sources.ts';
import { handle } from './http/handle.ts';
import { unlessSeen } from './http/not-modified.ts';
import { requestDocument } from './http/request-document.ts';

/** In one namespace: each is work of its own for whatever happens. */
const mostOfNamespace = 20;

export const putNotification = handle(operations.putNotification, async (request, deps) => {
  const { path, caller } = request;
  const document = requestDocument(request, deps);
  const context = await validationContextOf(deps, path, document, caller);
  const { document: parsed, faults } = validateNotification(document, context);
  const all = [
    ...storageFaults(document),
    ...pathFaults(document, path),
    ...faults,
    ...(parsed ? unseenFaults(parsed, caller) : []),
  ];
  refuseFaults('Notification', path, wireFaults(all, document));
  if (parsed === undefined) throw new PipelineError('InternalFault', 'a document without faults was not parsed');
  const stored = await deps.notifications.list(path.namespace);
  const before = stored.find(({ name }) => name === path.name);
  if (before === undefined && stored.length >= mostOfNamespace) {
    const message = `namespace "${path.namespace}" has ${mostOfNamespace} Notifications, which is the most; delete one first`;
    throw new PipelineError('InvalidInput', message);
  }
  const at = deps.clock.now().toISOString();
  const record: NotificationRecord = {
    // What happened while it was suspended is not sent later.
    ...(before && !before.document.spec.suspend
      ? { ...before, status: unrefused(before) }
      : { status: emptyStatus, at }),
    namespace: path.namespace,
    name: path.name,
    version: (before?.version ?? 0) + 1,
    document: parsed,
    maker: makerOf(caller),
    notBefore: at,
  };
  await deps.notifications.put(record);
  if (before?.document.spec.to === 'email' && parsed.spec.to !== 'email') await deps.mail.remove(path);
  await recordChange(deps, path.namespace, `Notification ${path.name} stored`, caller);
  return { json: summaryOf(record) };
});

export const listNotifications = handle(operations.listNotifications, async ({ query, caller, headers }, deps) => {
  const found = await deps.notifications.list(query.namespace);
  return unlessSeen(headers, {
    items: found.filter(({ namespace }) => caller.may('viewer', namespace)).map(summaryOf),
  });
});

export const getNotification = handle(operations.getNotification, async ({ path }, deps) => {
  const record = await storedNotification(deps, path);
  const json: NotificationDescription = { ...summaryOf(record), document: record.document };
  return { json };
});

export const deleteNotification = handle(operations.deleteNotification, async ({ path, caller }, deps) => {
  const { document } = await storedNotification(deps, path);
  const removeRecipient = async () => document.spec.to === 'email' && deps.mail.remove(path);
  // Twice: the first may fail, and then nothing is deleted; before the second, a message may be on its way.
  await removeRecipient();
  await deps.notifications.remove(path);
  await removeRecipient();
  await recordChange(deps, path.namespace, `Notification ${path.name} deleted`, caller);
  return {};
});

export const testNotification = handle(operations.testNotification, async ({ path, caller }, deps) => {
  const stored = await storedNotification(deps, path);
  const at = deps.clock.now().toISOString();
  const record = { ...stored, version: stored.version + 1, testAt: at, notBefore: at };
  await deps.notifications.put(record);
  await recordChange(deps, path.namespace, `Notification ${path.name} tested`, caller);
  return { json: summaryOf(record) };
});

/** Names of the Notifications that use a Secret. */
export async function notificationsThatUse(
  deps: Pick<ApiPorts, 'notifications'>,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Promise<readonly string[]> {
  const found = await deps.notifications.list(namespace);
  return found
    .filter(({ document }) => document.spec.secretRef?.name === name)
    .map((one) => `Notification ${one.namespace}/${one.name}`);
}

const emptyStatus = { state: 'Waiting', delivered: 0, dropped: 0, attempts: 0 } as const;

/** Someone with the role applied it now; a recipient of e-mail who did not confirm, or another one, is asked once more. */
function unrefused({ status: { recipient: _, ...status } }: NotificationRecord): NotificationRecord['status'] {
  return status.state === 'Refused' ? { ...status, state: 'Waiting' } : status;
}

/** No one is sent what the caller could not read. */
function unseenFaults({ spec }: Notification, caller: AdmittedCaller): readonly Fault[] {
  return (spec.namespaces ?? []).flatMap((namespace, place) =>
    caller.may('viewer', namespace)
      ? []
      : [
          error(
            ['spec', 'namespaces', place],
            `you do not have the role viewer in ${namespace === '*' ? 'all namespaces' : `namespace "${namespace}"`}`,
            'remove it, or ask an admin for the role',
          ),
        ],
  );
}

async function storedNotification(
  deps: Pick<ApiPorts, 'notifications'>,
  key: { readonly namespace: string; readonly name: string },
): Promise<NotificationRecord> {
  const found = await deps.notifications.get(key);
  if (found) return found;
  throw new PipelineError('NotFound', `there is no Notification "${key.namespace}/${key.name}"`);
}

function summaryOf({ namespace, name, maker, at, document, status }: NotificationRecord): NotificationSummary {
  const { to, address, events, namespaces = [namespace], suspend } = document.spec;
  const shown = suspend ? { ...status, state: 'Suspended' as const } : status;
  return { namespace, name, by: maker.name, at, to, address, events, namespaces, status: shown };
}
