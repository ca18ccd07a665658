/** One function of a thread under test: it reads for ever when its event says so, and returns where it works. */
import { isMainThread } from 'node:worker_threads';

export const handler = async (event: { readonly endless?: boolean }): Promise<unknown> => {
  while (event.endless) Math.random();
  return { isMainThread, own: process.env.LOOPBACK_TEST_OWN };
};
