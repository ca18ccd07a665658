/** Ranges of addresses with a meaning of their own: networks of clusters, machines and proxies are elsewhere. */
import { type Network, parseNetwork } from './networks.ts';

export interface AddressRange {
  readonly cidr: string;
  /** "loopback addresses" */
  readonly what: string;
  readonly network: Network;
}

/** Read once: a manifest has ten thousand addresses. */
export function addressRange(cidr: string, what: string): AddressRange {
  const network = parseNetwork(cidr);
  if (network === undefined) throw new TypeError(`${cidr} is no range of addresses`);
  return { cidr, what, network };
}

/** Networks inside of every cluster. */
export const podRange = addressRange('10.244.0.0/16', 'the network of the pods');
export const serviceRange = addressRange('10.96.0.0/12', 'the network of the services');

/** No machine is reached there from another one. */
export const unusableRanges: readonly AddressRange[] = [
  addressRange('0.0.0.0/8', 'addresses without a network'),
  addressRange('127.0.0.0/8', 'loopback addresses'),
  addressRange('169.254.0.0/16', 'link-local addresses'),
  addressRange('224.0.0.0/3', 'multicast and reserved addresses'),
];

/** True when the IPv4 address lies in the range; `address` as `addressNumber` gives it. */
export function isIn({ network }: AddressRange, address: number | undefined): boolean {
  return address !== undefined && network.first <= address && address <= network.last;
}
