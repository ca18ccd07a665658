/** Rows of Claudie's table of changes (inventory, 2.5): what stands, what is wished for, and what Kubeloom does about it. */

import { allNodes, type ClusterState } from '#domain/cluster-state.ts';
import type { ClusterPlan } from '#domain/plan.ts';
import { planClusterPath } from '#domain/planning/plan-cluster-path.ts';
import { desiredOf } from './arbitraries.ts';
import { type ManifestSpec, manifestOf } from './manifests.ts';

export interface RowCase {
  /** Number of the row; C and D are create and delete. */
  readonly row: string;
  readonly title: string;
  /** @default nothing stands */
  readonly from?: ManifestSpec;
  /** @default nothing is wished for */
  readonly to?: ManifestSpec;
  /** Nodes that are marked for deletion. */
  readonly leaving?: RegExp;
  readonly refresh?: 'mesh' | 'everything';
  readonly templates?: Readonly<Record<string, string>>;
  /** Each waypoint with its stages and all their work. */
  readonly path: readonly string[];
}

/** The plan of a row. */
export function planOfRow({ from, to, leaving, refresh, templates = {} }: RowCase): ClusterPlan {
  const current = from ? desiredOf({ manifest: manifestOf(from), ids: 'x' }) : null;
  const gone = leaving && current ? namesLike(current, leaving) : [];
  const desired = to ? desiredOf({ manifest: manifestOf(to), current, templates, leaving: gone, ids: 'y' }) : null;
  const options = { maxUnavailable: 1, ...(refresh ? { refresh } : {}) };
  return planClusterPath({ cluster: 'c', current, attempted: null, desired, options });
}

function namesLike(state: ClusterState, pattern: RegExp): readonly string[] {
  return allNodes(state).flatMap(({ node }) => (pattern.test(node.name) ? [node.name] : []));
}
