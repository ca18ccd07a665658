/** What checks have seen of a node, and what a pool's policy says about it: the input of a decision on repair. */
import type { NodePoolState } from '../cluster-state.ts';
import type { NoticeKind } from '../node-notice.ts';

/**
 * `notReady`: Kubernetes says so, or its kubelet is silent. `unhealthy`: a health check of its group fails. `gone`: its machine, or a part of
 * it, does not exist any more. `unknown`: no one could say; nothing is ever done about that.
 */
export type NodeHealth = 'healthy' | 'notReady' | 'unhealthy' | 'gone' | 'unknown';

export interface ObservedNode {
  readonly node: string;
  /** Name of its pool. */
  readonly pool: string;
  readonly role: NodePoolState['role'];
  /** Provider instance and region; absent: a machine of the user's own. */
  readonly place?: { readonly provider: string; readonly region: string };
  /** Its pool is protected. */
  readonly protect: boolean;
  /** It has the label `upgrade-lock`. */
  readonly locked: boolean;
  readonly health: NodeHealth;
  /** Kubernetes reports it as ready, or the machine still answers, though it is `gone`. @default false */
  readonly ready?: boolean;
  /** Why it is `unhealthy`, for people. */
  readonly failing?: string;
  /** ISO 8601: since when it is not healthy. */
  readonly since?: string;
  /** Checks in a row that found it so. */
  readonly looks: number;
  /** ISO 8601: when it joined Kubernetes; of one that never did, and of a machine with health checks, when it was set up. @default long ago */
  readonly createdAt?: string;
  /** Its cloud takes its machine, so it counts as unhealthy whatever Kubernetes says of it. */
  readonly notice?: NoticeKind | undefined;
  /** Its replacement is requested already. @default false */
  readonly leaving?: boolean;
}

/** What the manifest says of a pool; times in minutes. */
export interface RepairPolicy {
  /** `recreate`: only machines that are gone, as a repair of drift does it. */
  readonly onUnhealthy: 'report' | 'recreate' | 'replace';
  /** It reports because a person asked for the check, whatever the manifest says. @default false */
  readonly onRequest?: true;
  /** So long a node has to be unhealthy, in this many checks. */
  readonly after: number;
  readonly looks: number;
  /** A new node has so much time to become ready. */
  readonly startAfter: number;
  readonly atOnce: number;
  readonly perHour: number;
  /** Percent of the pool. If more is unhealthy, nothing is replaced; one node always may be. */
  readonly maxUnhealthy: number;
}

/** A machine that was replaced. */
export interface Replacement {
  readonly node: string;
  readonly pool: string;
  /** ISO 8601 */
  readonly at: string;
}

/** What was replaced before, and what may be. */
export interface RepairLedger {
  /** Replacements in this cluster in the last 24 hours. */
  readonly replaced: readonly Replacement[];
  /** How many more this hour in the whole installation, and when that is free again. */
  readonly installation: { readonly left: number; readonly freeAt: string };
}
