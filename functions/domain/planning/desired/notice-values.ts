/** Which clouds of a cluster announce what they do to machines. */
import type { DocumentState } from '#domain/cluster-documents.ts';
import type { NodePoolState } from '#domain/cluster-state.ts';
import { noticeClouds } from '#domain/node-notice.ts';

/** What reads notices, and the rights to act on them, are in clusters with nodes of such clouds only. */
export function noticeValues(pools: readonly NodePoolState[]): DocumentState['values'] {
  const types = new Set(pools.flatMap(({ source }) => (source.kind === 'dynamic' ? [source.provider.type] : [])));
  const cloud = noticeClouds.filter((one) => types.has(one));
  return cloud.length === 0 ? {} : { cloud, acting: ['notices'], notices: 'on' };
}
