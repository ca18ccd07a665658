/** The plan of one cluster: the path of waypoints from the current to the desired state. */
import { clusterDocumentChanges } from '#domain/cluster-documents.ts';
import { allNodes, type ClusterState } from '#domain/cluster-state.ts';
import type { DriftItem } from '#domain/drift.ts';
import type { Change, ClusterPlan, Waypoint } from '#domain/plan.ts';
import { revertible } from '#domain/plan.ts';
import { stepsFrom } from './path/interrupted-path.ts';
import type { Step } from './path/path-steps.ts';
import { refusals } from './path/refusals.ts';
import { nodeKey } from './states/diff-pools.ts';
import { diffStates, sameState } from './states/diff-states.ts';
import { moveOffLostNode } from './work/lost-endpoint.ts';
import { repairWaypoints } from './work/repair-plans.ts';
import { type DrainBudget, stagePlans, undoPlans } from './work/stage-plans.ts';

interface PathOptions extends DrainBudget {
  /** Pools that are replaced at once when their templates change. @default 1 */
  readonly replaceAtOnce?: number;
  /** Drift that is repaired once nothing else is to change. @default nothing */
  readonly repair?: readonly DriftItem[];
  /** It does not wait for that: what stays is repaired before the next waypoint. @default false */
  readonly repairFirst?: boolean;
  /** Documents whose upstream files the runners have. @default all */
  readonly upstreamDocuments?: readonly string[];
}

export interface PathQuestion {
  /** Name of the cluster, for the plan. */
  readonly cluster: string;
  /** The last waypoint reached; null = nothing exists. */
  readonly current: ClusterState | null;
  /** Target of an interrupted waypoint; null: no waypoint was interrupted. */
  readonly attempted: ClusterState | null;
  /** As `buildDesiredState` made it from the same two; null = the cluster will be deleted. */
  readonly desired: ClusterState | null;
  /** @default one node of each pool at a time */
  readonly options?: PathOptions;
}

/** Plans it. No waypoints and no refusals = nothing to do; refusals = nothing will be done. */
export function planClusterPath(question: PathQuestion): ClusterPlan {
  const { cluster, current, attempted, desired, options = { maxUnavailable: 1 } } = question;
  const changes = diffStates(current, desired);
  const { upstreamDocuments } = options;
  const against = refusals({ current, attempted, desired, changes, upstreamDocuments });
  if (against.length > 0) return { cluster, waypoints: [], refusals: [...against] };
  // Nothing else works while the API is lost. A move that was interrupted is continued here, too.
  if (current !== null && desired !== null && moveOffLostNode(current, options.repair ?? []) !== undefined) {
    return { cluster, waypoints: [...repairWaypoints(current, options.repair ?? [])], refusals: [] };
  }
  const steps = changes.length === 0 && attempted === null ? [] : stepsOf(question, options);
  const waypoints = steps.map((step, index) => {
    const before = index === 0 ? current : (steps[index - 1]?.target ?? null);
    const open = index === 0 && attempted !== null && !sameState(attempted, before) ? [attempted] : [];
    const tried = open.map((state) => withoutLaterDocuments(state, step, desired));
    return waypoint({ step, before, tried, options });
  });
  const settled = waypoints.length === 0 && desired !== null && current !== null;
  const repairs = settled ? repairWaypoints(desired, options.repair ?? []) : [];
  const urgent = settled ? [] : urgentRepair(question, options);
  return { cluster, waypoints: [...urgent, ...waypoints, ...repairs], refusals: [] };
}

/** It repairs nodes that the change keeps, and leads from the current state to the same state, as a waypoint of it that is repeated. */
function urgentRepair({ current, attempted, desired }: PathQuestion, options: PathOptions): readonly Waypoint[] {
  const { repair = [], repairFirst = false } = options;
  if (!repairFirst || current === null || desired === null) return [];
  if (attempted !== null && !sameState(attempted, current)) return [];
  const kept = new Set(allNodes(desired).map(({ node }) => node.name));
  return repairWaypoints(
    current,
    repair.filter(({ where }) => where.node !== undefined && kept.has(where.node)),
  );
}

function stepsOf({ current, attempted, desired }: PathQuestion, options: PathOptions): readonly Step[] {
  if (desired !== null) {
    return stepsFrom(current, { goal: desired, attempted, replaceAtOnce: Math.max(1, options.replaceAtOnce ?? 1) });
  }
  return current === null && attempted === null ? [] : [{ direction: 'destroy', target: null }];
}

/** What a later step applies or removes anyway is not undone before: it waits for what the steps before it change. */
function withoutLaterDocuments(tried: ClusterState, { target }: Step, desired: ClusterState | null): ClusterState {
  const later = Object.values(clusterDocumentChanges(target?.documents, desired?.documents)).flat();
  const names = new Set(later.map(({ name }) => name));
  if (names.size === 0) return tried;
  const documents = [
    ...(tried.documents ?? []).filter(({ name }) => !names.has(name)),
    ...(target?.documents ?? []).filter(({ name }) => names.has(name)),
  ];
  return { ...tried, documents };
}

interface Leg {
  readonly step: Step;
  readonly before: ClusterState | null;
  /** What was attempted since and may exist, too. */
  readonly tried: readonly ClusterState[];
  readonly options: PathOptions;
}

function waypoint({ step, before, tried, options }: Leg): Waypoint {
  const { direction, target } = step;
  return {
    direction,
    target,
    changes: changesOf(step, before, tried),
    stages: stagePlans({ direction, from: [before, ...tried], to: target, budget: options }),
    undo: target !== null && revertible.includes(direction) ? undoPlans(before, target, options) : [],
  };
}

function changesOf(step: Step, before: ClusterState | null, tried: readonly ClusterState[]): Change[] {
  const { target } = step;
  const changes = diffStates(before, target);
  if (step.leftovers) return [...leftoversFound(before, tried), ...changes];
  if (changes.length > 0) return changes;
  return tried.flatMap((state) => diffStates(state, target));
}

function leftoversFound(before: ClusterState | null, tried: readonly ClusterState[]): Change[] {
  const known = new Set(before === null ? [] : allNodes(before).map(({ node }) => nodeKey(node)));
  const nodes = tried.flatMap(allNodes).filter(({ node }) => !known.has(nodeKey(node)));
  return [{ kind: 'LeftoversFound', nodes: nodes.map(({ node }) => node.name) }];
}
