/** EventBridge's bus on 127.0.0.1: what is published is checked as there, and is a line of a file that any program may follow. */
import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, renameSync, statSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { z } from 'zod';
import { jsonOf } from '../json.ts';
import type { Logger } from '../logger.ts';
import { account, region } from '../names.ts';
import { AwsFault, awsJsonListener, operation } from '../server/aws-json.ts';

/** The file has at most so many bytes; what was before is in `….1`, as with the log of the platform. */
const largestFile = 10_000_000;
const largestRequest = 1_000_000;

const Entry = z.object({
  Source: z.string().max(256).optional(),
  DetailType: z.string().max(128).optional(),
  Detail: z.string().optional(),
  Time: z.number().optional(),
  Resources: z.array(z.string()).optional(),
  EventBusName: z.string().max(1600).optional(),
});
const Entries = z.object({ Entries: z.array(Entry).min(1).max(10) });

export function eventBusListener(options: {
  /** Name of the bus; there is no other. */
  readonly name: string;
  readonly file: string;
  readonly logger: Logger;
}): RequestListener {
  const { name, file, logger } = options;
  const put = operation(Entries, ({ Entries: entries }) => {
    if (Buffer.byteLength(JSON.stringify(entries)) > largestRequest)
      throw new AwsFault('ValidationException', `Total size of the entries in the request is over the limit.`);
    const results = entries.map((entry) => resultOf(entry, name));
    const lines = entries.flatMap((entry, place) =>
      results[place]?.EventId ? [lineOf(entry, results[place].EventId)] : [],
    );
    if (lines.length > 0) append(file, lines);
    return { FailedEntryCount: entries.length - lines.length, Entries: results };
  });
  return awsJsonListener('Events', '1.1', { PutEvents: put }, logger);
}

/** An entry is refused alone, in the words of the service. */
function resultOf(
  { Source, DetailType, Detail, EventBusName }: z.infer<typeof Entry>,
  name: string,
): { readonly EventId?: string; readonly ErrorCode?: string; readonly ErrorMessage?: string } {
  const refuse = (ErrorCode: string, ErrorMessage: string) => ({ ErrorCode, ErrorMessage });
  if (EventBusName !== name) return refuse('InvalidArgument', `Event bus ${EventBusName} does not exist.`);
  if (!Source)
    return refuse('InvalidArgument', 'Parameter Source is not valid. Reason: Source is a required argument.');
  if (Source.startsWith('aws.')) return refuse('NotAuthorizedForSourceException', 'Not authorized for the source.');
  if (!DetailType)
    return refuse('InvalidArgument', 'Parameter DetailType is not valid. Reason: DetailType is a required argument.');
  if (!isJsonObject(Detail)) return refuse('MalformedDetail', 'Detail is malformed.');
  return { EventId: randomUUID() };
}

/** As a target of a rule gets it. */
function lineOf({ Source, DetailType, Detail, Time, Resources }: z.infer<typeof Entry>, id: string): string {
  const time = new Date(Time === undefined ? Date.now() : Math.trunc(Time) * 1000).toISOString().replace('.000Z', 'Z');
  return JSON.stringify({
    version: '0',
    id,
    'detail-type': DetailType,
    source: Source,
    account,
    time,
    region,
    resources: Resources ?? [],
    detail: JSON.parse(Detail ?? '{}') as unknown,
  });
}

function append(file: string, lines: readonly string[]): void {
  if (existsSync(file) && statSync(file).size > largestFile) renameSync(file, `${file}.1`);
  appendFileSync(file, `${lines.join('\n')}\n`, { mode: 0o600 });
}

function isJsonObject(text = ''): boolean {
  const value = jsonOf(text);
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
