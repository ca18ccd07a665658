/** Rows of Claudie's table of changes (inventory, 2.5): current state, desired state, and what Kubeloom does. */

import { allNodes, type ClusterState } from '#domain/cluster-state.ts';
import type { DriftItem } from '#domain/drift.ts';
import type { ClusterPlan } from '#domain/plan.ts';
import { planClusterPath } from '#domain/planning/plan-cluster-path.ts';
import { desiredOf } from './arbitraries.ts';
import { type ManifestSpec, manifestOf } from './manifests.ts';
import { withoutHashes } from './work-text.ts';

export interface RowCase {
  /** Number of the row; C and D are create and delete. */
  readonly row: string;
  readonly title: string;
  /** @default nothing exists */
  readonly from?: ManifestSpec;
  /** @default nothing is desired */
  readonly to?: ManifestSpec;
  /** Nodes that are marked for deletion. Only the planner knows this: no user can ask for it yet. */
  readonly leaving?: RegExp;
  /** What a check for drift found, nodes named without their hash, which a user has repaired with `kubeloom drift --repair` or `driftChecks.onDrift`. */
  readonly drift?: readonly Pick<DriftItem, 'kind' | 'where'>[];
  readonly templates?: Readonly<Record<string, string>>;
  /** Each waypoint with its stages and all their work. */
  readonly path: readonly string[];
}

/** The plan of a row. */
export function planOfRow({ from, to, leaving, drift = [], templates = {} }: RowCase): ClusterPlan {
  const current = from ? desiredOf({ manifest: manifestOf(from), ids: 'x' }) : null;
  const gone = leaving && current ? namesLike(current, leaving) : [];
  const desired = to ? desiredOf({ manifest: manifestOf(to), current, templates, leaving: gone, ids: 'y' }) : null;
  const repair = drift.map(({ kind, where }) => {
    const node = (current ? allNodes(current) : []).find(({ node: { name } }) => withoutHashes(name) === where.node)
      ?.node.name;
    return { kind, where: { ...where, ...(node && { node }) }, message: kind, repairable: true };
  });
  const options = { maxUnavailable: 1, repair };
  return planClusterPath({ cluster: 'c', current, attempted: null, desired, options });
}

function namesLike(state: ClusterState, pattern: RegExp): readonly string[] {
  return allNodes(state).flatMap(({ node }) => (pattern.test(node.name) ? [node.name] : []));
}
