/** Addresses that Kubeloom gives out: of nodes inside the mesh, and of the cloud subnet of each dynamic pool. */
import { PipelineError } from './errors.ts';
import { addressNumber, addressText, type Network, overlap, parseNetwork } from './manifest/schema/networks.ts';

/** Gives one free address after the other, lowest first, never the network's own or the broadcast address. */
export type AddressSource = () => string;

/** A source of mesh addresses. It throws `PlanRefused` when the network is used up. */
export function addressSource(cidr: string, inUse: Iterable<string>): AddressSource {
  const network = parseNetwork(cidr);
  if (network === undefined) throw refused(`the network ${cidr} is not an IPv4 CIDR`, 'use one such as 192.168.2.0/24');
  // Few plans need another address, so nothing is read before the first is asked for.
  let known: ReadonlySet<number | undefined> | undefined;
  let next = network.first + 1;
  return () => {
    known ??= new Set([...inUse].map(addressNumber));
    const taken = known;
    while (next < network.last && taken.has(next)) next++;
    if (next >= network.last) {
      throw refused(
        `the network ${cidr} has no free address for another node`,
        'use fewer nodes, or create a new cluster with a larger network',
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
  const network = parseNetwork(mesh);
  const isClear = (subnet: Network) => network === undefined || !overlap(subnet, network);
  // Few plans need another subnet, so the mesh is compared with none before the first is asked for.
  let anyIsClear: boolean | undefined;
  return (provider, region) => {
    anyIsClear ??= subnets.some(isClear);
    const free = subnets.find(
      (subnet) => !taken.has(key(provider, region, subnet.cidr)) && (!anyIsClear || isClear(subnet)),
    );
    if (free === undefined) {
      throw refused(
        `${provider} has no free subnet in ${region} for another pool`,
        'use another region or provider for the pool',
      );
    }
    taken.add(key(provider, region, free.cidr));
    return free.cidr;
  };
}

const subnets = Array.from({ length: 256 }, (_, x) => {
  const first = (10 << 24) + (x << 8);
  return { cidr: `10.0.${x}.0/24`, first, last: first + 255, prefix: 24 };
}) satisfies readonly Network[];

function key(provider: string, region: string, subnet: string): string {
  return `${provider} ${region} ${subnet}`;
}

function refused(reason: string, fix: string): PipelineError {
  return new PipelineError('PlanRefused', `${reason}; ${fix}`, {
    details: [{ path: 'spec.kubernetes.clusters', reason, fix }],
  });
}
