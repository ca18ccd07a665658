/** GET /v1/changes: who changed Secrets and templates of a namespace, or, without one, roles; oldest first. */
import type { EventPage } from '#contracts/api-bodies.ts';
import { NamespacedPageQuery } from '#contracts/http-parameters.ts';
import { PipelineError } from '#domain/errors.ts';
import { viewerAnywhere } from '../caller.ts';
import { httpHandler } from '../middleware.ts';
import { changesOf, installationChanges } from './audit-event.ts';

export const handler = httpHandler(
  { access: viewerAnywhere, query: NamespacedPageQuery },
  async ({ query, caller }, deps) => {
    if (query.namespace === undefined && !caller.may('admin', '*')) {
      throw new PipelineError('Forbidden', 'only an admin of all namespaces sees changes of roles; name a namespace');
    }
    const page = await deps.events.list(changesOf(query.namespace ?? installationChanges), query.limit, query.next);
    const json: EventPage = { items: [...page.items], ...(page.next !== undefined && { next: page.next }) };
    return { status: 200, json };
  },
);
