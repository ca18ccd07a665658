/** A manifest as it is now and what happened since, in one small answer: for those who watch. */
import { operations } from '#contracts/operations/operations.ts';
import { handle } from './http/handle.ts';
import { unlessSeen } from './http/not-modified.ts';
import { describeStored } from './manifests.ts';

const eventsAtMost = 100;

export const getLive = handle(operations.getLive, async ({ path, query, headers }, deps) => {
  const [manifest, { items: events, next }] = await Promise.all([
    describeStored(deps, path),
    deps.events.list(path, eventsAtMost, query.since),
  ]);
  const json = { manifest, events: [...events], ...(next !== undefined && { next }) };
  return unlessSeen(headers, json);
});
