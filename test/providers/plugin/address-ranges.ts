/** IPv4 ranges: `10.0.0.0/24`. */
import { BlockList } from 'node:net';

interface Range {
  readonly address: string;
  readonly bits: number;
}

/** All of `inner` lies in `outer`. */
export function isWithin(inner: string, outer: string): boolean {
  const [small, large] = [parse(inner), parse(outer)];
  return small.bits >= large.bits && contains(large, small.address);
}

/** They have an address in common. */
export function rangesOverlap(left: string, right: string): boolean {
  return contains(parse(left), parse(right).address) || contains(parse(right), parse(left).address);
}

function parse(range: string): Range {
  const [address = '', bits = '32'] = range.split('/');
  return { address, bits: Number(bits) };
}

function contains({ address, bits }: Range, other: string): boolean {
  const list = new BlockList();
  list.addSubnet(address, bits);
  return list.check(other);
}
