/**
 * Rows of manifests on which no run is at work, remembered: a fleet that rests is listed without reading its clusters. Only runs write
 * records of clusters, each under its lease, with a fence of its own: without a lease, and with the same fence, they are as they were.
 */
import type { ManifestSummary } from '#contracts/api-bodies.ts';
import type { ManifestRecord } from '#contracts/records.ts';

/** What a row says that is made of the records of clusters. */
export type ClusterRows = Pick<ManifestSummary, 'clusters' | 'progress'>;

type Versioned = Pick<
  ManifestRecord,
  'namespace' | 'name' | 'uid' | 'fence' | 'lease' | 'runId' | 'status' | 'paused' | 'deleting' | 'failed' | 'dueAt'
>;

interface Known {
  /** Time on the clock of this process, in ms. */
  readonly readAt: number;
  readonly version: string;
  readonly rows: ClusterRows;
}

/** About 1 KB each; with more of them, the oldest are forgotten. */
const most = 10_000;
/** After this time they are read again, because a writer that was interrupted may have written after the end of its run. */
const mostMs = 600_000;

/** By the store that they were read from. */
const remembered = new WeakMap<object, Map<string, Known>>();

/** `record` was read before the clusters. Undefined while a run may be at work on them, or where they are not known. */
export function knownRows(store: object, record: Versioned): ClusterRows | undefined {
  const known = record.lease === null ? remembered.get(store)?.get(nameOf(record)) : undefined;
  const fresh = known !== undefined && known.readAt + mostMs > performance.now();
  return fresh && known.version === versionOf(record) ? known.rows : undefined;
}

/** `rows` were read after `record`: when a run began meanwhile, no later record has its fence. */
export function rememberRows(store: object, record: Versioned, rows: ClusterRows): void {
  if (record.lease !== null) return;
  const all = remembered.get(store) ?? new Map<string, Known>();
  remembered.set(store, all);
  all.delete(nameOf(record));
  all.set(nameOf(record), { readAt: performance.now(), version: versionOf(record), rows });
  for (const oldest of all.keys()) {
    if (all.size <= most) break;
    all.delete(oldest);
  }
}

const nameOf = ({ namespace, name }: Versioned): string => `${namespace}/${name}`;

/** The progress that is shown is of the present run and status; what follows a failure changes with a pause and with the time of its retry. */
const versionOf = ({ uid, fence, runId, status, paused, deleting, failed, dueAt }: Versioned): string =>
  [uid, fence, runId, status, paused, deleting, failed?.retryAt, failed === undefined ? dueAt : ''].join(' ');
