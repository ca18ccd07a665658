/** Load balancers of the desired state: roles, names and pools; host names are chosen once and kept. */
import type { ClusterState, DnsState, LoadBalancerState, RoleState } from '#domain/cluster-state.ts';
import { hashedId, hostnameLength } from '#domain/naming.ts';
import { normalDnsName } from '../../manifest/schema/dns-name.ts';
import type { KubernetesCluster } from '../../manifest/schema/input-manifest.ts';
import { type LoadBalancer, type Role, servesApi, targetPoolsOf } from '../../manifest/schema/load-balancers.ts';
import { desiredPools, type PoolSources } from './desired-pools.ts';

/** The states in which a desired load balancer may exist already, in order of preference. */
export interface Existing {
  readonly current: ClusterState | null;
  readonly attempted: ClusterState | null;
  /** Names of the Kubernetes pools that roles can point to. */
  readonly targets: ReadonlySet<string>;
}

/** The load balancers of a cluster in the manifest, in its order. */
export function desiredLoadBalancers(
  cluster: KubernetesCluster,
  existing: Existing,
  sources: PoolSources,
): LoadBalancerState[] {
  return sources.manifest.spec.loadBalancers.clusters
    .filter((loadBalancer) => loadBalancer.targetedK8s === cluster.name)
    .map((loadBalancer) => desiredLoadBalancer(loadBalancer, cluster, existing, sources));
}

function desiredLoadBalancer(
  desired: LoadBalancer,
  cluster: KubernetesCluster,
  existing: Existing,
  sources: PoolSources,
): LoadBalancerState {
  const named = (state: ClusterState | null) => state?.loadBalancers.find((known) => known.name === desired.name);
  const current = named(existing.current);
  const attempted = named(existing.attempted);
  const found = current ?? attempted;
  const id = found?.id ?? hashedId(desired.name, sources.ids, sources.takenIds);
  sources.takenIds.add(id);
  const sameAttempt = attempted?.id === id ? attempted : undefined;
  return {
    id,
    name: desired.name,
    roles: desired.roles.flatMap((name) => {
      const role = sources.manifest.spec.loadBalancers.roles.find((candidate) => candidate.name === name);
      return role === undefined ? [] : [roleState(role, cluster, existing.targets)];
    }),
    dns: dnsState(desired, [current, attempted], sources),
    pools: desired.pools.flatMap((name) =>
      desiredPools(
        { name, role: 'loadBalancer', current: current?.pools ?? [], attempted: sameAttempt?.pools ?? [] },
        sources,
      ),
    ),
  };
}

function dnsState(
  desired: LoadBalancer,
  existing: readonly (LoadBalancerState | undefined)[],
  sources: PoolSources,
): DnsState {
  const { ids } = sources;
  const { dnsZone, hostname, alternativeNames } = desired.dns;
  const kept = existing.find((balancer) => balancer && normalDnsName(balancer.dns.zone) === dnsZone)?.dns;
  // What exists stays as it was written: another form of the same name would be another record, and another endpoint.
  const written = (name: string) =>
    [kept?.hostname, ...(kept?.alternativeNames ?? [])].find((each) => each && normalDnsName(each) === name) ?? name;
  const chosen = () => kept?.hostname ?? ids.hostname?.(desired.name) ?? ids.hash(hostnameLength);
  return {
    zone: kept?.zone ?? dnsZone,
    provider: sources.provider(desired.dns.provider),
    hostname: hostname === undefined ? chosen() : written(hostname),
    alternativeNames: alternativeNames.map(written),
  };
}

function roleState(role: Role, cluster: KubernetesCluster, there: ReadonlySet<string>): RoleState {
  const forApi = servesApi(role) && !cluster.machinesOnly;
  const { control, compute } = cluster.pools;
  const meant: readonly string[] = forApi ? control : [...control, ...compute];
  const targets = targetPoolsOf(role, cluster.pools).filter((pool) => meant.includes(pool) && there.has(pool));
  return {
    name: role.name,
    protocol: role.protocol,
    port: role.port,
    targetPort: role.targetPort,
    targetPools: [...new Set(targets)],
    proxyProtocol: role.settings.proxyProtocol,
    stickySessions: role.settings.stickySessions,
    servesApi: forApi,
  };
}
