/**
 * Notices of AWS, in the metadata of an instance (IMDSv2): interruptions of spot instances (two minutes before), the recommendation to
 * rebalance, and scheduled maintenance (days before).
 */
import { z } from 'zod';
import { parseJson } from '#domain/json.ts';
import type { Notice } from '#domain/node-notice.ts';
import { closedText } from '#domain/observed/closed-texts.ts';
import { type AskMetadata, answeredText } from './metadata-service.ts';

/** A token lives for so long; it is renewed sooner. */
const tokenSeconds = 21_600;
const renewMs = 3 * 3_600_000;
/** Pods leave a machine that restarts so long before; one that ends later than that is replaced first. */
const soonMs = 10 * 60_000;

const Token = closedText(200, /^[\w+/=-]+$/);
/** `hibernate` ends it, too: no one resumes it soon. */
const InstanceAction = z.object({ action: z.enum(['terminate', 'stop', 'hibernate']), time: z.iso.datetime() });
const Rebalance = z.object({ noticeTime: z.iso.datetime() });

/** `21 Jan 2026 09:00:43 GMT` */
const EventTime = closedText(40, /^\d{1,2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/).transform(
  (text, { addIssue }) => {
    const time = new Date(text);
    if (!Number.isNaN(time.getTime())) return time.toISOString();
    addIssue('is not a time');
    return z.NEVER;
  },
);

/** One that has another form hides no other. */
const MaintenanceEvents = z
  .array(
    z
      .object({
        Code: z.enum([
          'instance-stop',
          'instance-retirement',
          'instance-reboot',
          'system-reboot',
          'system-maintenance',
        ]),
        State: z.enum(['active', 'completed', 'canceled']),
        NotBefore: EventTime,
      })
      .optional()
      .catch(undefined),
  )
  .max(100);

const kindOfCode = {
  'instance-stop': 'ends',
  'instance-retirement': 'ends',
  'instance-reboot': 'returns',
  'system-reboot': 'returns',
  'system-maintenance': 'pauses',
} as const;

/** All notices there are now; throws when that is not known. */
export function awsNotices(ask: AskMetadata, now: () => Date): () => Promise<readonly Notice[]> {
  let token: { readonly text: string; readonly at: number } | undefined;
  const newToken = async (): Promise<{ readonly text: string; readonly at: number }> => {
    const headers = { 'x-aws-ec2-metadata-token-ttl-seconds': String(tokenSeconds) };
    const answer = await ask('/latest/api/token', { method: 'PUT', headers });
    return { text: Token.parse(answeredText(answer, 'token')), at: now().getTime() };
  };
  /** Undefined: the machine has no such notice. */
  const read = async <Shape extends z.ZodType>(item: string, shape: Shape): Promise<z.infer<Shape> | undefined> => {
    if (token === undefined || now().getTime() - token.at > renewMs) token = await newToken();
    const answer = await ask(`/latest/meta-data/${item}`, { headers: { 'x-aws-ec2-metadata-token': token.text } });
    // It has expired, as after a stop: the next round gets another one.
    if (answer.status === 401) token = undefined;
    return answer.status === 404 ? undefined : shape.parse(parseJson(answeredText(answer, item)));
  };
  return async () => {
    const action = await read('spot/instance-action', InstanceAction);
    const rebalance = await read('events/recommendations/rebalance', Rebalance);
    const events = (await read('events/maintenance/scheduled', MaintenanceEvents)) ?? [];
    return [
      ...(action ? [{ kind: 'ends' as const, by: action.time }] : []),
      ...(rebalance ? [{ kind: 'atRisk' as const }] : []),
      ...events.flatMap((event) => (event?.State === 'active' ? maintenance(event, now()) : [])),
    ];
  };
}

function maintenance(
  { Code, NotBefore }: { readonly Code: keyof typeof kindOfCode; readonly NotBefore: string },
  now: Date,
): readonly Notice[] {
  const kind = kindOfCode[Code];
  const isSoon = Date.parse(NotBefore) - now.getTime() <= soonMs;
  if (isSoon) return [{ kind, by: NotBefore }];
  return kind === 'ends' ? [{ kind: 'atRisk', by: NotBefore }] : [];
}
