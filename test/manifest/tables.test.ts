import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { documentJsonSchema } from '#domain/documents/json-schema.ts';
import { valueExamples } from '#domain/documents/value-examples.ts';
import {
  compareVersions,
  isSupportedVersion,
  kubeoneReleaseFor,
  supportedMinors,
} from '#domain/kubernetes-versions.ts';
import { Role, targetPoolsOf } from '#domain/manifest/schema/load-balancers.ts';
import { networkText, overlap, parseNetwork, usableAddresses } from '#domain/manifest/schema/networks.ts';
import { nearest } from '#domain/nearest.ts';
import { providerTypeFacts, providerTypesThat } from '#domain/provider-types.ts';

describe('Kubernetes versions', () => {
  it('the supported Kubernetes versions are those that a KubeOne release builds', () => {
    expect(supportedMinors).toEqual(['1.32', '1.33', '1.34', '1.35', '1.36']);
    expect(['v1.36.2', '1.32.0', '1.31.9', '1.37.0', '1.36', '11.36.0', ''].map(isSupportedVersion)).toEqual([
      true,
      true,
      false,
      false,
      false,
      false,
      false,
    ]);
  });

  it.each([
    ['1.36.0', undefined, '1.14.1'],
    ['1.34.1', undefined, '1.14.1'],
    ['1.33.0', undefined, '1.13'],
    ['1.34.0', 'v1.33.2', '1.13'],
    ['1.33.0', '1.32.0', '1.12'],
    ['1.36.0', '1.33.0', undefined],
    ['1.31.0', undefined, undefined],
  ])('the version %s, from %s, is built by KubeOne %s', (version, from, release) => {
    expect(kubeoneReleaseFor(version, from)?.release).toBe(release);
  });

  it('versions are ordered by number, not as text', () => {
    const sorted = ['1.36.0', 'v1.9.12', '1.36.10', '1.36.9'].sort(compareVersions);

    expect(sorted).toEqual(['v1.9.12', '1.36.0', '1.36.9', '1.36.10']);
  });
});

describe('provider types', () => {
  it('the provider types support what the reference says', () => {
    expect(providerTypesThat(({ dns }) => !dns)).toBe('openstack, cloudrift, verda');
    expect(providerTypesThat(({ nodes }) => !nodes)).toBe('cloudflare');
    expect(providerTypesThat(({ spot }) => spot)).toBe('aws, azure, gcp, oci, verda, sim');
    expect(providerTypesThat(({ secret }) => secret.length === 0)).toBe('sim');
    expect(providerTypesThat(({ secretOptional }) => secretOptional === true)).toBe('local');
    expect(providerTypeFacts('constructor')).toBeUndefined();
  });
});

describe('roles', () => {
  const written = { name: 'r', protocol: 'tcp', port: 80, targetPort: 30080, targetPools: ['a'] } as const;

  it.each([
    [{}, true],
    [{ settings: {} }, false],
    [{ settings: { stickySessions: true } }, false],
    [{ settings: { proxyProtocol: true } }, true],
    [{ protocol: 'udp' }, false],
    [{ port: 6443, targetPort: 6443 }, false],
  ])('the role %j has PROXY protocol: %s', (change, expected) => {
    expect(Role.parse({ ...written, ...change }).settings.proxyProtocol).toBe(expected);
  });

  it.each([
    [{}, ['a']],
    [{ targetPools: undefined, target: 'k8sControlPlane' }, ['c', 'both']],
    [{ targetPools: undefined, target: 'k8sComputeNodes' }, ['both', 'w']],
    [{ targetPools: undefined, target: 'k8sAllNodes' }, ['c', 'both', 'w']],
  ])('the role %j targets %j', (change, expected) => {
    const pools = { control: ['c', 'both'], compute: ['both', 'w'] };

    expect(targetPoolsOf(Role.parse({ ...written, ...change }), pools)).toEqual(expected);
  });
});

describe('networks', () => {
  it.each([
    ['192.168.2.7/24', '192.168.2.0/24', 254],
    ['255.255.255.255/32', '255.255.255.255/32', 0],
    ['10.1.2.3/31', '10.1.2.2/31', 0],
    ['10.1.2.3/0', '0.0.0.0/0', 4294967294],
  ])('the network %s is %s with room for %i nodes', (cidr, text, room) => {
    const network = parseNetwork(cidr);

    expect(networkText(cidr)).toBe(text);
    expect(network && usableAddresses(network)).toBe(room);
  });

  it.each(['', '10.0.0.0', '10.0.0/8', '10.0.0.256/8', '10.0.0.0/33', '010.0.0.0/8', 'fd00::/8', '10.0.0.0/8 '])(
    'the text "%s" is not a network',
    (cidr) => expect(parseNetwork(cidr)).toBeUndefined(),
  );

  it.each([
    ['10.0.0.0/8', '10.255.0.0/16', true],
    ['10.0.0.0/24', '10.0.1.0/24', false],
    ['192.168.255.255/32', '192.168.0.0/16', true],
  ])('the networks %s and %s overlap: %s', (left, right, expected) => {
    const [a, b] = [parseNetwork(left), parseNetwork(right)];

    expect(a && b && [overlap(a, b), overlap(b, a)]).toEqual([expected, expected]);
  });
});

describe('suggestions', () => {
  it.each([
    ['strinData', ['data', 'stringData', 'type'], 'stringData'],
    ['gpc', ['gcp', 'oci', 'aws'], 'gcp'],
    ['COUNT', ['count'], 'count'],
    ['disk', ['spot', 'image'], undefined],
    ['x', [], undefined],
    ['x'.repeat(1_000_000), ['y'], undefined],
  ])('the nearest known word is suggested: %s', (word, known, expected) => {
    expect(nearest(word, known)).toBe(expected);
  });
});

describe('JSON Schema', () => {
  it('the committed JSON Schema matches the manifest', async () => {
    const committed: unknown = JSON.parse(
      readFileSync(new URL('../../schema/input-manifest.schema.json', import.meta.url), 'utf8'),
    );

    expect(committed).toEqual(JSON.parse(JSON.stringify(documentJsonSchema(await valueExamples()))));
    expect(JSON.stringify(committed)).toContain('nvidiaGpu');
  });
});
