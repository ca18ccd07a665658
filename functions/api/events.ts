/** What happened to all manifests: the feed of the installation, as far as the caller may see it. */
import type { FeedEvent as ShownEvent } from '#contracts/all-events.ts';
import { changesOf, installationChanges } from '#contracts/change-events.ts';
import type { FeedQuery } from '#contracts/http-parameters.ts';
import { operations } from '#contracts/operations/operations.ts';
import { PipelineError } from '#domain/errors.ts';
import type { AdmittedCaller } from '../caller.ts';
import type { StoredFeedEvent } from '../ports.ts';
import { handle } from './http/handle.ts';
import { unlessSeen } from './http/not-modified.ts';

/** Read for one page at most, so that a filter that fits little still answers in time. */
const readAtMost = 2000;

export const listAllEvents = handle(operations.listAllEvents, async ({ query, caller, headers }, deps) => {
  const { since, limit } = query;
  const isTime = since?.includes('T') ?? false;
  const isBack = query.order === 'newest';
  if (isBack && since !== undefined && !isTime)
    throw new PipelineError('InvalidInput', '`since` is a time where the newest events come first');
  const from = isTime ? since : undefined;
  let after = query.next ?? (isTime ? undefined : since);
  let more = true;
  const items: ShownEvent[] = [];
  for (let read = 0; more && items.length < limit && read < readAtMost; ) {
    const back = { ...(after !== undefined && { before: after }), ...(from && { since: from }) };
    const page = isBack
      ? await deps.feed.readBack(back, limit)
      : await deps.feed.read(after === undefined ? { ...(from && { since: from }) } : { after }, limit);
    more = page.more;
    read += Math.max(1, page.items.length);
    for (const one of page.items) {
      if (items.length === limit) {
        more = true;
        break;
      }
      after = one.id;
      if (isMeant(one, query, from) && maySee(caller, one)) items.push(shown(one));
    }
    if (page.items.length === 0) break;
  }
  return unlessSeen(headers, { items, more, ...(after !== undefined && { next: after }) });
});

function isMeant({ manifest, event }: StoredFeedEvent, query: FeedQuery, from: string | undefined): boolean {
  const { namespace, group, node, kind } = query;
  return (
    (from === undefined || event.at >= from) &&
    (namespace === undefined || manifest.namespace === namespace) &&
    (query.manifest === undefined || manifest.name === query.manifest) &&
    (node === undefined || event.node === node) &&
    (kind === undefined || kind.includes(event.kind)) &&
    (group === undefined || isInGroup(event.node, group))
  );
}

/** Names of nodes begin with the name of their pool, which for a group is its path. */
function isInGroup(node: string | undefined, group: string): boolean {
  const pool = node?.replace(/-[a-z0-9]{7}-[0-9a-f]+$/, '');
  return pool === group || pool?.startsWith(`${group}-`) === true;
}

/** As with the listings of changes: those of roles are for admins of all namespaces. */
const maySee = (caller: AdmittedCaller, { manifest: { namespace } }: StoredFeedEvent): boolean =>
  namespace === installationChanges ? caller.may('admin', '*') : caller.may('viewer', namespace);

function shown({ id, manifest: { namespace, name }, event }: StoredFeedEvent): ShownEvent {
  return {
    id,
    ...(namespace !== installationChanges && { namespace }),
    ...(name !== changesOf(namespace).name && { manifest: name }),
    ...event,
  };
}
