/** Shapes of the events of all manifests. */
import { z } from 'zod';
import { page } from './api-bodies.ts';
import { RunEvent } from './records.ts';

/** An event with what it is about. */
export const FeedEvent = RunEvent.extend({
  id: z.string().describe('increases with each event; for `since`'),
  namespace: z.string().optional().describe('absent for events of the installation'),
  manifest: z.string().optional().describe('absent for events of a Secret, template or role'),
}).meta({ id: 'FeedEvent' });
export type FeedEvent = z.infer<typeof FeedEvent>;
/** With filters a page may be empty although more follows. */
export const FeedPage = page(FeedEvent)
  .extend({ more: z.boolean().describe('false: there are no more events yet; a follower requests `next` again later') })
  .meta({ id: 'FeedPage' });
