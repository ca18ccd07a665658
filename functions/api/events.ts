/** Events, oldest first: of a manifest, and who changed Secrets, templates and roles. */
import type { EventPage } from '#contracts/api-bodies.ts';
import { operations } from '#contracts/operations/operations.ts';
import type { RunEvent } from '#contracts/records.ts';
import { PipelineError } from '#domain/errors.ts';
import { storedManifest } from '../pipeline/manifests/stored-manifest.ts';
import type { Page } from '../ports.ts';
import { changesOf, installationChanges } from './audit-event.ts';
import { handle } from './handle.ts';

/** A follower asks again with `next`. */
export const listEvents = handle(operations.listEvents, async ({ path, query }, deps) => {
  const page = await deps.events.list(path, query.limit, query.next);
  if (page.items.length === 0 && query.next === undefined) await storedManifest(deps, path);
  return { json: shown(page) };
});

/** Of a namespace, or, without one, of roles. */
export const listChanges = handle(operations.listChanges, async ({ query, caller }, deps) => {
  if (query.namespace === undefined && !caller.may('admin', '*')) {
    throw new PipelineError('Forbidden', 'only an admin of all namespaces sees changes of roles; name a namespace');
  }
  const page = await deps.events.list(changesOf(query.namespace ?? installationChanges), query.limit, query.next);
  return { json: shown(page) };
});

const shown = ({ items, next }: Page<RunEvent>): EventPage => ({
  items: [...items],
  ...(next !== undefined && { next }),
});
