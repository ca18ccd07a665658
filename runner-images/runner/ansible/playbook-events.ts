/** The NDJSON of `templates/ansible`: parses a line into an event and its text for the log. */
import { z } from 'zod';
import { parseJson } from '#domain/json.ts';

const PlaybookEvent = z.discriminatedUnion('event', [
  z.object({ event: z.enum(['play', 'task']), name: z.string() }),
  z.object({
    event: z.literal('ok'),
    host: z.string(),
    task: z.string(),
    changed: z.boolean(),
    what: z.array(z.string()).default([]),
    notes: z.array(z.string()).default([]),
  }),
  z.object({
    event: z.literal('facts'),
    host: z.string(),
    wireguardPublicKey: z.string().optional(),
    wireguardPort: z.coerce.number().int().optional(),
    bootId: z.string().optional(),
  }),
  z.object({
    event: z.enum(['failed', 'unreachable']),
    host: z.string(),
    task: z.string(),
    message: z.string(),
    ignored: z.boolean().default(false),
  }),
  z.object({
    event: z.literal('stats'),
    hosts: z.record(
      z.string(),
      z.object({ ok: z.number(), changed: z.number(), failures: z.number(), unreachable: z.number() }),
    ),
  }),
]);
export type PlaybookEvent = z.infer<typeof PlaybookEvent>;

/** The typed event of a line and what to log of it; lines that are not JSON are Ansible's own warnings. */
export function readPlaybookLine(line: string): { readonly event?: PlaybookEvent; readonly words: string | undefined } {
  if (!line.startsWith('{')) return { words: line };
  const parsed = PlaybookEvent.safeParse(parseJson(line));
  return parsed.success ? { event: parsed.data, words: wordsOf(parsed.data) } : { words: line };
}

function wordsOf(event: PlaybookEvent): string | undefined {
  switch (event.event) {
    case 'play':
      return `${event.name}`;
    case 'task':
      return `  ${event.name}`;
    case 'ok': {
      const details = [...event.what, ...event.notes.map((note) => `(${note})`)];
      return `    ${event.host}: ${event.changed ? 'changed' : 'ok'}${details.length > 0 ? `: ${details.join('; ')}` : ''}`;
    }
    case 'failed':
    case 'unreachable':
      return `    ${event.host}: ${event.event}${event.ignored ? ' (tolerated)' : ''}: ${event.message}`;
    case 'facts':
    case 'stats':
      return undefined;
    default:
      return event satisfies never;
  }
}
