/** Differences of one load balancer, apart from its pools. */
import type { DnsState, LoadBalancerState, RoleState } from '#domain/cluster-state.ts';
import type { Change } from '#domain/plan.ts';

/** Differences in roles and names of a load balancer that is in both states. */
export function diffLoadBalancer(from: LoadBalancerState, to: LoadBalancerState): Change[] {
  return [...diffRoles(from, to), ...diffDns(from, to)];
}

/** The names under which a load balancer is reached, and who serves them, in words. */
export function dnsText(dns: DnsState): string {
  const others = [...dns.alternativeNames].sort().map((name) => `, ${name}.${dns.zone}`);
  return `${dns.hostname}.${dns.zone}${others.join('')} (${dns.provider.name})`;
}

function diffRoles(from: LoadBalancerState, to: LoadBalancerState): Change[] {
  const before = new Map(from.roles.map((role) => [role.name, roleText(role)]));
  const after = new Set(to.roles.map((role) => role.name));
  const added = to.roles.filter((role) => !before.has(role.name)).map((role) => role.name);
  const removed = from.roles.filter((role) => !after.has(role.name)).map((role) => role.name);
  const changed = to.roles
    .filter((role) => before.has(role.name) && before.get(role.name) !== roleText(role))
    .map((role) => role.name);
  if (added.length + removed.length + changed.length === 0) return [];
  return [{ kind: 'RolesChanged', loadBalancer: to.name, added, removed, changed }];
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
