/** Refused changes, found before anything starts. */
import { clusterDocumentChanges, upstreamOf } from '#domain/cluster-documents.ts';
import type { ClusterState, NodePoolState, ProviderInstance } from '#domain/cluster-state.ts';
import { allPools, hasKubernetes } from '#domain/cluster-state.ts';
import { cniOf } from '#domain/kubernetes-options.ts';
import { compareVersions, kubeoneReleaseFor, supportedVersionsText } from '#domain/kubernetes-versions.ts';
import { documentPlace } from '#domain/machine-fields.ts';
import { replaceAnnotation } from '#domain/manifest/replaceable-pools.ts';
import type { Change, Refusal } from '#domain/plan.ts';
import { providerTypeFacts } from '#domain/provider-types.ts';
import { shown } from '../../manifest/schema/names.ts';
import { nodeKey } from '../states/diff-pools.ts';
import { poolKey } from '../states/diff-states.ts';
import { aboutCluster, aboutPool, refusal } from '../states/refusal.ts';
import { stateFaults } from '../states/state-faults.ts';
import { releaseTarget } from './release-target.ts';
import { mostRounds, roundsInPlace } from './rolling-goals.ts';
import { impossibleStep } from './version-steps.ts';

interface Ends {
  readonly current: ClusterState | null;
  readonly attempted: ClusterState | null;
  readonly desired: ClusterState | null;
  /** From `current` to `desired`. */
  readonly changes: readonly Change[];
  /** Documents whose upstream files the runners have; undefined: all. */
  readonly upstreamDocuments?: readonly string[] | undefined;
}

/** Every reason against getting from what exists to what is desired, each once; empty when nothing speaks against it. */
export function refusals(ends: Ends): readonly Refusal[] {
  return [...new Map(allRefusals(ends).map((one) => [`${one.path} ${one.reason}`, one])).values()];
}

function allRefusals({ current, attempted, desired, changes, upstreamDocuments }: Ends): readonly Refusal[] {
  if (desired === null) return current === null ? [] : destroyRefusals(current);
  const missing = upstreamRefusals(current, desired, upstreamDocuments);
  if (current === null)
    return [...stateFaults(desired), ...unknownVersion(desired), ...unprovedCni(attempted, desired), ...missing];
  if (hasKubernetes(current) !== hasKubernetes(desired)) return [otherSystem(current, desired)];
  const fixed = [
    ...providerRefusals(current, desired),
    ...networkRefusals(desired, changes),
    ...cniRefusals(desired, changes),
    ...machineRefusals(current, desired, changes),
    ...diskRefusals(current, attempted, desired),
    ...roundRefusals(current, desired),
    ...kindRefusals(current, desired),
  ];
  return [
    ...fixed,
    // A pool that moved in place kept its subnet: what follows from that for the network is no fault of its own.
    ...stateFaults(desired).filter(({ about }) => fixed.length === 0 || about?.field !== 'network'),
    ...versionRefusals(current, attempted, desired),
    ...protectionRefusals(current, attempted, desired),
    ...releaseRefusals(current, desired),
    ...missing,
  ];
}

/** Machines with and without Kubernetes are set up differently from the start. */
function otherSystem(current: ClusterState, desired: ClusterState): Refusal {
  const [is, becomes] = hasKubernetes(current)
    ? ['a Kubernetes cluster', 'machine groups']
    : ['machine groups', 'a Kubernetes cluster'];
  const reason = `${shown(current.name)} is ${is} and cannot become ${becomes}`;
  return refusal(aboutCluster(desired, 'name'), reason, 'use another name, or delete this one first');
}

/** Documents that would be applied, and whose upstream file no runner has. */
function upstreamRefusals(
  current: ClusterState | null,
  desired: ClusterState,
  there: readonly string[] | undefined,
): readonly Refusal[] {
  if (there === undefined) return [];
  const { added, changed } = clusterDocumentChanges(current?.documents, desired.documents);
  return upstreamOf([...added, ...changed])
    .filter((name) => !there.includes(name))
    .map((name) => {
      const reason = `the cluster ${shown(desired.name)} needs the upstream file of the documents ${shown(name)}, which this installation does not have`;
      const fix = 'run `npm run documents:fetch` on its machine, then start it again; or set storage to "none"';
      return refusal(aboutCluster(desired, 'storage'), reason, fix);
    });
}

function destroyRefusals(current: ClusterState): readonly Refusal[] {
  const fix = 'set it to false and apply that first';
  return [
    ...(current.protect
      ? [refusal(aboutCluster(current, 'protect'), `the cluster ${shown(current.name)} is protected`, fix)]
      : []),
    ...allPools(current)
      .filter((pool) => pool.protect)
      .map((pool) => refusal(aboutPool(pool, 'protect'), `the pool ${shown(pool.name)} is protected`, fix)),
  ];
}

/** The name of a provider belongs to one cloud as long as anything of that provider exists. */
function providerRefusals(current: ClusterState, desired: ClusterState): readonly Refusal[] {
  const types = new Map(providersOf(current).map(({ name, type }) => [name, type]));
  return providersOf(desired).flatMap(({ name, type }) => {
    const before = types.get(name) ?? type;
    if (before === type) return [];
    const reason = `cannot change from ${before} to ${type}: machines of ${shown(name)} exist`;
    return [refusal({ kind: 'provider', name, field: 'providerType' }, reason, 'add a provider with another name')];
  });
}

function providersOf(state: ClusterState): readonly ProviderInstance[] {
  return [
    ...allPools(state).flatMap(({ source }) => (source.kind === 'dynamic' ? [source.provider] : [])),
    ...state.loadBalancers.map(({ dns }) => dns.provider),
  ];
}

function networkRefusals(desired: ClusterState, changes: readonly Change[]): readonly Refusal[] {
  return changes.flatMap((change) => {
    if (change.kind !== 'NetworkChanged') return [];
    const reason = `the network of the cluster ${shown(desired.name)} cannot be changed from ${change.from}: the addresses of all nodes are in it`;
    const fix = `keep ${change.from}, or create a new cluster with another name`;
    return [refusal(aboutCluster(desired, 'network'), reason, fix)];
  });
}

/** No one has started a cluster of ours with Canal: those that have it keep it. */
function unprovedCni(attempted: ClusterState | null, desired: ClusterState): readonly Refusal[] {
  if (attempted !== null || cniOf(desired) !== 'canal') return [];
  const reason = `the cluster ${shown(desired.name)} is new, and cni: canal is only for clusters that have it already: it was never proved to work`;
  const fix =
    'leave cni out, which means Cilium; or write cni: external, and put the documents of Canal into the directory of add-ons that addons.path names';
  return [refusal(aboutCluster(desired, 'cni'), reason, fix)];
}

function cniRefusals(desired: ClusterState, changes: readonly Change[]): readonly Refusal[] {
  return changes.flatMap((change) => {
    if (change.kind !== 'CniChanged') return [];
    const reason = `the network of pods of the cluster ${shown(desired.name)} cannot be changed from ${change.from} to ${change.to}: the addresses of running pods are in it`;
    const fix = `keep ${change.from}, or create a new cluster with another name`;
    return [refusal(aboutCluster(desired, 'cni'), reason, fix)];
  });
}

/** One for a pool, however many fields of its machines have changed. */
function machineRefusals(current: ClusterState, desired: ClusterState, changes: readonly Change[]): readonly Refusal[] {
  const instances = new Map(allPools(current).map((pool) => [pool.id, instanceOf(pool)]));
  return changes.flatMap((change): Refusal[] => {
    if (change.kind !== 'NodePoolSpecChanged') return [];
    const pool = allPools(desired).find(({ id }) => id === change.pool);
    if (pool === undefined) return [];
    // The same instance of another type is a fault of the provider, not of each of its pools.
    const sameInstance = instances.get(pool.id) === instanceOf(pool);
    const fields = change.fields.filter((field) => field !== 'provider' || !sameInstance).map(documentPlace);
    const before = allPools(current).find(({ id }) => id === change.pool);
    if (fields.length === 0 || isResized(pool, before, fields)) return [];
    const [field = ''] = fields.length === 1 ? fields : [];
    const name = shown(pool.name);
    const reason = `${fields.join(', ')} of the pool ${name} cannot be changed in place: existing machines keep what they were created with`;
    const fix = `to have its machines replaced pool by pool, name it in the annotation ${replaceAnnotation} (or apply with --allow-replace ${pool.name}); or add a pool with another name and remove this one`;
    const other = 'use update: surge or update: replace for this change';
    return [refusal(aboutPool(pool, field), reason, pool.resizeInPlace ? other : fix)];
  });
}

/** Its machines restart with another server type, their data disks become larger, and that is all that changes. Load balancers have no rounds. */
function isResized(
  { resizeInPlace, role, source }: NodePoolState,
  before: NodePoolState | undefined,
  fields: readonly string[],
): boolean {
  if (!resizeInPlace || role === 'loadBalancer' || source.kind === 'static' || before?.source.kind !== 'dynamic')
    return false;
  const { storageDiskSize: size } = before.source;
  const { resizes, growsDisks } = providerTypeFacts(source.provider.type) ?? {};
  const grows = growsDisks === true && size > 0 && source.storageDiskSize > size;
  return resizes === true && fields.every((field) => field === 'serverType' || (field === 'storageDiskSize' && grows));
}

/** Machines in place restart no more at once than was written: what takes too many waypoints is not done in fewer. */
function roundRefusals(current: ClusterState, desired: ClusterState): readonly Refusal[] {
  const groups = roundsInPlace(current, desired);
  const total = groups.reduce((sum, { rounds }) => sum + rounds, 0);
  const [most] = groups.toSorted((one, other) => other.rounds - one.rounds);
  if (most === undefined || total <= mostRounds) return [];
  const names = groups.map(({ pool, rounds }) => `${shown(pool.name)} ${rounds}`).join(', ');
  const reason = `another server type in place takes ${total} rounds of maxUnavailable machines (${names}), at most ${mostRounds} are allowed`;
  const alone = groups.length === 1;
  const fix = alone
    ? `write a maxUnavailable of ${Math.ceil(most.left / mostRounds)} or more`
    : 'write a larger maxUnavailable, or change one group after another';
  return [refusal(aboutPool(most.pool, 'maxUnavailable'), reason, fix)];
}

/** A disk that a failed run may have made larger: no cloud makes it smaller again. */
function diskRefusals(
  current: ClusterState,
  attempted: ClusterState | null,
  desired: ClusterState,
): readonly Refusal[] {
  const sizesOf = (state: ClusterState | null) =>
    new Map((state ? allPools(state) : []).map(({ id, source }) => [id, diskOf(source)]));
  const [before, tried] = [sizesOf(current), sizesOf(attempted)];
  return allPools(desired).flatMap((pool): Refusal[] => {
    const [is, most] = [before.get(pool.id), tried.get(pool.id)];
    if (is === undefined || most === undefined || most <= is || diskOf(pool.source) >= most) return [];
    const reason = `data disks of the pool ${shown(pool.name)} may have ${most} GB already, because an earlier change requested that, and cannot become smaller`;
    return [refusal(aboutPool(pool, 'storageDiskSize'), reason, `write ${most} GB or more`)];
  });
}

function diskOf(source: NodePoolState['source']): number {
  return source.kind === 'static' ? 0 : source.storageDiskSize;
}

function instanceOf({ source }: NodePoolState): string {
  return source.kind === 'static' ? '' : source.provider.name;
}

function kindRefusals(current: ClusterState, desired: ClusterState): readonly Refusal[] {
  const kinds = new Map(allPools(current).map(({ name, source }) => [name, source.kind]));
  return allPools(desired).flatMap((pool) => {
    const { kind } = pool.source;
    const before = kinds.get(pool.name) ?? kind;
    if (before === kind) return [];
    const reason = `the ${before} pool ${shown(pool.name)} cannot become ${kind}`;
    return [refusal(aboutPool(pool, 'name'), reason, 'give the new pool another name')];
  });
}

function unknownVersion(desired: ClusterState): readonly Refusal[] {
  const { kubernetesVersion: version } = desired;
  if (!hasKubernetes(desired) || kubeoneReleaseFor(version) !== undefined) return [];
  const reason = `no known KubeOne release builds Kubernetes ${version}`;
  return [refusal(aboutCluster(desired, 'version'), reason, `use one of ${supportedVersionsText()}`)];
}

function versionRefusals(
  current: ClusterState,
  attempted: ClusterState | null,
  desired: ClusterState,
): readonly Refusal[] {
  if (!hasKubernetes(desired)) return [];
  const about = aboutCluster(desired, 'version');
  const to = desired.kubernetesVersion;
  const started = attempted?.kubernetesVersion ?? current.kubernetesVersion;
  const from = compareVersions(started, current.kubernetesVersion) > 0 ? started : current.kubernetesVersion;
  if (compareVersions(to, from) < 0) {
    const reason = `Kubernetes cannot go back from ${from} to ${to}`;
    return [refusal(about, reason, `keep ${from} or use a newer version`)];
  }
  const step = impossibleStep(current.kubernetesVersion, to);
  if (step === undefined) return [];
  const reason = `no known KubeOne release leads from Kubernetes ${step.from} to ${step.to}`;
  return [refusal(about, reason, `use a version that can be reached from ${current.kubernetesVersion}`)];
}

/**
 * Protection counts until it is lifted on the pool itself; a pool that just disappears is still protected. One whose
 * removal has started is finished.
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
    const names = lost.map((node) => node.name).join(', ') || 'it';
    const reason = `the pool ${shown(pool.name)} is protected, and ${names} would be removed`;
    const field = same === undefined ? 'protect' : sizeFieldOf(same);
    return [refusal(aboutPool(pool, field), reason, 'set protect to false on the pool and apply that first')];
  });
}

function sizeFieldOf({ source, autoscaler }: NodePoolState): string {
  if (source.kind === 'static') return 'nodes';
  return autoscaler === undefined ? 'count' : 'autoscaler';
}

/** Static machines that must leave before they come back: the rest must work meanwhile. */
function releaseRefusals(current: ClusterState, desired: ClusterState): readonly Refusal[] {
  const released = releaseTarget(current, desired);
  if (released === current) return [];
  const fix = 'do it in two steps: first add other nodes (or another API endpoint) and apply, then move the machines';
  return stateFaults(released).map(({ reason, ...fault }) => ({
    ...fault,
    reason: `static machines change their pool or use; while they are away, ${reason}`,
    fix,
  }));
}
