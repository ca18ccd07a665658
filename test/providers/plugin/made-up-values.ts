/** What a simulated cloud answers where a real one would: ids, addresses and texts, the same for the same resource each time. */
import { createHash } from 'node:crypto';
import type { CtyObject, CtyType, CtyValue } from './cty-value.ts';
import type { AttributePath, MakeUp } from './planned-values.ts';

export interface ValueOrigin {
  /** Resource type or data source, e.g. `hcloud_server`. */
  readonly type: string;
  /** Different for every resource; the same resource has the same. */
  readonly seed: string;
  readonly region: string;
  readonly config: CtyObject;
  /** A free public address of the simulated cloud. */
  readonly address: (seed: string) => string;
}

/** Values of computed attributes for one resource. */
export function makerOf(origin: ValueOrigin): MakeUp {
  return (path, type) => madeUp(origin, path, type);
}

/** The first bytes of a hash as hexadecimal digits. */
export function digits(seed: string, length: number): string {
  return createHash('sha256').update(seed).digest('hex').slice(0, length);
}

const number = (seed: string, below: number): number => Number.parseInt(digits(seed, 8), 16) % below;

function madeUp(origin: ValueOrigin, path: AttributePath, type: CtyType): CtyValue {
  const seed = `${origin.seed}/${path.join('.')}`;
  const name = path.findLast((part) => !/^\d+$/.test(part)) ?? '';
  if (type === 'string') return textOf(origin, name, seed);
  if (type === 'number')
    return /id$/.test(name)
      ? 10_000_000 + number(seed, 9e7)
      : /port/.test(name)
        ? 20_000 + number(seed, 20_000)
        : 1 + number(seed, 99);
  if (type === 'bool') return /^(enabled|active|is_?active|available)$/.test(name);
  if (typeof type === 'string') return null;
  const [kind, inner] = type;
  switch (kind) {
    case 'list':
    case 'set':
      return items(origin, path, name, inner as CtyType);
    case 'map':
      return {};
    case 'tuple':
      return (inner as readonly CtyType[]).map((each, index) => madeUp(origin, [...path, String(index)], each));
    case 'object':
      return Object.fromEntries(
        Object.entries(inner as Readonly<Record<string, CtyType>>).map(([key, each]) => [
          key,
          madeUp(origin, [...path, key], each),
        ]),
      );
    default:
      throw new Error(`There is no such type as ${JSON.stringify(type)}.`);
  }
}

/** Zones come in threes, everything else alone. */
function items(origin: ValueOrigin, path: AttributePath, name: string, inner: CtyType): CtyValue {
  const zones =
    /zone|domain/.test(`${origin.type}.${name}`) && /(^names|zones|zone_names|availability_domains)$/.test(name);
  if (zones && inner === 'string') return ['a', 'b', 'c'].map((letter) => `${origin.region || 'region'}-${letter}`);
  return [...(name === 'availability_domains' ? '012' : '0')].map((index) => madeUp(origin, [...path, index], inner));
}

function textOf(origin: ValueOrigin, name: string, seed: string): string {
  const { type, config, region } = origin;
  if (name === 'id') return idOf(origin, seed);
  if (/ipv6|ip_v6/.test(name)) return `2001:db8::${digits(seed, 4)}`;
  if (/private.*(ip|address)|(^|_)local_?ip|fixed_ip/.test(name))
    return `10.${number(seed, 256)}.${number(`${seed}/`, 256)}.9`;
  if (/(^|_)(ip|ips|ipv4|ip_v4|address|addresses|nat_ip)$|ip_address(es)?$|ipv4_address$|public_ip/.test(name))
    return origin.address(seed);
  if (name === 'arn' || /_arn$/.test(name))
    return `arn:aws:simulated:${region}:000000000000:${type}/${digits(seed, 12)}`;
  if (/fingerprint|md5/.test(name)) return (digits(seed, 32).match(/../g) ?? []).join(':');
  if (/fqdn|hostname/.test(name)) {
    const host = String(config.name ?? 'host');
    return host.includes('.') ? host : `${host}.${String(config.zone_name ?? 'example.com')}`;
  }
  if (/(_at|created|updated|_time|date)$/.test(name)) return '2026-01-01T00:00:00Z';
  if (/^(status|state|lifecycle_state)$/.test(name)) return 'ACTIVE';
  if (/zone|location|region/.test(name) && !/_id$/.test(name)) return `${region || 'region'}-a`;
  if (/_id$|^uuid$/.test(name)) return uuid(seed);
  return `${name}-${digits(seed, 8)}`;
}

const uuid = (seed: string): string => digits(seed, 32).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');

/** Ids in the way of each cloud, by the first word of the resource type. */
function idOf({ type, region, config }: ValueOrigin, seed: string): string {
  const family = type.split('_')[0] ?? '';
  switch (family) {
    case 'hcloud':
    case 'digitalocean':
      return String(10_000_000 + number(seed, 9e7));
    case 'aws':
      return `${type.replace('aws_', '').replaceAll('_', '-')}-${digits(seed, 17)}`;
    case 'azurerm':
      return `/subscriptions/simulated/resourceGroups/${String(config.resource_group_name ?? config.name)}/${type}/${digits(seed, 12)}`;
    case 'google':
      return `projects/simulated/${type}/${digits(seed, 12)}`;
    case 'oci':
      return `ocid1.${type.replace(/^oci_/, '').replaceAll('_', '')}.oc1.${region}.${digits(seed, 40)}`;
    case 'cloudflare':
      return digits(seed, 32);
    default:
      return uuid(seed);
  }
}
