/** The runs and events of a manifest, also of one that is deleted, and who changed Secrets, templates and roles. */
import type { EventPage } from '#contracts/api-bodies.ts';
import { changesOf, installationChanges } from '#contracts/change-events.ts';
import { operations } from '#contracts/operations/operations.ts';
import type { ManifestKey, RunRecord, StoredEvent } from '#contracts/records.ts';
import { PipelineError } from '#domain/errors.ts';
import type { Page } from '../page.ts';
import { storedManifest } from '../pipeline/records/stored-manifest.ts';
import { withRealStatus } from '../pipeline/runs/passed-over.ts';
import type { ApiPorts } from '../rights/api-uses.ts';
import { handle } from './http/handle.ts';
import { unlessSeen } from './http/not-modified.ts';
import { shownRun } from './views/manifest-description.ts';

/** Newest first. */
export const listRuns = handle(operations.listRuns, async ({ path, query }, deps) => {
  const { items, next } = await deps.runs.list(path, query.limit, query.next);
  if (items.length === 0) await storedManifest(deps, path);
  const waits = items.some(({ status }) => status === 'Queued');
  const manifest = waits ? await deps.manifests.head(path) : undefined;
  const runs = items.map((run) => shownRun(withRealStatus(run, manifest)));
  return { json: { items: runs, ...(next !== undefined && { next }) } };
});

export const getRun = handle(operations.getRun, async ({ path }, deps) => ({
  json: shownRun(await storedRun(deps, path)),
}));

/** With its real status. Throws `NotFound`. */
export async function storedRun(
  deps: Pick<ApiPorts, 'runs' | 'manifests'>,
  path: ManifestKey & { readonly run: string },
): Promise<RunRecord> {
  const run = await deps.runs.get(path, path.run);
  if (run) return run.status === 'Queued' ? withRealStatus(run, await deps.manifests.head(path)) : run;
  throw new PipelineError('NotFound', `manifest "${path.name}" has no run "${path.run}"; list its runs to see them`);
}

/** A follower continues with `next`. */
export const listEvents = handle(operations.listEvents, async ({ path, query, headers }, deps) => {
  const page = await deps.events.list(path, query.limit, query.next);
  if (page.items.length === 0 && query.next === undefined) await storedManifest(deps, path);
  return unlessSeen(headers, shown(page));
});

/** Changes of a namespace or, without one, changes of roles. */
export const listChanges = handle(operations.listChanges, async ({ query, caller, headers }, deps) => {
  if (query.namespace === undefined && !caller.may('admin', '*')) {
    throw new PipelineError('Forbidden', 'only an admin of all namespaces sees changes of roles; name a namespace');
  }
  const page = await deps.events.list(changesOf(query.namespace ?? installationChanges), query.limit, query.next);
  return unlessSeen(headers, shown(page));
});

const shown = ({ items, next }: Page<StoredEvent>): EventPage => ({
  items: [...items],
  ...(next !== undefined && { next }),
});
