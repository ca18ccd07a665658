/** A manifest as it is now and what happened since, in one small answer: for those who watch. */
import { createHash } from 'node:crypto';
import type { ManifestDescription } from '#contracts/api-bodies.ts';
import type { Live } from '#contracts/live.ts';
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
  const parts = {
    document: tagOf(manifest.document),
    nodes: Object.fromEntries(manifest.clusters.map(({ cluster, nodes }) => [cluster, tagOf(nodes)])),
  };
  const more = { parts, events: [...events], ...(next !== undefined && { next }) };
  const answer = unlessSeen(headers, { manifest: manifest as Live['manifest'], ...more });
  if (answer.status === 304) return answer;
  return { ...answer, json: { manifest: withoutParts(manifest, parts, new Set(query.have)), ...more } };
});

const tagOf = (part: unknown): string =>
  createHash('sha256').update(JSON.stringify(part)).digest('base64url').slice(0, 10);

function withoutParts(
  { document, clusters, ...rest }: ManifestDescription,
  parts: Live['parts'],
  have: ReadonlySet<string>,
): Live['manifest'] {
  return {
    ...rest,
    ...(!have.has(parts.document) && { document }),
    clusters: clusters.map(({ nodes, ...cluster }) => ({
      ...cluster,
      ...(!have.has(parts.nodes[cluster.cluster] ?? '') && { nodes }),
    })),
  };
}
