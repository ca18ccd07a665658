/** Addresses that Kubeloom gives out: of nodes inside the mesh, and of the cloud subnet of each dynamic pool. */
import { PipelineError } from './errors.ts';
import { addressNumber, addressText, overlap, parseNetwork } from './manifest/networks.ts';

/** Gives one free address after the other, lowest first, never the network's own or the broadcast address. */
export type AddressSource = () => string;

/** A source of mesh addresses. It throws `PlanRefused` when the network is used up. */
export function addressSource(cidr: string, inUse: Iterable<string>): AddressSource {
  const network = parseNetwork(cidr);
  if (network === undefined) throw refused(`the network ${cidr} is no IPv4 CIDR`, 'use one such as 192.168.2.0/24');
  const taken = new Set([...inUse].map(addressNumber));
  let next = network.first + 1;
  return () => {
    while (next < network.last && taken.has(next)) next++;
    if (next >= network.last) {
      throw refused(
        `the network ${cidr} has no free address for another node`,
        'wish for fewer nodes, or make a new cluster with a larger network',
      );
    }
    return addressText(next++);
  };
}

/** A pool that has a subnet already. */
export interface SubnetUse {
  readonly provider: string;
  readonly region: string;
  readonly subnet: string;
}

/** Gives the next free subnet of a provider instance and region. */
export type SubnetSource = (provider: string, region: string) => string;

/**
 * A source of cloud subnets `10.0.<x>.0/24`, x the lowest that is free in the provider instance and region and that
 * does not overlap the mesh (unless the mesh covers them all). It throws `PlanRefused` when all are used.
 */
export function subnetSource(mesh: string, inUse: Iterable<SubnetUse>): SubnetSource {
  const taken = new Set([...inUse].map((use) => key(use.provider, use.region, use.subnet)));
  const clear = subnets.filter((subnet) => !meets(subnet, mesh));
  const candidates = clear.length > 0 ? clear : subnets;
  return (provider, region) => {
    const subnet = candidates.find((candidate) => !taken.has(key(provider, region, candidate)));
    if (subnet === undefined) {
      throw refused(
        `${provider} has no free subnet in ${region} for another pool`,
        'use another region or provider for the pool',
      );
    }
    taken.add(key(provider, region, subnet));
    return subnet;
  };
}

const subnets: readonly string[] = Array.from({ length: 256 }, (_, x) => `10.0.${x}.0/24`);

function key(provider: string, region: string, subnet: string): string {
  return `${provider} ${region} ${subnet}`;
}

function meets(left: string, right: string): boolean {
  const a = parseNetwork(left);
  const b = parseNetwork(right);
  return a !== undefined && b !== undefined && overlap(a, b);
}

function refused(reason: string, fix: string): PipelineError {
  return new PipelineError('PlanRefused', `${reason}; ${fix}`, {
    details: [{ path: 'spec.kubernetes.clusters', reason, fix }],
  });
}
