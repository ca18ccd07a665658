/** Load balancers of the desired state: roles, names and pools; host names are made once and kept. */
import type { ClusterState, DnsState, LoadBalancerState, RoleState } from '#domain/cluster-state.ts';
import type { KubernetesCluster } from '#domain/manifest/input-manifest.ts';
import { type LoadBalancer, type Role, servesApi, targetPoolsOf } from '#domain/manifest/load-balancers.ts';
import { hashedId, hostnameLength } from '#domain/naming.ts';
import { desiredPools, type PoolSources } from './desired-pools.ts';

/** The states a desired load balancer may stand in already, in order of preference. */
export interface Standing {
  readonly current: ClusterState | null;
  readonly attempted: ClusterState | null;
  /** Names of the Kubernetes pools that roles can point to. */
  readonly targets: ReadonlySet<string>;
}

/** The load balancers that the manifest wishes for a cluster, in its order. */
export function desiredLoadBalancers(
  cluster: KubernetesCluster,
  standing: Standing,
  sources: PoolSources,
): LoadBalancerState[] {
  return sources.manifest.spec.loadBalancers.clusters
    .filter((loadBalancer) => loadBalancer.targetedK8s === cluster.name)
    .map((loadBalancer) => desiredLoadBalancer(loadBalancer, cluster, standing, sources));
}

function desiredLoadBalancer(
  wish: LoadBalancer,
  cluster: KubernetesCluster,
  standing: Standing,
  sources: PoolSources,
): LoadBalancerState {
  const named = (state: ClusterState | null) => state?.loadBalancers.find((known) => known.name === wish.name);
  const current = named(standing.current);
  const attempted = named(standing.attempted);
  const found = current ?? attempted;
  const id = found?.id ?? hashedId(wish.name, sources.ids, sources.takenIds);
  sources.takenIds.add(id);
  const sameAttempt = attempted?.id === id ? attempted : undefined;
  return {
    id,
    name: wish.name,
    roles: wish.roles.flatMap((name) => {
      const role = sources.manifest.spec.loadBalancers.roles.find((candidate) => candidate.name === name);
      return role === undefined ? [] : [roleState(role, cluster, standing.targets)];
    }),
    dns: dnsState(wish, [current, attempted], sources),
    pools: wish.pools.flatMap((name) =>
      desiredPools(
        { name, role: 'loadBalancer', current: current?.pools ?? [], attempted: sameAttempt?.pools ?? [] },
        sources,
      ),
    ),
  };
}

function dnsState(
  wish: LoadBalancer,
  standing: readonly (LoadBalancerState | undefined)[],
  sources: PoolSources,
): DnsState {
  const zone = wish.dns.dnsZone;
  const kept = standing.find((loadBalancer) => loadBalancer?.dns.zone === zone)?.dns.hostname;
  return {
    zone,
    provider: sources.provider(wish.dns.provider),
    hostname: wish.dns.hostname ?? kept ?? sources.ids.hash(hostnameLength),
    alternativeNames: [...wish.dns.alternativeNames],
  };
}

function roleState(role: Role, cluster: KubernetesCluster, there: ReadonlySet<string>): RoleState {
  const forApi = servesApi(role);
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
