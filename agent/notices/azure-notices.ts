/** Notices of Azure: Scheduled Events. They come 30 s (Preempt) to 15 minutes before, and are about every machine of an availability set. */
import { z } from 'zod';
import { parseJson } from '#domain/json.ts';
import type { Notice, NoticeKind } from '#domain/node-notice.ts';
import { closedText } from '#domain/observed/closed-texts.ts';
import { type AskMetadata, answeredText } from './metadata-service.ts';

/** The first request switches the events on for the machine, which takes up to two minutes. */
const firstMs = 130_000;
const headers = { Metadata: 'true' };
const eventsPath = '/metadata/scheduledevents?api-version=2020-07-01';
const namePath = '/metadata/instance/compute/name?api-version=2021-02-01&format=text';

const MachineName = closedText(100, /^[A-Za-z0-9][\w.-]*$/);

/** `Mon, 19 Sep 2026 18:29:47 GMT`; empty once it has started. */
const EventTime = closedText(40, /^(?:[A-Z][a-z]{2}, \d{1,2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT)?$/).transform(
  (text, { addIssue }) => {
    if (text === '') return undefined;
    const time = new Date(text);
    if (!Number.isNaN(time.getTime())) return time.toISOString();
    addIssue('is not a time');
    return z.NEVER;
  },
);

const kindOfType = {
  Preempt: 'ends',
  Terminate: 'ends',
  Reboot: 'returns',
  Redeploy: 'returns',
  Freeze: 'pauses',
} as const satisfies Record<string, NoticeKind>;

/** One that has another form hides no other. */
const ScheduledEvents = z.object({
  Events: z
    .array(
      z
        .object({
          EventType: z.enum(['Preempt', 'Terminate', 'Reboot', 'Redeploy', 'Freeze']),
          EventStatus: z.enum(['Scheduled', 'Started', 'Completed']),
          Resources: z.array(MachineName).max(2000),
          NotBefore: EventTime,
        })
        .optional()
        .catch(undefined),
    )
    .max(100),
});

/** All notices for this machine; throws when that is not known. */
export function azureNotices(ask: AskMetadata): () => Promise<readonly Notice[]> {
  let name: string | undefined;
  let answered = false;
  return async () => {
    name ??= MachineName.parse(answeredText(await ask(namePath, { headers }), 'name of the machine'));
    const answer = await ask(eventsPath, { headers, ...(!answered && { timeoutMs: firstMs }) });
    const { Events } = ScheduledEvents.parse(parseJson(answeredText(answer, 'scheduled events')));
    answered = true;
    return Events.flatMap((event) =>
      event === undefined || event.EventStatus === 'Completed' || !event.Resources.includes(name ?? '')
        ? []
        : [{ kind: kindOfType[event.EventType], ...(event.NotBefore && { by: event.NotBefore }) }],
    );
  };
}
