/** Reads the stream of the table: new events get their place among those of all manifests, and go to the bus. */
import { z } from 'zod';
import { taskHandler } from '../middleware.ts';

const uses = ['feed.take', 'bus.publish'] as const;

export const handler = taskHandler(z.unknown(), uses, async (batch, { feed, bus }) => {
  const events = await feed.take(batch);
  // A bus that does not answer delays no one who reads the feed; the batch comes again, and finds its events there.
  await bus.publish(events);
  return { events: events.length };
});
