/** The description of one cluster: progress, nodes, load balancers, and what went wrong. */
import type { ClusterDescription, NodeRow, Progress } from '#contracts/api-bodies.ts';
import type { LoadBalancerRow } from '#contracts/cluster-parts.ts';
import type { OpenDemand } from '#contracts/cluster-remarks.ts';
import type { FailureReport } from '#contracts/failure-report.ts';
import { pathOf } from '#contracts/operations/operation.ts';
import { operations } from '#contracts/operations/operations.ts';
import type { ClusterFailure, ClusterProgress, ClusterRecord } from '#contracts/records.ts';
import {
  allPools,
  type ClusterState,
  type DynamicSource,
  type NodePoolState,
  type NodeState,
  type RoleState,
} from '#domain/cluster-state.ts';
import type { Demand } from '#domain/demand.ts';
import type { NodeHealthRecord } from '#domain/drift.ts';
import { type FailedManifest, logCommandOf } from '#domain/failure-lines.ts';
import { proxyText } from '#domain/installation-proxy.ts';
import { apiPort } from '#domain/manifest/schema/load-balancers.ts';
import { onceFor } from '#domain/once-for.ts';
import { failureOutcomeText } from '#domain/planning/text/failure-outcome-text.ts';
import { percentDone } from '#domain/progress.ts';
import { isUnhealthy } from '#domain/repair/node-health.ts';
import { clusterName } from '../../pipeline/records/cluster-records.ts';
import { deletionHint, linesOfCluster, linesOfPool } from '../../pipeline/records/failed-cluster.ts';
import { attemptOfPrefix, logPath } from './api-paths.ts';
import { certificateEnds } from './certificate-ends.ts';

interface Around {
  readonly demand: Demand | undefined;
  readonly manifest: FailedManifest;
  /** The checks of its manifest renew its certificates. */
  readonly renews: boolean;
  readonly now: Date;
}

export function describeCluster(record: ClusterRecord, { demand, manifest, renews, now }: Around): ClusterDescription {
  const shown = record.current ?? record.attempted;
  const failed = { ...record, name: clusterName(record) };
  return {
    cluster: record.cluster,
    name: failed.name,
    status: record.status,
    kubernetesVersion: shown?.kubernetesVersion ?? null,
    network: shown?.network ?? null,
    apiEndpoint: shown ? (apiEndpointOf(shown, record) ?? null) : null,
    progress: record.progress && {
      ...progressOf(record.progress, record.status === 'Converged'),
      direction: record.progress.direction,
      waypoint: record.progress.waypoint,
      waypoints: record.progress.waypoints,
      stage: record.progress.stage ?? null,
      startedAt: record.progress.startedAt,
      updatedAt: record.progress.updatedAt,
    },
    ...(shown?.installationProxy.enabled && { downloads: proxyText(shown.installationProxy.endpoint) }),
    nodes: nodeRows(record),
    ...(shown && { providers: providersOf(shown) }),
    ...(shown && !shown.meshless && { mesh: meshOf(shown, record) }),
    loadBalancers: (shown?.loadBalancers ?? []).map((lb) => loadBalancerRow(lb, shown?.pools ?? [], record)),
    failure: record.failure && {
      ...failureReport(record.failure, record, manifest.deleting),
      lines: linesOfCluster(failed, manifest),
    },
    heldPools: (record.heldPools ?? []).map((held) => ({
      pool: held.pool,
      role: held.role,
      reason: `${held.failure.code}: ${held.failure.message}`,
      class: held.failure.class,
      lines: linesOfPool(held, failed, manifest),
    })),
    demand: demand === undefined ? null : openDemandOf(demand),
    drift: record.drift ?? null,
    ...certificateEnds(record, renews, now),
    simulated: record.facts.simulated,
    kubeconfigPath: record.facts.kubeconfigKey === undefined ? null : kubeconfigPath(record),
  };
}

/** Null when nothing is asked for, and nothing of it failed. */
export function openDemandOf({ sizes, replace, failures }: Demand): OpenDemand | null {
  const asked = Object.entries(sizes).flatMap(([pool, { kept, ...size }]) => (kept ? [] : [{ pool, ...size }]));
  const failed = Object.entries(failures).map(([pool, failure]) => ({ pool, ...failure }));
  if (asked.length + replace.length + failed.length === 0) return null;
  return { sizes: asked, replace: [...replace], failures: failed };
}

function kubeconfigPath(record: ClusterRecord): string {
  const { namespace, manifest: name } = record;
  return pathOf(operations.getKubeconfig, { namespace, name, cluster: clusterName(record) });
}

/** Steps done and the share of them; a converged cluster is at 100 % also when it had nothing to do. */
export function progressOf(progress: Pick<ClusterProgress, 'step' | 'steps'>, converged: boolean): Progress {
  return { step: progress.step, steps: progress.steps, percent: converged ? 100 : percentDone(progress) };
}

/** One row for each node: existing ones, then those that a waypoint tries or tried to add. */
export function nodeRows(record: ClusterRecord): NodeRow[] {
  const existing = record.current ? allPools(record.current) : [];
  const names = new Set(existing.flatMap((pool) => pool.nodes.map((node) => node.name)));
  const tried = record.attempted ? allPools(record.attempted) : [];
  return [
    ...existing.flatMap((pool) => rowsOf(pool, record, true)),
    ...tried.flatMap((pool) => rowsOf(pool, record, false)).filter((row) => !names.has(row.name)),
  ];
}

function rowsOf(pool: NodePoolState, record: ClusterRecord, existing: boolean): NodeRow[] {
  return pool.nodes.map((node) => {
    const { unreachableSince, ...facts } = record.facts.nodes[node.name] ?? {};
    const publicAddress = node.static?.endpoint ?? facts.publicAddress;
    return {
      name: node.name,
      pool: pool.name,
      role: pool.role,
      provider: pool.source.kind === 'dynamic' ? pool.source.provider.name : 'static',
      ...(pool.source.kind === 'dynamic' && placeOf(pool.source, node)),
      ...(publicAddress !== undefined && { publicAddress }),
      privateAddress: (record.current ?? record.attempted)?.meshless ? '' : node.privateAddress,
      status: statusOf(node.name, record, existing, publicAddress !== undefined),
      ...(unreachableSince !== undefined && { unreachableSince }),
      ...healthOf(node.name, record),
      ...(pool.health && checkedHealth(node.name, record)),
    };
  });
}

function placeOf({ region, zone, serverType }: DynamicSource, node: NodeState) {
  return { region, ...(zone !== undefined && { zone }), serverType: node.serverType ?? serverType };
}

function providersOf(state: ClusterState): NonNullable<ClusterDescription['providers']> {
  const instances = [
    ...allPools(state).flatMap(({ source }) => (source.kind === 'dynamic' ? [source.provider] : [])),
    ...state.loadBalancers.map(({ dns }) => dns.provider),
  ];
  return [...new Map(instances.map(({ name, type }) => [name, { name, type }])).values()];
}

function meshOf(state: ClusterState, { drift }: ClusterRecord): NonNullable<ClusterDescription['mesh']> {
  const found = (drift?.items ?? []).filter(({ kind }) => kind === 'mesh');
  const faults = found.map(({ where: { node }, message }) => ({ ...(node !== undefined && { node }), message }));
  return { nodes: allPools(state).reduce((sum, { nodes }) => sum + nodes.length, 0), faults };
}

/** What the last check found, of a node that is not healthy. */
function healthOf(name: string, record: ClusterRecord): Pick<NodeRow, 'unhealthySince' | 'notReplaced'> {
  const { since, refused, until } = unhealthy(name, record) ?? {};
  const when = until === undefined ? '' : `; compared again at ${until}`;
  return {
    ...(since !== undefined && { unhealthySince: since }),
    ...(refused !== undefined && { notReplaced: `${refused}${when}` }),
  };
}

/** Health of a machine with health checks. */
function checkedHealth(name: string, record: ClusterRecord): Pick<NodeRow, 'health'> {
  const known = byNode(record).health.get(name);
  if (known === undefined) return {};
  const { health: state, since, failing, seenAt: checkedAt } = known;
  const why = failing !== undefined && { failing };
  return { health: { state, checkedAt, ...(since !== undefined && { since }), ...why } };
}

function unhealthy(name: string, record: ClusterRecord): NodeHealthRecord | undefined {
  const known = byNode(record).health.get(name);
  return known && isUnhealthy(known.health) ? known : undefined;
}

/** What the record says of each node: a cluster may have a thousand. */
const byNode = onceFor(({ drift, progress }: ClusterRecord) => ({
  health: new Map((drift?.health ?? []).map((one) => [one.node, one])),
  parts: new Map((progress?.nodes ?? []).map((one) => [one.name, one.part])),
}));

/** What happens to a node follows from the waypoint in progress; without one the node exists or is a leftover. */
function statusOf(name: string, record: ClusterRecord, existing: boolean, reachable: boolean): NodeRow['status'] {
  const working = record.status === 'Running' || record.status === 'BackingOff' || record.status === 'RollingBack';
  const part = byNode(record).parts.get(name);
  if (existing && working && part === 'leaves') return 'Leaving';
  const found = existing ? unhealthy(name, record)?.health : undefined;
  if (found !== undefined) return found === 'gone' ? 'Gone' : found === 'unhealthy' ? 'Unhealthy' : 'NotReady';
  if (existing) return record.facts.nodes[name]?.unreachableSince === undefined ? 'Ready' : 'Unreachable';
  if (!working) return 'Leftover';
  if (record.status === 'RollingBack') return 'Leaving';
  return reachable ? 'Joining' : 'Waiting';
}

function loadBalancerRow(
  lb: ClusterState['loadBalancers'][number],
  pools: readonly NodePoolState[],
  record: ClusterRecord,
): LoadBalancerRow {
  const endpoint = record.facts.loadBalancers[lb.name]?.endpoint;
  return {
    name: lb.name,
    ...(endpoint !== undefined && { endpoint }),
    dnsName: dnsNameOf(lb),
    servesApi: lb.roles.some((role) => role.servesApi),
    pools: lb.pools.map(({ name }) => name),
    roles: lb.roles.map((role) => ({
      name: role.name,
      protocol: role.protocol,
      port: role.port,
      targetPort: role.targetPort,
      targetPools: role.targetPools,
      targets: targetsOf(role, pools),
    })),
  };
}

/** Also the control nodes of a pool that is used as both, but of the API those only. */
function targetsOf({ targetPools, servesApi }: RoleState, pools: readonly NodePoolState[]): string[] {
  return pools
    .filter(({ name, role }) => targetPools.includes(name) && (!servesApi || role === 'control'))
    .flatMap(({ nodes }) => nodes.map(({ name }) => name));
}

function dnsNameOf(lb: ClusterState['loadBalancers'][number]): string {
  return `${lb.dns.hostname}.${lb.dns.zone}`;
}

function apiEndpointOf(state: ClusterState, record: ClusterRecord): string | undefined {
  const endpoint = state.apiEndpoint;
  if (endpoint.kind === 'node') {
    const address = record.facts.nodes[endpoint.node]?.publicAddress;
    return address && `https://${address}:${apiPort}`;
  }
  if (endpoint.kind === 'none') return undefined;
  const lb = state.loadBalancers.find((candidate) => candidate.name === endpoint.loadBalancer);
  return lb && `https://${record.facts.loadBalancers[lb.name]?.endpoint ?? dnsNameOf(lb)}:${apiPort}`;
}

function failureReport(failure: ClusterFailure, record: ClusterRecord, deleting: boolean): FailureReport {
  const attempt = failure.attemptPrefix === undefined ? undefined : attemptOfPrefix(failure.attemptPrefix);
  return {
    class: failure.class,
    code: failure.code,
    message: failure.message,
    hint: deleting && failure.code === 'Cancelled' ? deletionHint : failure.hint,
    outcome: failureOutcomeText(failure),
    ...(failure.resource !== undefined && { resource: failure.resource }),
    ...(failure.stage !== undefined && { stage: failure.stage }),
    runId: failure.runId,
    at: failure.at,
    ...(attempt && {
      logCommand: logCommandOf(failure.runId, failure.stage, record.namespace),
      logPath: logPath({ ...attempt, cluster: clusterName(record) }),
    }),
  };
}
