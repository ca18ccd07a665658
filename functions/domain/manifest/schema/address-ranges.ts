/** Ranges of addresses with a meaning of their own: networks of clusters, machines and proxies are elsewhere. */
import { contains, parseNetwork } from './networks.ts';

export interface AddressRange {
  readonly cidr: string;
  /** "loopback addresses" */
  readonly what: string;
}

/** Networks inside of every cluster. */
export const podRange = { cidr: '10.244.0.0/16', what: 'the network of the pods' } satisfies AddressRange;
export const serviceRange = { cidr: '10.96.0.0/12', what: 'the network of the services' } satisfies AddressRange;

/** No machine is reached there from another one. */
export const unusableRanges: readonly AddressRange[] = [
  { cidr: '0.0.0.0/8', what: 'addresses without a network' },
  { cidr: '127.0.0.0/8', what: 'loopback addresses' },
  { cidr: '169.254.0.0/16', what: 'link-local addresses' },
  { cidr: '224.0.0.0/3', what: 'multicast and reserved addresses' },
];

/** True when the IPv4 address lies in the range. */
export function isIn({ cidr }: AddressRange, address: string): boolean {
  const network = parseNetwork(cidr);
  return network !== undefined && contains(network, address);
}
