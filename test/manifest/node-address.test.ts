/** Addresses of machines: which no machine can have, and which collide with networks of a cluster. */
import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readObjects } from '#documents/read-objects.ts';
import { validateAsManifest } from '#domain/manifest/groups/validate-as-manifest.ts';
import { addressFault, normalAddress } from '#domain/manifest/schema/address-fault.ts';
import { NodeAddress } from '#domain/manifest/schema/node-address.ts';
import { propertyRuns } from '../property-runs.ts';
import { manifestWith } from './manifest-files.ts';

const secretRef = { name: 'key', namespace: 'team' };

/** With a static pool of these machines, which the cluster or its load balancer uses. */
const clusterOn = (endpoints: readonly string[], as: 'compute' | 'balancer' = 'compute') =>
  manifestWith((spec) => {
    const nodes = endpoints.map((endpoint) => ({ endpoint, username: 'root', secretRef }));
    const pool = { name: 'metal', nodes, labels: {}, annotations: {}, taints: [], protect: false };
    spec.nodePools.static.push({ ...pool, maxUnavailable: 1, sshPort: 22 });
    const lists = as === 'compute' ? spec.kubernetes.clusters.map(({ pools }) => pools.compute) : [];
    const balancers = as === 'balancer' ? spec.loadBalancers.clusters.map(({ pools }) => pools) : [];
    for (const list of [...lists, ...balancers]) list.push('metal');
  });

const groupsOn = (endpoint: string) => ({
  apiVersion: 'kubeloom.dev/v1',
  kind: 'MachineGroups',
  metadata: { name: 'rack' },
  spec: { groups: { metal: { nodes: [{ endpoint, secretRef }] } } },
});

function found(document: unknown) {
  const { faults, warnings } = validateAsManifest(document, { readObjects });
  return [...faults, ...warnings].filter(({ path }) => path.includes('endpoint'));
}

const unusable: readonly (readonly [address: string, words: string])[] = [
  ['0.0.0.0', 'addresses without a network'],
  ['0.1.2.3', 'addresses without a network'],
  ['127.0.0.1', 'loopback addresses'],
  ['127.200.0.9', 'loopback addresses'],
  ['169.254.169.254', 'link-local addresses'],
  ['224.0.0.5', 'multicast and reserved addresses'],
  ['239.255.255.250', 'multicast and reserved addresses'],
  ['240.0.0.1', 'multicast and reserved addresses'],
  ['255.255.255.255', 'multicast and reserved addresses'],
  ['::', 'addresses without a network'],
  ['0:0:0:0:0:0:0:0', 'addresses without a network'],
  ['::1', 'loopback addresses'],
  ['0000:0000:0000:0000:0000:0000:0000:0001', 'loopback addresses'],
  ['fe80::1', 'link-local addresses'],
  ['FEBF::1', 'link-local addresses'],
  ['ff02::1', 'multicast addresses'],
  ['::ffff:203.0.113.7', 'is the IPv4 address 203.0.113.7'],
  ['::FFFF:7F00:1', 'is the IPv4 address 127.0.0.1'],
  ['::203.0.113.7', 'addresses without a network'],
];

describe('an address of a machine', () => {
  it.each(unusable)('the address %s is refused at its place, in clusters and machine groups', (address, words) => {
    const expected = [{ severity: 'error', reason: expect.stringContaining(words) }];
    for (const document of [clusterOn([address]), clusterOn([address], 'balancer'), groupsOn(address)])
      expect(found(document)).toMatchObject(expected);
  });

  it.each([
    '010.1.2.3',
    '10.1.2',
    '10.1.2.3.',
    ' 10.1.2.3',
    '10.1.2.3/24',
    'fe80::1%eth0',
    '[2001:db8::1]',
    '0x0a.1.2.3',
  ])('the text %j is not an address', (text) => {
    expect(NodeAddress.safeParse(text).success).toBe(false);
    expect(found(clusterOn([text]))).toMatchObject([{ reason: expect.stringContaining('is not an IP address') }]);
  });

  it.each(['203.0.113.7', '10.1.2.3', '192.168.9.4', '100.64.0.9', '2001:db8::7', 'fd00::9', '64:ff9b::1'])(
    'the address %s is accepted',
    (address) => {
      expect(found(clusterOn([address]))).toEqual([]);
      expect(found(groupsOn(address))).toEqual([]);
    },
  );

  it('an address of pods is a fault and one of services a warning, in clusters with Kubernetes only', () => {
    for (const as of ['compute', 'balancer'] as const) {
      expect(found(clusterOn(['10.244.3.4'], as))).toMatchObject([
        { severity: 'error', reason: expect.stringContaining('the network of the pods') },
      ]);
      expect(found(clusterOn(['10.100.3.4'], as))).toMatchObject([{ id: 'address-of-services' }]);
    }
    expect(found(groupsOn('10.244.3.4'))).toEqual([]);
  });

  it('two forms of one address are one machine, also in another manifest', () => {
    expect(found(clusterOn(['2001:db8::1', '2001:DB8:0:0::0001']))).toMatchObject([
      { path: expect.stringContaining('nodes[1].endpoint'), reason: expect.stringContaining('is already the node') },
    ]);
    const endpointsInUse = new Map([['2001:db8::1', 'default/other']]);
    const { faults } = validateAsManifest(clusterOn(['2001:0db8::1']), { readObjects, endpointsInUse });
    expect(faults).toMatchObject([{ reason: expect.stringContaining('is a node of the manifest "default/other"') }]);
  });
});

describe('rules of addresses', () => {
  const address = fc.oneof(fc.ipV4(), fc.ipV6());

  it('the normal form of an address is a fixed point, and means the same', () => {
    fc.assert(
      fc.property(address, (text) => {
        const normal = normalAddress(text);
        expect(normalAddress(normal)).toBe(normal);
        expect(addressFault(normal) === undefined).toBe(addressFault(text) === undefined);
      }),
      { numRuns: propertyRuns(500) },
    );
  });

  it('an editor refuses no address that is accepted, and every unusable one but zeros that are written out', () => {
    const schema = JSON.parse(
      readFileSync(new URL('../../schema/machine-groups.schema.json', import.meta.url), 'utf8'),
    );
    const fits = new Ajv({ strict: false, formats: { ipv4: true, ipv6: true } }).compile(schema);
    for (const [text] of unusable.filter(([one]) => !/^0+:/.test(one)))
      expect([text, fits(groupsOn(text))]).toEqual([text, false]);
    fc.assert(
      fc.property(
        // Its own pattern for IPv6 knows no numbers with dots.
        address.filter((text) => !/:.*\./.test(text) && NodeAddress.safeParse(text).success && !addressFault(text)),
        (text) => {
          expect(fits(groupsOn(text))).toBe(true);
        },
      ),
      { numRuns: propertyRuns(200) },
    );
  });
});
