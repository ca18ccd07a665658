/** Rules of cluster networks: large enough, usable, and without overlap with existing networks. */
import { error, type Fault, warning } from '../faults/fault.ts';
import { addressRange, isIn, podRange, serviceRange, unusableRanges } from '../schema/address-ranges.ts';
import { shown } from '../schema/names.ts';
import {
  addressNumber,
  addressText,
  contains,
  type Network,
  overlap,
  parseNetwork,
  usableAddresses,
} from '../schema/networks.ts';
import { type ManifestIndex, type Path, type PlacedPool, poolNamed } from './manifest-index.ts';

/**
 * The first addresses of 10.0.0.0/16, the network of machines in clouds, belong to the cloud. Subnets of pools
 * are chosen outside of the network of the cluster (`subnetSource`), so the rest of it is free.
 */
const cloudServices = addressRange(
  '10.0.0.0/24',
  'which clouds use for services of their machines, such as the name server of AWS (10.0.0.2)',
);
const privateRanges = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10'];

/** Checks the network of every cluster against everything its nodes can see. */
export function* networkRules(index: ManifestIndex): Iterable<Fault> {
  for (const { thing: cluster, path } of index.clusters) {
    const network = parseNetwork(cluster.network ?? '');
    if (network === undefined) continue;
    const pools = poolsAround(index, cluster.name ?? '');
    yield* rangeRules(network, pools, [...path, 'network']);
    yield* sizeRule(network, pools, [...path, 'network']);
    yield* endpointRules(network, pools, [...path, 'network']);
  }
}

/** Pools, once for each use, of a cluster and of the load balancers before it. */
function poolsAround(index: ManifestIndex, cluster: string): PlacedPool[] {
  const owners = index.loadBalancers.filter(({ thing }) => thing.targetedK8s === cluster);
  const names = [
    ...index.clusters
      .filter(({ thing }) => thing.name === cluster)
      .slice(0, 1)
      .flatMap(({ thing }) => [...thing.pools.control, ...thing.pools.compute]),
    ...owners.flatMap(({ thing }) => thing.pools),
  ];
  return names.flatMap((name) => poolNamed(index, name) ?? []);
}

/** Nodes of Kubernetes have routes into the networks of pods and services: the address of no machine may be there. */
export function* clusterAddressRules(index: ManifestIndex): Iterable<Fault> {
  for (const { thing: cluster } of index.clusters) {
    const statics = poolsAround(index, cluster.name ?? '').filter((pool) => pool.kind === 'static');
    for (const { thing: pool, path } of new Set(statics)) {
      for (const [at, { endpoint = '' }] of pool.nodes.entries()) {
        const place = [...path, 'nodes', at, 'endpoint'];
        const address = addressNumber(endpoint);
        if (isIn(podRange, address)) {
          const reason = `${shown(endpoint)} is in ${podRange.cidr}, ${podRange.what}: other nodes would look for it there`;
          yield error(place, reason, 'give the machine an address of another network');
        } else if (isIn(serviceRange, address)) {
          const reason = `${shown(endpoint)} is in ${serviceRange.cidr}, ${serviceRange.what}: it is lost when a service gets this address`;
          yield warning('address-of-services', place, reason, 'give the machine an address of another network');
        }
      }
    }
  }
}

function* rangeRules(network: Network, pools: readonly PlacedPool[], path: Path): Iterable<Fault> {
  const inClouds = pools.some((pool) => pool.kind === 'dynamic');
  const ranges = [...unusableRanges, podRange, serviceRange, ...(inClouds ? [cloudServices] : [])];
  const hit = ranges.filter(({ cidr }) => meets(network, cidr));
  for (const { cidr, what } of hit) {
    yield error(path, `${text(network)} overlaps ${cidr}, ${what}`, 'use another one, for example 192.168.2.0/24');
  }
  if (hit.length === 0 && !privateRanges.some((cidr) => isWithin(network, cidr))) {
    yield warning(
      'public-network',
      path,
      `${text(network)} is not a private network: nodes will not reach the real owners of these addresses`,
      'use one within 10.0.0.0/8, 172.16.0.0/12 or 192.168.0.0/16',
    );
  }
}

function* sizeRule(network: Network, pools: readonly PlacedPool[], path: Path): Iterable<Fault> {
  const nodes = pools.reduce((sum, pool) => sum + mostNodes(pool), 0);
  const room = usableAddresses(network);
  if (room >= Math.max(nodes, 1)) return;
  yield error(
    path,
    `${text(network)} has room for ${room} nodes, the cluster and its load balancers may have ${nodes}`,
    `use a larger network${exampleOf(Math.max(nodes, 1), pools)}; it cannot be changed later`,
  );
}

/** The smallest of some networks with room for so many nodes, in which no static node has its address. */
function exampleOf(nodes: number, pools: readonly PlacedPool[]): string {
  const taken = staticAddresses(pools);
  const found = examples.find((cidr) => {
    const network = parseNetwork(cidr);
    return network && usableAddresses(network) >= nodes && !taken.some((address) => contains(network, address));
  });
  return found === undefined ? '' : `, for example ${found}`;
}

const examples = ['192.168.2.0/24', '192.168.16.0/20', '192.168.0.0/16', '172.16.0.0/16', '172.16.0.0/12'];

function* endpointRules(network: Network, pools: readonly PlacedPool[], path: Path): Iterable<Fault> {
  const inside = staticAddresses(pools).filter((address) => contains(network, address));
  for (const address of inside) {
    yield error(
      path,
      `${text(network)} contains ${shown(address)}, the address of a static node`,
      'use a network that contains no address of a node',
    );
  }
}

function staticAddresses(pools: readonly PlacedPool[]): readonly string[] {
  const nodes = pools.flatMap((pool) => (pool.kind === 'static' ? pool.thing.nodes : []));
  return [...new Set(nodes.flatMap(({ endpoint }) => endpoint ?? []))];
}

function mostNodes(pool: PlacedPool): number {
  if (pool.kind === 'static') return pool.thing.nodes.length;
  return pool.thing.autoscaler?.max ?? pool.thing.count ?? 0;
}

function meets(network: Network, cidr: string): boolean {
  const other = parseNetwork(cidr);
  return other !== undefined && overlap(network, other);
}

function isWithin(network: Network, cidr: string): boolean {
  const other = parseNetwork(cidr);
  return other !== undefined && other.first <= network.first && network.last <= other.last;
}

function text(network: Network): string {
  return `${addressText(network.first)}/${network.prefix}`;
}
