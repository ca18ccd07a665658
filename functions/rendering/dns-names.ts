/** Full names of a load balancer: manifests name the zone as its cloud does, which need not be the zone's domain. */
import type { ClusterFacts, LoadBalancerState } from '#domain/cluster-state.ts';

/** Its alternative names, in the domain that its endpoint turned out to be in; before that is known, in the zone as it is named. */
export function alternativeNamesOf({ name, dns }: LoadBalancerState, facts: ClusterFacts): readonly string[] {
  const endpoint = facts.loadBalancers[name]?.endpoint ?? '';
  const before = `${dns.hostname}.`;
  const domain = endpoint.startsWith(before) ? endpoint.slice(before.length) : dns.zone;
  return dns.alternativeNames.map((alternative) => `${alternative}.${domain}`);
}
