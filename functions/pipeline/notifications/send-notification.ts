/** One step of a Notification: reads the events after its cursor, sends those that it names, and notes how that went. */
import type { NotificationRecord, NotificationStatus } from '#contracts/notifications.ts';
import { holds } from '#domain/access.ts';
import { isPipelineError } from '#domain/errors.ts';
import { afterAttempt, longestWaitMs } from '#domain/notifications/next-status.ts';
import { isNotified } from '#domain/notifications/notification-events.ts';
import { grantsOfCaller } from '../../caller.ts';
import type { StoredFeedEvent } from '../../ports.ts';
import { deliveryOf, type Unplaced } from './delivery.ts';
import type { SendingPorts } from './sending-uses.ts';

export type SendingStep = 'idle' | 'moved' | 'sent' | 'refused' | 'leftAlone';

/** Messages of one step; the others wait in the feed. */
const mostMessages = 20;
/** Events that are read at once, and how often in one step. */
const pageSize = 200;
const mostPages = 5;
/** If a step is interrupted, the next one begins after this. */
const claimSeconds = 300;

interface Found {
  readonly events: readonly StoredFeedEvent[];
  /** Id of the last event that was read. */
  readonly cursor: string | undefined;
}

export async function sendNotification(deps: SendingPorts, record: NotificationRecord): Promise<SendingStep> {
  if (record.document.spec.suspend) return 'idle';
  const grants = await grantsOfCaller(deps, { ...record.maker, from: '' });
  if (!holds(grants, 'operator', record.namespace)) {
    if (record.status.state !== 'Refused') await keep(deps, record, { status: { ...record.status, state: 'Refused' } });
    return 'refused';
  }
  const found = await nextEvents(deps, record, (namespace) => holds(grants, 'viewer', namespace));
  const hasWork = found.events.length > 0 || record.testAt !== undefined || awaitsRecipient(record);
  if (found.cursor === record.cursor && !hasWork) return 'idle';
  if (!hasWork) {
    await keep(deps, record, { cursor: found.cursor });
    return 'moved';
  }
  const claimed = { ...record, version: record.version + 1, notBefore: later(deps, claimSeconds) };
  try {
    await deps.notifications.put(claimed);
  } catch (error) {
    if (isPipelineError(error, 'VersionConflict')) return 'leftAlone';
    throw error;
  }
  await keep(deps, claimed, await sendAll(deps, claimed, found));
  return 'sent';
}

/** Until then each step asks SNS whether the recipient confirmed. */
function awaitsRecipient({ document, status }: NotificationRecord): boolean {
  return document.spec.to === 'email' && (status.recipient === undefined || status.recipient === 'unconfirmed');
}

async function nextEvents(
  deps: SendingPorts,
  { cursor: start, at, namespace: own, document }: NotificationRecord,
  isSeen: (namespace: string) => boolean,
): Promise<Found> {
  const { namespaces = [own], events: named } = document.spec;
  const isMeant = ({ manifest, event }: StoredFeedEvent): boolean =>
    event.at >= at &&
    isNotified(event.kind, named) &&
    (namespaces.includes('*') || namespaces.includes(manifest.namespace)) &&
    isSeen(manifest.namespace);
  let cursor = start;
  for (let page = 0; page < mostPages; page += 1) {
    const { items, more } = await deps.feed.read(cursor === undefined ? { since: at } : { after: cursor }, pageSize);
    const events = items.filter(isMeant);
    const last = events.length > mostMessages ? events[mostMessages - 1] : items.at(-1);
    cursor = last?.id ?? cursor;
    if (events.length > 0 || !more) return { events: events.slice(0, mostMessages), cursor };
  }
  return { events: [], cursor };
}

type Change = Partial<Pick<NotificationRecord, 'cursor' | 'status' | 'notBefore' | 'testAt'>>;

/** In their order. After one that is not accepted the others wait. */
async function sendAll(deps: SendingPorts, record: NotificationRecord, found: Found): Promise<Change> {
  const { send, recipient = record.status.recipient, failure } = await deliveryOf(deps, record);
  let status: NotificationStatus = { ...record.status, recipient };
  let { cursor } = record;
  if (record.testAt !== undefined) {
    const tested = afterAttempt({ ...status, attempts: 0 }, await send(testOf(record)), now(deps));
    status = { ...tested.status, attempts: status.attempts };
  }
  if (failure && found.events.length === 0) {
    const { accepted: _, ...cause } = failure;
    status = { ...status, state: 'Retrying', lastFailure: { at: now(deps), ...cause } };
  }
  for (const event of found.events) {
    const reported = reportable(event);
    const isOld = Date.parse(now(deps)) - Date.parse(event.event.at) > longestWaitMs;
    const outcome = isOld ? ({ accepted: false, cause: 'too-old' } as const) : await send(reported);
    const next = afterAttempt(status, outcome, now(deps));
    status = next.status;
    if (next.done) cursor = event.id;
    if (next.pauseSeconds > 0) return { cursor, status, notBefore: later(deps, next.pauseSeconds), testAt: undefined };
  }
  return { cursor: found.cursor, status, notBefore: now(deps), testAt: undefined };
}

function reportable({ id, manifest, event }: StoredFeedEvent): Unplaced {
  const { at, kind, level, message, cluster, runId } = event;
  const name = manifest.name.startsWith('@') ? undefined : manifest.name;
  return { id, at, kind, level, namespace: manifest.namespace, manifest: name, cluster, runId, message };
}

function testOf({ namespace, name, testAt = '' }: NotificationRecord): Unplaced {
  const message = `This is a test of the Notification ${namespace}/${name}.`;
  return { id: `test-${Date.parse(testAt)}`, at: testAt, kind: 'Test', level: 'info', namespace, message };
}

/** Another request may have stored a new document meanwhile: what was sent is noted in it, or it would be sent twice. */
async function keep(
  { notifications, mail }: Pick<SendingPorts, 'mail' | 'notifications'>,
  before: NotificationRecord,
  change: Change,
): Promise<void> {
  try {
    await notifications.put({ ...before, ...change, version: before.version + 1 });
  } catch (error) {
    if (!isPipelineError(error, 'VersionConflict')) throw error;
    const stored = await notifications.get(before);
    // It was deleted or got another form while its recipient was asked.
    if (before.document.spec.to === 'email' && stored?.document.spec.to !== 'email') await mail.remove(before);
    if (stored === undefined || stored.at !== before.at) return;
    const { cursor = stored.cursor, status = stored.status } = change;
    await notifications.put({ ...stored, cursor, status, version: stored.version + 1 });
  }
}

const now = ({ clock }: Pick<SendingPorts, 'clock'>): string => clock.now().toISOString();

const later = ({ clock }: Pick<SendingPorts, 'clock'>, seconds: number): string =>
  new Date(clock.now().getTime() + seconds * 1000).toISOString();
