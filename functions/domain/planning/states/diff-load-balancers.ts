/** Differences of one load balancer, apart from its pools. */
import type { ClusterState, DnsState, LoadBalancerState, RoleState } from '#domain/cluster-state.ts';
import type { Change } from '#domain/plan.ts';

/** A load balancer and the cluster it belongs to. */
export interface PlacedBalancer {
  readonly state: ClusterState;
  readonly loadBalancer: LoadBalancerState;
}

/** Differences in roles and names of a load balancer that is in both states. */
export function diffLoadBalancer(from: PlacedBalancer, to: PlacedBalancer): Change[] {
  return [...diffRoles(from, to), ...diffDns(from.loadBalancer, to.loadBalancer)];
}

/** The names of a load balancer, and the provider that serves them, in words. */
export function dnsText(dns: DnsState): string {
  const others = [...dns.alternativeNames].sort().map((name) => `, ${name}.${dns.zone}`);
  return `${dns.hostname}.${dns.zone}${others.join('')} (${dns.provider.name})`;
}

function diffRoles(from: PlacedBalancer, to: PlacedBalancer): Change[] {
  const before = roleTexts(from);
  const after = roleTexts(to);
  const names = [...after.keys()];
  const added = names.filter((name) => !before.has(name));
  const removed = [...before.keys()].filter((name) => !after.has(name));
  const changed = names.filter((name) => before.has(name) && before.get(name) !== after.get(name));
  if (added.length + removed.length + changed.length === 0) return [];
  return [{ kind: 'RolesChanged', loadBalancer: to.loadBalancer.name, added, removed, changed }];
}

/** By name, all about each role. A pool that the cluster does not have is no target. */
function roleTexts({ state, loadBalancer }: PlacedBalancer): ReadonlyMap<string, string> {
  const pools = new Set(state.pools.map((pool) => pool.name));
  return new Map(
    loadBalancer.roles.map((role) => [
      role.name,
      roleText({ ...role, targetPools: role.targetPools.filter((pool) => pools.has(pool)) }),
    ]),
  );
}

function diffDns(from: LoadBalancerState, to: LoadBalancerState): Change[] {
  const before = dnsText(from.dns);
  const after = dnsText(to.dns);
  const same = before === after && from.dns.provider.type === to.dns.provider.type;
  return same ? [] : [{ kind: 'DnsChanged', loadBalancer: to.name, from: before, to: after }];
}

function roleText({ targetPools, ...role }: RoleState): string {
  const { protocol, port, targetPort, proxyProtocol, stickySessions, servesApi } = role;
  return JSON.stringify([
    [protocol, port, targetPort, proxyProtocol, stickySessions, servesApi],
    [...targetPools].sort(),
  ]);
}
