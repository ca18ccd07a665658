/** What may not happen, whatever the manifest or the world says: found before anything starts. */
import type { ClusterState, NodePoolState } from '#domain/cluster-state.ts';
import { allPools } from '#domain/cluster-state.ts';
import { compareVersions, kubeoneReleaseFor, supportedVersionsText } from '#domain/kubernetes-versions.ts';
import { documentPlace } from '#domain/machine-fields.ts';
import { replaceAnnotation } from '#domain/manifest/replaceable-pools.ts';
import type { Change, Refusal } from '#domain/plan.ts';
import { nodeKey } from '../states/diff-pools.ts';
import { poolKey } from '../states/diff-states.ts';
import { stateFaults } from '../states/state-faults.ts';
import { releaseTarget } from './release-target.ts';
import { impossibleStep } from './version-steps.ts';

interface Ends {
  readonly current: ClusterState | null;
  readonly attempted: ClusterState | null;
  readonly desired: ClusterState | null;
  /** From `current` to `desired`. */
  readonly changes: readonly Change[];
}

/** Every reason against getting from what stands to what is wished for; empty when there is none. */
export function refusals({ current, attempted, desired, changes }: Ends): readonly Refusal[] {
  if (desired === null) return current === null ? [] : destroyRefusals(current);
  if (current === null) return [...stateFaults(desired), ...unknownVersion(desired)];
  const fixed = fixedRefusals(desired, changes);
  return [
    ...fixed,
    // A pool that moved in place kept its subnet: what follows from that for the network is no fault of its own.
    ...stateFaults(desired).filter(({ path }) => fixed.length === 0 || path !== `${clusterPath(desired)}.network`),
    ...versionRefusals(current, attempted, desired),
    ...protectionRefusals(current, attempted, desired),
    ...releaseRefusals(current, desired),
  ];
}

function destroyRefusals(current: ClusterState): readonly Refusal[] {
  const pools = allPools(current).filter((pool) => pool.protect);
  const fix = 'set protect to false and apply that first';
  return [
    ...(current.protect
      ? [{ path: `${clusterPath(current)}.protect`, reason: `cluster ${current.name} is protected`, fix }]
      : []),
    ...pools.map((pool) => ({ path: `${poolPath(pool)}.protect`, reason: `pool ${pool.name} is protected`, fix })),
  ];
}

/** Fields that make another machine or another network. */
function fixedRefusals(desired: ClusterState, changes: readonly Change[]): readonly Refusal[] {
  return changes.flatMap((change): Refusal[] => {
    if (change.kind === 'NetworkChanged') {
      return [
        {
          path: `${clusterPath(desired)}.network`,
          reason: `the network of a cluster cannot change (from ${change.from} to ${change.to})`,
          fix: `set it back to ${change.from}, or make a new cluster with the other network`,
        },
      ];
    }
    if (change.kind !== 'NodePoolSpecChanged') return [];
    const pool = allPools(desired).find((candidate) => candidate.id === change.pool);
    const [field, ...others] = change.fields;
    const path = pool === undefined ? `spec.nodePools[${change.pool}]` : poolPath(pool);
    return [
      {
        path: field === undefined || others.length > 0 ? path : `${path}.${documentPlace(field)}`,
        reason: `${change.fields.join(', ')} of pool ${pool?.name ?? change.pool} cannot change in place`,
        fix: `set it back, let the pool be replaced (annotation ${replaceAnnotation}), or add a new pool and drop this one`,
      },
    ];
  });
}

function unknownVersion(desired: ClusterState): readonly Refusal[] {
  const { kubernetesVersion: version } = desired;
  if (kubeoneReleaseFor(version) !== undefined) return [];
  const reason = `no known KubeOne release builds Kubernetes ${version}`;
  return [{ path: `${clusterPath(desired)}.version`, reason, fix: `use one of ${supportedVersionsText()}` }];
}

function versionRefusals(
  current: ClusterState,
  attempted: ClusterState | null,
  desired: ClusterState,
): readonly Refusal[] {
  const path = `${clusterPath(desired)}.version`;
  const to = desired.kubernetesVersion;
  const begun = attempted?.kubernetesVersion ?? current.kubernetesVersion;
  const from = compareVersions(begun, current.kubernetesVersion) > 0 ? begun : current.kubernetesVersion;
  if (compareVersions(to, from) < 0) {
    const reason = `Kubernetes cannot go back from ${from} to ${to}`;
    return [{ path, reason, fix: `wish for ${from} or newer` }];
  }
  const step = impossibleStep(current.kubernetesVersion, to);
  if (step === undefined) return [];
  const reason = `no known KubeOne release leads from Kubernetes ${step.from} to ${step.to}`;
  return [{ path, reason, fix: `wish for a version that can be reached from ${current.kubernetesVersion}` }];
}

/**
 * Protection counts until it is lifted on the pool itself; a pool that just disappears is still protected. One whose
 * removal has begun is finished.
 */
function protectionRefusals(
  current: ClusterState,
  attempted: ClusterState | null,
  desired: ClusterState,
): readonly Refusal[] {
  const desiredById = allPools(desired);
  const going = (pool: NodePoolState) =>
    attempted !== null && !allPools(attempted).some((known) => poolKey(known) === poolKey(pool));
  return allPools(current).flatMap((pool): Refusal[] => {
    if (!pool.protect || going(pool)) return [];
    const same = desiredById.find((goal) => poolKey(goal) === poolKey(pool));
    const successor = same ?? desiredById.find((goal) => goal.name === pool.name && goal.role === pool.role);
    if (successor !== undefined && !successor.protect) return [];
    const kept = new Set(same?.nodes.map(nodeKey));
    const lost = pool.nodes.filter((node) => !kept.has(nodeKey(node)));
    if (same !== undefined && lost.length === 0) return [];
    return [
      {
        path: `${poolPath(pool)}.protect`,
        reason: `pool ${pool.name} is protected, and ${lost.map((node) => node.name).join(', ') || 'it'} would be removed`,
        fix: 'set protect to false on the pool and apply that first',
      },
    ];
  });
}

/** Static machines that must leave before they come back: what stays meanwhile must work. */
function releaseRefusals(current: ClusterState, desired: ClusterState): readonly Refusal[] {
  const released = releaseTarget(current, desired);
  if (released === current) return [];
  return stateFaults(released).map(({ path, reason }) => ({
    path,
    reason: `static machines change their pool or use; while they are away, ${reason}`,
    fix: 'do it in two steps: first add other nodes (or another API endpoint), apply, then move the machines',
  }));
}

function clusterPath(state: ClusterState): string {
  return `spec.kubernetes.clusters[${state.name}]`;
}

function poolPath(pool: NodePoolState): string {
  return `spec.nodePools.${pool.source.kind}[${pool.name}]`;
}
