/** The port of roll-outs. */
import type { RollOutClaims, RollOutKey, RollOutRecord } from '#contracts/roll-outs.ts';

export interface RollOutStore {
  /** Undefined when there is none. */
  get(key: RollOutKey): Promise<RollOutRecord | undefined>;
  /** Those of a namespace, newest first. */
  list(namespace: string, limit: number): Promise<readonly RollOutRecord[]>;
  /** Throws `VersionConflict` unless what is stored is one version older; of version 1: unless there is none. */
  put(record: RollOutRecord): Promise<void>;
  /** Version 0 and no claims when there are none. */
  claims(namespace: string): Promise<RollOutClaims>;
  /** Throws `VersionConflict` as `put`. */
  putClaims(claims: RollOutClaims): Promise<void>;
}
