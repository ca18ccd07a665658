/** Arithmetic on IPv4 networks: parsing, overlap, how many nodes fit. */

export interface Network {
  /** First address as a number. */
  readonly first: number;
  readonly last: number;
  readonly prefix: number;
}

/** Parses a CIDR; host bits are ignored. Undefined when the text is not a CIDR. */
export function parseNetwork(cidr: string): Network | undefined {
  const match = /^([\d.]+)\/(\d{1,2})$/.exec(cidr);
  const address = addressNumber(match?.[1] ?? '');
  const prefix = Number(match?.[2]);
  if (match === null || address === undefined || prefix > 32) return undefined;
  const size = 2 ** (32 - prefix);
  const first = address - (address % size);
  return { first, last: first + size - 1, prefix };
}

/** The CIDR with its host bits cleared: `192.168.2.7/24` → `192.168.2.0/24`. Other text stays. */
export function networkText(cidr: string): string {
  const network = parseNetwork(cidr);
  return network === undefined ? cidr : `${addressText(network.first)}/${network.prefix}`;
}

/** True when the two have an address in common. */
export function overlap(left: Network, right: Network): boolean {
  return left.first <= right.last && right.first <= left.last;
}

/** True when the IPv4 address lies in the network. */
export function contains(network: Network, address: string): boolean {
  const value = addressNumber(address);
  return value !== undefined && network.first <= value && value <= network.last;
}

/** Addresses for nodes: all but the network's own and the broadcast address. */
export function usableAddresses(network: Network): number {
  return Math.max(0, network.last - network.first - 1);
}

/** The IPv4 address as a number; undefined when it is not one. */
export function addressNumber(address: string): number | undefined {
  const match = fourNumbers.exec(address);
  if (match === null) return undefined;
  let value = 0;
  for (const part of match.slice(1)) {
    if (Number(part) > 255) return undefined;
    value = value * 256 + Number(part);
  }
  return value;
}

const fourNumbers = /^(0|[1-9]\d{0,2})\.(0|[1-9]\d{0,2})\.(0|[1-9]\d{0,2})\.(0|[1-9]\d{0,2})$/;

/** The number as an IPv4 address. */
export function addressText(value: number): string {
  return [24, 16, 8, 0].map((bits) => Math.floor(value / 2 ** bits) % 256).join('.');
}
