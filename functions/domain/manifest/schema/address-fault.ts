/** Addresses of machines: which no machine can have, and the one way to write each. Every function reads it, with the proxy of the installation: no schemas here. */
import { isIn, unusableRanges } from './address-ranges.ts';
import { shown } from './names.ts';
import { addressNumber } from './networks.ts';

/** What is wrong with a value, and what to do. */
export interface Objection {
  readonly reason: string;
  readonly fix: string;
}

/** Why no machine can be reached at an address of the right form; undefined when one can. */
export function addressFault(address: string): Objection | undefined {
  const one = normalAddress(address);
  const fix = 'give the address at which other machines reach it';
  const number = addressNumber(one);
  const range = unusableRanges.find((known) => isIn(known, number));
  if (range !== undefined) return { reason: `${shown(address)} is one of the ${range.what} (${range.cidr})`, fix };
  const inside = mapped.exec(one);
  if (inside !== null) {
    const plain = fourNumbers(`${inside[1]}`, `${inside[2]}`);
    return { reason: `${shown(address)} is the IPv4 address ${plain} in the form of IPv6`, fix: `write "${plain}"` };
  }
  const what = unusableSix.find(([form]) => form.test(one))?.[1];
  return what === undefined ? undefined : { reason: `${shown(address)} is one of the ${what}`, fix };
}

/** The same text for all forms of one address: `2001:DB8:0::1` is `2001:db8::1`. Any other text in lower case. */
export function normalAddress(address: string): string {
  if (!address.includes(':') || !URL.canParse(`http://[${address}]/`)) return address.toLowerCase();
  return new URL(`http://[${address}]/`).hostname.slice(1, -1);
}

const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/;

/** In their normal form. */
const unusableSix: readonly (readonly [form: RegExp, what: string])[] = [
  [/^::1$/, 'loopback addresses (::1)'],
  [/^::[^:]*(?::[^:]*)?$/, 'addresses without a network (::/96)'],
  [/^fe[89ab][0-9a-f]:/, 'link-local addresses (fe80::/10)'],
  [/^ff[0-9a-f]{2}:/, 'multicast addresses (ff00::/8)'],
];

function fourNumbers(...halves: readonly string[]): string {
  return halves.flatMap((half) => [Number.parseInt(half, 16) >> 8, Number.parseInt(half, 16) & 255]).join('.');
}
