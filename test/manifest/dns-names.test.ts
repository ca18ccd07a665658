/** DNS names of a document: one normal form, and no name that a certificate of the API server would be refused with. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readObjects } from '#documents/read-objects.ts';
import { validateAsManifest } from '#domain/manifest/groups/validate-as-manifest.ts';
import { nameInZone } from '#domain/manifest/schema/dns-name.ts';
import type { LoadBalancer } from '#domain/manifest/schema/load-balancers.ts';
import { groupsWith, leaf } from '#test/machine-groups/groups.ts';
import { manifestOf } from '#test/pipeline/harness/manifests.ts';
import { propertyRuns } from '#test/property-runs.ts';

interface Names {
  readonly dnsZone?: string;
  readonly hostname?: string;
  readonly alternativeNames?: readonly string[];
}

function manifestWith(names: Names) {
  const document = manifestOf([{ compute: { work: 1 }, balanced: true }]);
  const [balancer] = document.spec.loadBalancers.clusters;
  const dns = { dnsZone: 'example.com', provider: 'sim-1', ...names };
  const loadBalancers = { ...document.spec.loadBalancers, clusters: [{ ...balancer, dns }] };
  return { ...document, spec: { ...document.spec, loadBalancers } };
}

const groupsNamed = (names: Names) =>
  groupsWith(
    { batch: { ...leaf, serverType: 'small' }, front: { ...leaf, serverType: 'small' } },
    {
      loadBalancers: {
        roles: [{ name: 'web', protocol: 'tcp', port: 80, targetPort: 30080, targetPools: ['batch'] }],
        clusters: [
          {
            name: 'entry',
            roles: ['web'],
            dns: { dnsZone: 'example.com', provider: 'sim-1', ...names },
            pools: ['front'],
          },
        ],
      },
    },
    'shop',
  );

const verdictOf = (document: unknown) => validateAsManifest(document, { readObjects });
function dnsOf(document: ReturnType<typeof verdictOf>['document']): LoadBalancer['dns'] {
  const [balancer] = document?.spec.loadBalancers.clusters ?? [];
  if (balancer === undefined) throw new Error('the document has no load balancer');
  return balancer.dns;
}
const place = 'spec.loadBalancers.clusters[0].dns';

/** Letters of a part, and so many parts with dots between. */
const long = (length: number) => 'a'.repeat(length);
const parts = (count: number) => Array.from({ length: count }, () => long(62)).join('.');

const refused: readonly (readonly [Names, string, string])[] = [
  [{ hostname: '*.apps' }, 'hostname', 'a wildcard may be among the alternativeNames, write it there'],
  [{ hostname: '*' }, 'hostname', 'a wildcard may be among the alternativeNames, write it there'],
  [{ hostname: 'my_shop' }, 'hostname', 'did you mean "my-shop"?'],
  [{ hostname: 'Bücher' }, 'hostname', 'did you mean "xn--bcher-kva"?'],
  [{ hostname: '203.0.113.7' }, 'hostname', 'use one such as "www"'],
  [{ hostname: '2001:db8::1' }, 'hostname', 'use one such as "www"'],
  [{ hostname: 'https://shop' }, 'hostname', 'use one such as "www"'],
  [{ hostname: 'shop..web' }, 'hostname', 'use one such as "www"'],
  [{ hostname: '-shop' }, 'hostname', 'use one such as "www"'],
  [{ hostname: long(64) }, 'hostname', 'a part between dots has at most 63 letters, shorten it'],
  [{ dnsZone: '*.example.com' }, 'dnsZone', 'use one such as "example.com"'],
  [{ dnsZone: 'straße.example' }, 'dnsZone', 'did you mean "xn--strae-oqa.example"?'],
  [{ dnsZone: '198.51.100.1' }, 'dnsZone', 'use one such as "example.com"'],
  [{ dnsZone: 'example.com..' }, 'dnsZone', 'use one such as "example.com"'],
  [{ alternativeNames: ['a.*.b'] }, 'alternativeNames[0]', 'a wildcard is the first part as a whole, as in "*.apps"'],
  [
    { alternativeNames: ['x', 'api*'] },
    'alternativeNames[1]',
    'a wildcard is the first part as a whole, as in "*.apps"',
  ],
  [{ dnsZone: parts(3), hostname: `${long(63)}.b` }, 'hostname', 'shorten it: a DNS name has at most 253'],
  [{ dnsZone: `${parts(3)}.${long(47)}` }, 'dnsZone', 'write a hostname, the shortest has one letter'],
];

describe.each([
  ['a manifest', manifestWith],
  ['machine groups', groupsNamed],
])('DNS names of %s', (_, documentWith) => {
  it.each(refused)('a document with %j is refused at its place, with what to write', (names, field, fix) => {
    expect(verdictOf(documentWith(names)).faults).toMatchObject([{ path: `${place}.${field}`, fix }]);
  });

  it.each([
    [{ hostname: 'shop.example.com' }, 'hostname', 'write "hostname: shop"', 'shop.example.com.example.com'],
    [{ hostname: 'A.Shop.EXAMPLE.com.' }, 'hostname', 'write "hostname: a.shop"', 'a.shop.example.com.example.com'],
    [
      { hostname: 'shop.example.com', dnsZone: 'Example.COM.' },
      'hostname',
      'write "hostname: shop"',
      'shop.example.com.example.com',
    ],
    [
      { alternativeNames: ['*.apps.example.com'] },
      'alternativeNames[0]',
      'write "- *.apps"',
      '*.apps.example.com.example.com',
    ],
    [
      { hostname: 'example.com' },
      'hostname',
      'leave the zone out: write a name in it, such as "hostname: www"',
      'example.com.example.com',
    ],
  ])('a document with %j is warned of: the zone would be there twice', (names, field, fix, full) => {
    const { faults, warnings } = verdictOf(documentWith(names));
    expect(faults).toEqual([]);
    const reason = `the zone is added to it: the name becomes "${full}"`;
    expect(warnings.filter(({ id }) => id === 'repeated-zone')).toMatchObject([
      { path: `${place}.${field}`, reason, fix },
    ]);
  });

  it.each([
    [{ hostname: 'shopexample.com' }],
    [{ hostname: 'com' }],
    [{ hostname: 'web.shop', dnsZone: 'shop' }],
    [{ hostname: 'a.b.c', alternativeNames: ['*', '*.apps', 'xn--bcher-kva'] }],
    [{ dnsZone: parts(3), hostname: long(63) }],
    [{ dnsZone: `${parts(3)}.${long(46)}` }],
  ])('a document with %j is accepted without a word', (names) => {
    const { faults, warnings } = verdictOf(documentWith(names));
    expect([faults, warnings.filter(({ id }) => id === 'repeated-zone')]).toEqual([[], []]);
  });

  it('capitals and the dot at the end are gone once a document is accepted', () => {
    const names = { dnsZone: 'Example.COM.', hostname: 'K8S.', alternativeNames: ['*.Apps', 'WWW.'] };
    const { document } = verdictOf(documentWith(names));
    expect(dnsOf(document)).toEqual({
      dnsZone: 'example.com',
      provider: 'sim-1',
      hostname: 'k8s',
      alternativeNames: ['*.apps', 'www'],
    });
  });
});

/** kubeadm, ValidateCertSANs (k8s.io/apimachinery/pkg/util/validation: IsDNS1123Subdomain, IsWildcardDNS1123Subdomain), with its limit. */
const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const isCertificateName = (name: string): boolean =>
  name.length <= 253 && (subdomain.test(name) || (name.startsWith('*.') && subdomain.test(name.slice(2))));
/** The endpoint of the control plane has no wildcard, and DNS has parts of at most 63. */
const isEndpoint = (name: string): boolean =>
  name.length <= 253 && subdomain.test(name) && name.split('.').every((part) => part.length <= 63);

it('kubeadm takes every name that is accepted, as endpoint and in the certificate of the API server', () => {
  const letter = fc.constantFrom('a', 'Z', '0', '-', '.', '_', '*', 'ß', ' ');
  const any = fc.string({ unit: letter, minLength: 1, maxLength: 12 });
  const likely = fc.stringMatching(/^[A-Za-z0-9]{1,60}(-[a-z0-9]{1,4})?(\.[a-z]{1,62}){0,3}\.?$/);
  const name = fc.oneof({ weight: 1, arbitrary: any }, { weight: 4, arbitrary: likely });
  const further = fc.oneof(
    name,
    likely.map((text) => `*.${text}`),
  );
  let accepted = 0;
  fc.assert(
    fc.property(name, name, further, (dnsZone, hostname, alternative) => {
      const { faults, document } = verdictOf(manifestWith({ dnsZone, hostname, alternativeNames: [alternative] }));
      if (faults.length > 0) return;
      accepted += 1;
      const dns = dnsOf(document);
      expect(isEndpoint(nameInZone(dns.hostname ?? '', dns.dnsZone))).toBe(true);
      for (const name of dns.alternativeNames) expect(isCertificateName(`${name}.${dns.dnsZone}`)).toBe(true);
    }),
    { numRuns: propertyRuns(3000) },
  );
  expect(accepted).toBeGreaterThan(10);
});
