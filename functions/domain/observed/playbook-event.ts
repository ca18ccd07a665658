/** One line of the callback of `templates/ansible`: what a playbook did on a host. Words of hosts are in it, so nothing in it is trusted. */
import { z } from 'zod';
import { closedText, MachineName, observedWords } from './closed-texts.ts';

/** Name of a play or a task: our own, which a host cannot change. */
const Title = closedText(200, /^[\w ,.:()'-]+$/);
const Words = observedWords(500);
const count = z.number().int().min(0);

export const PlaybookEvent = z.discriminatedUnion('event', [
  z.object({ event: z.enum(['play', 'task']), name: Title }),
  z.object({
    event: z.literal('ok'),
    host: MachineName,
    task: Title,
    changed: z.boolean(),
    /** What changed. */
    what: z.array(Words).max(200).default([]),
    /** What was tolerated, and why. */
    notes: z.array(Words).max(200).default([]),
  }),
  z.object({
    event: z.literal('facts'),
    host: MachineName,
    /** As printed, without the word in front: for `readMachineFacts`, which cuts what it shows of them. */
    lines: z.array(closedText(1_000_000, /^[^\n]*$/)).max(1000),
  }),
  z.object({
    event: z.enum(['failed', 'unreachable']),
    host: MachineName,
    task: Title,
    message: observedWords(2000),
    ignored: z.boolean().default(false),
  }),
  z.object({
    event: z.literal('stats'),
    hosts: z.record(MachineName, z.object({ ok: count, changed: count, failures: count, unreachable: count })),
  }),
]);
export type PlaybookEvent = z.infer<typeof PlaybookEvent>;
