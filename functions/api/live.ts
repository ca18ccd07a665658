/** A manifest as it is now and what happened since, in one small answer: for those who watch. */
import { createHash } from 'node:crypto';
import { operations } from '#contracts/operations/operations.ts';
import { tagAllowed } from '../http.ts';
import { handle } from './handle.ts';
import { describeStored } from './manifests.ts';

const eventsAtMost = 100;

export const getLive = handle(operations.getLive, async ({ path, query, headers }, deps) => {
  const [manifest, { items: events, next }] = await Promise.all([
    describeStored(deps, path),
    deps.events.list(path, eventsAtMost, query.since),
  ]);
  const json = { manifest, events: [...events], ...(next !== undefined && { next }) };
  const etag = `"${createHash('sha256').update(JSON.stringify(json)).digest('base64url').slice(0, 20)}"`;
  const seen = headers['if-none-match'];
  if (seen !== undefined && tagAllowed(seen, etag)) return { status: 304 as const, headers: { etag } };
  return { status: 200 as const, json, headers: { etag } };
});
