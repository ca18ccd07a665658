/** The port of GitSources. */
import type { GitSourceKey, GitSourceRecord } from '#contracts/git-sources.ts';

export interface GitSourceStore {
  /** Undefined when there is none. */
  get(key: GitSourceKey): Promise<GitSourceRecord | undefined>;
  /** Those of a namespace, or all, by namespace and name. One that cannot be read is left out. */
  list(namespace?: string): Promise<readonly GitSourceRecord[]>;
  /** Throws `VersionConflict` unless what is stored is one version older; of version 1: unless there is none. */
  put(record: GitSourceRecord): Promise<void>;
  /** It may be gone already. */
  remove(key: GitSourceKey): Promise<void>;
  /** Those whose `dueAt` is not after `now`, oldest first. One that cannot be read is left out. */
  due(now: string, limit: number): Promise<readonly GitSourceRecord[]>;
}
