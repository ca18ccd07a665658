/** What machines of a type cannot have is refused when the manifest is submitted. */
import { describe, expect, it } from 'vitest';
import { readObjects } from '#documents/read-objects.ts';
import { validateManifest } from '#domain/manifest/validate-manifest.ts';

interface Pool {
  readonly type: string;
  readonly serverType: string;
  readonly region?: string;
  readonly zone?: string;
  readonly disk?: number;
  readonly spot?: boolean;
}

const reference = (name: string) => ({ secretRef: { name, namespace: 'team' } });
/** A cluster with one compute pool, whose control nodes are on other machines. */
const manifest = ({ type, serverType, region = 'here', zone, disk, spot }: Pool, use: 'compute' | 'control') => ({
  apiVersion: 'claudie.io/v1beta1',
  kind: 'InputManifest',
  metadata: { name: 'shop', namespace: 'team' },
  spec: {
    providers: [
      { name: 'cloud', providerType: type, ...reference('cloud') },
      { name: 'other', providerType: 'hetzner', ...reference('other') },
    ],
    nodePools: {
      dynamic: [
        {
          name: 'work',
          providerSpec: { name: 'cloud', region, ...(zone !== undefined && { zone }) },
          count: 1,
          serverType,
          image: 'ubuntu-24.04',
          ...(disk !== undefined && { storageDiskSize: disk }),
          ...(spot && { spot }),
        },
        {
          name: 'rest',
          providerSpec: { name: 'other', region: 'hel1' },
          count: 1,
          serverType: 'cpx31',
          image: 'ubuntu-24.04',
        },
      ],
    },
    kubernetes: {
      clusters: [
        {
          name: 'web',
          version: '1.34.2',
          network: '192.168.2.0/24',
          pools:
            use === 'compute' ? { control: ['rest'], compute: ['work'] } : { control: ['work'], compute: ['rest'] },
        },
      ],
    },
  },
});
const faultsOf = (pool: Pool, use: 'compute' | 'control' = 'compute') =>
  validateManifest(manifest(pool, use), { readObjects }).faults.map(({ path, reason }) => `${path}: ${reason}`);
const place = (field: string) => `spec.nodePools.dynamic[0].${field}: `;

describe('limits of provider types', () => {
  it.each([
    ['exoscale', 'standard.micro', 50, 'takes no data disk'],
    ['exoscale', 'standard.tiny', 100, 'takes no data disk'],
    ['exoscale', 'Standard.Micro', 50, 'takes no data disk'],
    ['exoscale', 'micro', 50, 'takes no data disk'],
    ['exoscale', 'standard.micro', undefined, 'a pool without storageDiskSize gets one of 50 GB'],
    ['exoscale', 'standard.small', 10_241, 'more than a disk of Exoscale has'],
    ['oci', 'BM.Standard.E4.128', 100, 'takes no data disk'],
    ['hetzner', 'cpx31', 10_241, 'more than a disk of Hetzner Cloud has'],
    ['digitalocean', 's-4vcpu-8gb', 16_385, 'more than a disk of DigitalOcean has'],
    ['azure', 'Standard_D4s_v5', 40_000, 'more than a disk of Azure has'],
  ])('a machine of %s of type %s cannot have a disk of %s GB', (type, serverType, disk, words) => {
    const [fault = '', ...more] = faultsOf({ type, serverType, ...(disk !== undefined && { disk }) });
    expect(fault.startsWith(place('storageDiskSize'))).toBe(true);
    expect(fault).toContain(words);
    expect(more).toEqual([]);
  });

  it.each([
    ['azure', 'Standard_B2s'],
    ['azure', 'standard_b4ms'],
    ['oci', 'BM.Standard.E4.128'],
    ['oci', 'VM.Standard.E2.1.Micro'],
  ])('a machine of %s of type %s is never a spot machine', (type, serverType) => {
    const faults = faultsOf({ type, serverType, disk: 0, spot: true });
    expect(faults).toEqual([expect.stringMatching(/dynamic\[0\]\.spot: .* is never a spot machine/)]);
  });

  it.each([
    ['aws', 'eu-north-1', 'us-east-1a'],
    ['aws', 'eu-north-1', 'eu-north-1'],
    ['aws', 'us-east-1', 'us-east-1'],
    ['aws', 'us-east-1', 'us-east-1ab'],
    ['aws', 'us-west-2', 'US-WEST-2A'],
    ['gcp', 'europe-west1', 'europe-west3-b'],
    ['gcp', 'europe-west1', 'europe-west10-a'],
    ['gcp', 'europe-west1', 'b'],
    ['ovh', 'EU-WEST-PAR', 'eu-south-mil-a'],
    ['ovh', 'EU-WEST-PAR', 'EU-WEST-PAR-A'],
    ['oci', 'eu-frankfurt-1', 'AD-4'],
    ['oci', 'eu-frankfurt-1', 'hsVQ:UK-LONDON-1-AD-1'],
    ['oci', 'eu-frankfurt-1', 'PHX-AD-1'],
    ['azure', 'westeurope', 'westeurope-1'],
    ['azure', 'westeurope', '4'],
  ])('a region of %s, %s, has no zone %s', (type, region, zone) => {
    const faults = faultsOf({ type, serverType: 'm7i.large', region, zone });
    expect(faults).toEqual([expect.stringContaining(place('providerSpec.zone'))]);
    expect(faults[0]).toContain(`is not a zone of the region "${region}"`);
  });

  it.each([
    ['hetzner', 'fsn1', 'nbg1-dc3', ['foreign-zone']],
    ['hetzner', 'fsn1', 'fsn1-dc14', []],
    ['exoscale', 'de-fra-1', 'ch-gva-2', ['foreign-zone']],
    ['exoscale', 'de-fra-1', 'de-fra-1', []],
    ['digitalocean', 'fra1', 'ams3', ['foreign-zone']],
  ])('the region of %s, %s, with the zone %s, which has no effect, gets the warnings %j', (type, region, zone, ids) => {
    const { faults, warnings } = validateManifest(
      manifest({ type, serverType: 'standard.small', region, zone }, 'compute'),
      { readObjects },
    );
    expect(faults).toEqual([]);
    expect(warnings.flatMap(({ id }) => (id === 'foreign-zone' ? [id] : []))).toEqual(ids);
  });

  it.each([
    ['aws', 'M7i.large', 'write m7i.large'],
    ['gcp', 'E2-standard-2', 'write e2-standard-2'],
    ['digitalocean', 'S-2vcpu-4gb', 'write s-2vcpu-4gb'],
  ])('a server type of %s has no capitals: %s', (type, serverType, fix) => {
    const { faults } = validateManifest(manifest({ type, serverType }, 'compute'), { readObjects });
    expect(faults.map(({ path, fix }) => [path, fix])).toEqual([['spec.nodePools.dynamic[0].serverType', fix]]);
  });

  it.each<[string, Pool, ('compute' | 'control')?]>([
    ['an availability domain', { type: 'oci', serverType: 'VM.GPU.A10.1', region: 'eu-frankfurt-1', zone: 'AD-2' }],
    [
      'a whole availability domain',
      { type: 'oci', serverType: 'VM.GPU.A10.1', region: 'eu-frankfurt-1', zone: 'hsVQ:EU-FRANKFURT-1-AD-1' },
    ],
    [
      'an availability domain of an older region',
      { type: 'oci', serverType: 'VM.GPU.A10.1', region: 'us-ashburn-1', zone: 'x:US-ASHBURN-AD-3' },
    ],
    ['a zone of Paris', { type: 'ovh', serverType: 'b3-8', region: 'EU-WEST-PAR', zone: 'eu-west-par-a' }],
    ['capitals where the cloud has some', { type: 'azure', serverType: 'Standard_D4s_v5' }],
    ['a small instance without a disk', { type: 'exoscale', serverType: 'standard.micro', disk: 0 }],
    [
      'a small instance of a control pool, which has no disk',
      { type: 'exoscale', serverType: 'standard.micro' },
      'control',
    ],
    ['an instance that is large enough', { type: 'exoscale', serverType: 'standard.small', disk: 10_240 }],
    ['a family whose name begins like a size', { type: 'exoscale', serverType: 'microgpu.large', disk: 50 }],
    ['a virtual shape', { type: 'oci', serverType: 'VM.GPU.A10.1', disk: 100, spot: true }],
    ['a spot size of another series', { type: 'azure', serverType: 'Standard_D4s_v5', spot: true }],
    ['a zone of its region', { type: 'aws', serverType: 'm7i.large', region: 'us-west-2', zone: 'us-west-2-lax-1a' }],
    ['a zone for accelerators', { type: 'gcp', serverType: 'a3', region: 'us-central1', zone: 'us-central1-ai1a' }],
    ['a number of a zone', { type: 'azure', serverType: 'Standard_D4s_v5', region: 'West Europe', zone: '3' }],
    ['a zone where zones have no effect', { type: 'hetzner', serverType: 'cpx31', region: 'nbg1', zone: 'nbg1-dc3' }],
  ])('what a type can have is accepted: %s', (_, pool, use) => {
    expect(faultsOf(pool, use)).toEqual([]);
  });
});
