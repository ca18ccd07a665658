/** What is kept of each cluster: its record, what is requested of it, and what its agent reported. */
import type { AgentReport } from '#contracts/agent.ts';
import type { ClusterRecord, DemandRecord, ManifestKey } from '#contracts/records.ts';

export interface ClusterStore {
  /** Throws `Unreadable`, as `list`. */
  get(key: ManifestKey, cluster: string): Promise<ClusterRecord | undefined>;
  /**
   * Writes the record. Throws `VersionConflict` unless the stored version is `record.version - 1` (0: none exists),
   * `LeaseLost` when the stored fence is greater than the record's. Writing the very same record again is fine.
   */
  put(record: ClusterRecord): Promise<void>;
  /** Removes what was read: `record.version` is the stored one. Throws as `put`; fine when it is gone already. */
  remove(record: ClusterRecord): Promise<void>;
  list(key: ManifestKey): Promise<readonly ClusterRecord[]>;
  /** Streams the records of `list`, one in memory at a time. */
  each(key: ManifestKey): AsyncIterable<ClusterRecord>;
  /** Removes all of a manifest by its key alone, whatever they hold. */
  discard(key: ManifestKey): Promise<void>;
}

/** What is requested of clusters in addition to their manifests. */
export interface DemandStore {
  /** Throws `Unreadable`, as `list`. */
  get(key: ManifestKey, cluster: string): Promise<DemandRecord | undefined>;
  /** By cluster. */
  list(key: ManifestKey): Promise<readonly DemandRecord[]>;
  /** Writes the record. Throws `VersionConflict` unless the stored version is `record.version - 1` (0: none exists). */
  put(record: DemandRecord): Promise<void>;
  /** Removes the demand of a deleted cluster; no error when it has none. */
  remove(key: ManifestKey, cluster: string): Promise<void>;
  /** Removes all of a manifest by its key alone, whatever they hold. */
  discard(key: ManifestKey): Promise<void>;
}

/** What the agents of clusters reported last; an old report is gone without anyone removing it. */
export interface AgentReportStore {
  /** Undefined when no agent of that cluster has reported for a long time. Throws `Unreadable`. */
  get(key: ManifestKey, cluster: string): Promise<AgentReport | undefined>;
  put(key: ManifestKey, cluster: string, report: AgentReport): Promise<void>;
}
