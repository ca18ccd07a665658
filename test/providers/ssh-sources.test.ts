/** Who may use SSH: administrators and nodes whose addresses are known; never everyone, even with a node behind NAT. */
import { afterEach, describe, expect, test } from 'vitest';
import { sampled } from '#test/sampled.ts';
import { Fleet } from './fleet.ts';
import { fleetState } from './fleet-manifest.ts';
import { type ProviderCase, providerCases } from './provider-cases.ts';
import { done, skipsTerraform } from './terraform-workspace.ts';

const guarded = providerCases.filter(({ nodes, template }) => nodes && template.firewall === 'cloud');
const admin = '198.51.100.0/24';
const known = '203.0.113.7/32';
const everybody = '0.0.0.0/0';
const ownNetwork = '10.0.0.0/16';

let fleet: Fleet | undefined;
afterEach(async () => {
  await fleet?.stop();
  fleet = undefined;
});

const peersOf = (count: number): readonly string[] => Array.from({ length: count }, (_, n) => `203.0.113.${n + 1}/32`);

/** What exists in the cloud after a cluster with these peers was made. */
async function objectsFor(tested: ProviderCase, peers: readonly string[]): Promise<readonly Attributes[]> {
  fleet = await Fleet.start(tested);
  fleet.own('home', { tenant: 'one', project: 'first' });
  const [region] = tested.place.regions;
  const pool = { instance: 'home', region, count: 1 } as const;
  const pools = [
    { ...pool, name: 'control', role: 'control' as const },
    { ...pool, name: 'work', role: 'compute' as const },
  ];
  const state = fleetState(tested, { pools, roles: [] }, null);
  const workspace = await fleet.machines('home', state, { admins: [admin], peers });
  await done(workspace.init());
  await done(workspace.apply());
  return fleet.cloud.inventory.map(({ values }) => values);
}

describe.skipIf(skipsTerraform)('SSH of machines with the firewall of a cloud', () => {
  test.each(sampled(guarded, { oneOf: 3, from: 0 }))(
    '$type: SSH is open to administrators and known nodes only, even if anyone may be a peer',
    async (tested) => {
      const objects = await objectsFor(tested, [known, everybody]);
      const ssh = objects.flatMap((values) => rulesOf(values, 22)).flatMap(sourcesOf);
      expect(ssh).toContain(admin);
      expect(ssh).toContain(known);
      expect(ssh.filter((source) => ![admin, known, ownNetwork].includes(source))).toEqual([]);
      // The same search finds who may use WireGuard: everybody.
      const wireguard = objects.flatMap((values) => rulesOf(values, 51820)).flatMap(sourcesOf);
      const wide = objects.flatMap((values) => sourcesOf({ external_sources: read(values).external_sources }));
      expect([...wireguard, ...wide].some((source) => source === everybody || source === '*')).toBe(true);
    },
    120_000,
  );

  // Under those they come from, they are in no list of peers.
  test.each(guarded.filter(({ type }) => type === 'openstack'))(
    '$type: WireGuard is open to nodes that dial under their local addresses',
    async (tested) => {
      const wireguard = (await objectsFor(tested, [known])).filter((values) => values.port_range_min === 51820);
      expect(wireguard.some((rule) => rule.remote_group_id === rule.security_group_id)).toBe(true);
    },
    120_000,
  );

  // Network security groups hold 120 rules, of one source each; other clouds have room, or refuse.
  test.each(guarded.filter(({ type }) => type === 'oci'))(
    '$type: SSH is not open to everyone when there are more nodes than rules can hold',
    async (tested) => {
      const objects = await objectsFor(tested, peersOf(130));
      const ssh = objects.flatMap((values) => rulesOf(values, 22)).flatMap(sourcesOf);
      expect(ssh.sort()).toEqual([ownNetwork, admin]);
    },
    120_000,
  );
});

type Attributes = Readonly<Record<string, unknown>>;

const sourceKey =
  /^(source|source_(address_prefix(es)?|addresses|ranges|ips)|cidr|cidr_ipv4|remote_ip_prefix|external_sources|user_security_group_id)$/;

const read = (value: unknown): Attributes =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Attributes) : {};

/** The innermost objects that say from where, and that mention the port. */
function rulesOf(value: unknown, port: number): readonly Attributes[] {
  if (Array.isArray(value)) return value.flatMap((item) => rulesOf(item, port));
  const attributes = read(value);
  const inner = Object.values(attributes).flatMap((item) => rulesOf(item, port));
  if (inner.length > 0) return inner;
  return Object.keys(attributes).some((key) => sourceKey.test(key)) && mentions(attributes, port) ? [attributes] : [];
}

function mentions(value: unknown, port: number): boolean {
  if (Array.isArray(value)) return value.some((item) => mentions(item, port));
  if (typeof value === 'object' && value !== null) return Object.values(value).some((item) => mentions(item, port));
  return String(value) === String(port);
}

function sourcesOf(rule: Attributes): readonly string[] {
  return Object.entries(rule)
    .filter(([key]) => sourceKey.test(key))
    .flatMap(([, value]) => value)
    .filter((value) => typeof value === 'string' && value !== '')
    .map(String);
}
