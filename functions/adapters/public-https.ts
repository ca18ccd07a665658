/** Requests to addresses that users name: https only, bounded, and never to a private network that the operator has not allowed. */
import { type LookupAddress, lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { type BoundedRequest, boundedRequest } from './bounded-request.ts';

export interface HttpsAnswer {
  readonly status: number;
  readonly body: Buffer;
  /** Address that a redirect leads to. */
  readonly location?: string | undefined;
}

export interface PublicRequest extends Omit<BoundedRequest, 'ca' | 'lookup'> {
  /** Hosts, with port if any, that may have a private address. */
  readonly privateHosts: readonly string[];
}

/** The host has an address that is not of the public internet. */
export class RefusedAddress extends Error {
  readonly fix: string;

  constructor(host: string) {
    super(`${host} is in a private network`);
    this.fix = 'use a public host, or ask the operator to add it to KUBELOOM_TEMPLATE_PRIVATE_HOSTS';
  }
}

const privateNetworks = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const)
  privateNetworks.addSubnet(network, prefix, 'ipv4');
// Also what carries an IPv4 address inside and may be unpacked on the way: old forms, translators, tunnels.
for (const [network, prefix] of [
  ['::', 96],
  ['::ffff:0:0:0', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
  ['5f00::', 16],
  ['fc00::', 7],
  ['fe80::', 9],
  ['ff00::', 8],
] as const)
  privateNetworks.addSubnet(network, prefix, 'ipv6');

/** True for addresses that are not of the public internet; IPv4 mapped into IPv6 counts as what it is. */
export function isPrivateAddress(address: string): boolean {
  return privateNetworks.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

/** Asks once, follows no redirect. Throws `RefusedAddress`, and an `Error` with the cause when there is no answer. */
export async function askPublicly(url: string, { privateHosts, ...options }: PublicRequest): Promise<HttpsAnswer> {
  const { hostname, host, protocol } = new URL(url);
  if (protocol !== 'https:') throw new Error('it is a URL without TLS');
  const bare = hostname.replace(/^\[|\]$/g, '');
  const allowed = privateHosts.includes(host) || privateHosts.includes(hostname);
  if (!allowed && isIP(bare) !== 0 && isPrivateAddress(bare)) throw new RefusedAddress(host);
  // Checked where the connection is made: a name cannot have one address at the check and another at the use.
  const lookup = allowed ? undefined : publicLookup(host);
  const { status, headers, body } = await boundedRequest(url, { ...options, ...(lookup && { lookup }) });
  const location = [301, 302, 303, 307, 308].includes(status) ? headers.location : undefined;
  return { status, location, body };
}

const mostRedirects = 5;

/** The answer at the end of redirects, each to https and to a public address. Throws as above. */
export async function downloadPublicly(
  url: string,
  // What is sent with headers would reach the hosts of redirects.
  options: Omit<PublicRequest, 'method' | 'headers' | 'body'>,
): Promise<HttpsAnswer> {
  let at = url;
  for (let hops = 0; hops <= mostRedirects; hops += 1) {
    const answer = await askPublicly(at, options);
    if (answer.location === undefined) return answer;
    if (!URL.canParse(answer.location, at)) throw new Error('it redirects to an invalid URL');
    at = new URL(answer.location, at).href;
    if (!at.startsWith('https:')) throw new Error('it redirects to a URL without TLS');
  }
  throw new Error(`it redirects more than ${mostRedirects} times`);
}

const publicLookup =
  (host: string): LookupFunction =>
  (hostname, options, done) => {
    lookup(hostname, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
      if (error) return done(error, '');
      if (addresses.some(({ address }) => isPrivateAddress(address))) return done(new RefusedAddress(host), '');
      const [first] = addresses;
      if (options.all === true) return done(null, addresses);
      return done(null, first?.address ?? '', first?.family);
    });
  };
